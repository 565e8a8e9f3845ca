#include "io/written_parts.h"

#include "base/checked.h"

#include <string.h>

enum { ROOM_FIRST = 16 };

bool written_parts_meets(const struct written_parts *written, const swathe_rect *part)
{
    for (int64_t i = 0; i < written->count; i++) {
        const swathe_rect *at = &written->parts[i];
        if (part->x < at->x + at->width && at->x < part->x + part->width &&
            part->y < at->y + at->height && at->y < part->y + part->height)
            return true;
    }
    return false;
}

static swathe_status written_parts_reserve(struct written_parts *written,
                                           const struct memory *memory)
{
    swathe_rect *parts;
    int64_t room = max64(ROOM_FIRST, 2 * written->room);
    if (written->count < written->room)
        return SWATHE_OK;
    TRY(memory_new_raw(memory, room, sizeof *parts, "the list of parts written", &parts));
    if (written->count > 0)
        memcpy(parts, written->parts, (size_t)written->count * sizeof *parts);
    memory_free(memory, written->parts);
    written->parts = parts;
    written->room = room;
    return SWATHE_OK;
}

/* Extends `a` by `b` if both together are a rectangle. */
static bool written_parts_join(swathe_rect *a, const swathe_rect *b)
{
    bool beside = a->y == b->y && a->height == b->height &&
                  (a->x + a->width == b->x || b->x + b->width == a->x);
    bool below = a->x == b->x && a->width == b->width &&
                 (a->y + a->height == b->y || b->y + b->height == a->y);
    if (!beside && !below)
        return false;
    a->x = min64(a->x, b->x);
    a->y = min64(a->y, b->y);
    a->width += beside ? b->width : 0;
    a->height += below ? b->height : 0;
    return true;
}

swathe_status written_parts_add(struct written_parts *written, const struct memory *memory,
                                const swathe_rect *part)
{
    swathe_rect whole = *part;
    TRY(written_parts_reserve(written, memory));
    /* A joined part may complete another rectangle, so the search starts again. */
    for (int64_t i = 0; i < written->count;)
        if (written_parts_join(&whole, &written->parts[i])) {
            written->parts[i] = written->parts[--written->count];
            i = 0;
        } else {
            i++;
        }
    written->parts[written->count++] = whole;
    return SWATHE_OK;
}

void written_parts_free(struct written_parts *written, const struct memory *memory)
{
    memory_free(memory, written->parts);
    *written = (struct written_parts){0};
}
