/* Parts written in any order: a file is complete when every pixel was written once, and otherwise
 * cannot be committed. */
#include "io_check.h"

#include "io/written_parts.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 80, PART = 16, FREE_MEMORY = 1 << 28 };
enum { ACROSS = WIDTH / PART, PARTS = ACROSS * (HEIGHT / PART) };

static swathe_rect part_at(int index)
{
    return (swathe_rect){index % ACROSS * PART, index / ACROSS * PART, PART, PART};
}

static void shuffle(int *order, uint64_t *state)
{
    for (int i = 0; i < PARTS; i++)
        order[i] = i;
    for (int i = PARTS - 1; i > 0; i--) {
        int other = (int)(io_random(state) % (uint32_t)(i + 1)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* Parts in random order: at each step exactly the parts added are met. Joined parts lose no area.
 */
static void check_covered(void)
{
    uint64_t state = 1;
    int order[PARTS];
    for (int round = 0; round < 200; round++) {
        struct written_parts covered = {0};
        shuffle(order, &state);
        for (int i = 0; i < PARTS; i++) {
            swathe_rect part = part_at(order[i]);
            io_check(!written_parts_meets(&covered, &part), "round %d: part %d is met", round, i);
            io_check(written_parts_add(&covered, &memory_default, &part) == SWATHE_OK, "no memory");
            for (int j = 0; j < PARTS; j++) {
                swathe_rect other = part_at(order[j]);
                other = (swathe_rect){other.x + 3, other.y + PART - 1, 1, 1};
                if (written_parts_meets(&covered, &other) != (j <= i))
                    io_check(false, "round %d: part %d after %d", round, j, i);
            }
        }
        int64_t area = 0;
        for (int64_t i = 0; i < covered.count; i++)
            area += covered.parts[i].width * covered.parts[i].height;
        io_check(area == WIDTH * HEIGHT && covered.count < PARTS / 2,
                 "round %d: %d parts with %d pixels", round, (int)covered.count, (int)area);
        written_parts_free(&covered, &memory_default);
    }
}

static swathe_status put(swathe_sink *sink, const swathe_image *whole, const swathe_rect *part)
{
    swathe_image view;
    TRY(view_crop(whole, part, &view));
    return sink->write(sink->user, &view);
}

/* The first half twice has as many pixels as the image. */
static void check_twice(swathe_sink *sink, const char *name, const swathe_image *image)
{
    swathe_rect half = {0, 0, WIDTH, HEIGHT / 2 / PART * PART};
    swathe_rect corner = {0, half.height - PART, PART, PART};
    io_check(put(sink, image, &half) == SWATHE_OK, "%s: %s", name, fail_text());
    bool forward = (sink->flags & SWATHE_FORWARD) != 0;
    io_check(put(sink, image, &half) == SWATHE_ERROR_ARGUMENT &&
                 (forward || strstr(fail_text(), "already written")),
             "%s, a part again: %s", name, fail_text());
    io_check(put(sink, image, &corner) == SWATHE_ERROR_ARGUMENT, "%s, a corner again", name);
    io_check(file_commit(sink) == SWATHE_ERROR_ARGUMENT && strstr(fail_text(), "of 7680 pixels"),
             "%s, half of it: %s", name, fail_text());
}

static void check_any_order(swathe_sink *sink, const char *name, const swathe_image *image)
{
    uint64_t state = 2;
    int order[PARTS];
    if (sink->flags & SWATHE_FORWARD)
        return;
    shuffle(order, &state);
    for (int i = 0; i < PARTS; i++) {
        swathe_rect part = part_at(order[i]);
        io_check(put(sink, image, &part) == SWATHE_OK, "%s: %s", name, fail_text());
    }
    io_check(file_commit(sink) == SWATHE_OK, "%s: %s", name, fail_text());
}

static void check_codec(const struct codec *codec, int64_t tile)
{
    swathe_shape shape = io_shape(WIDTH, HEIGHT, 3, SWATHE_U8);
    if (!codec_holds(codec, &shape))
        shape.type = SWATHE_F32;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    io_fill_smooth(&image.view, 5);
    swathe_write_options options = io_faithful(codec);
    options.tile = tile;
    options.overwrite = 1;
    for (int way = 0; way < 2; way++) {
        swathe_sink *sink;
        swathe_status status = file_create(&memory_default, FREE_MEMORY, io_path("parts"), &shape,
                                           NULL, &options, &sink);
        if (io_check(status == SWATHE_OK, "%s: %s", codec->name, fail_text())) {
            (way ? check_any_order : check_twice)(sink, codec->name, &image.view);
            file_discard(sink);
        }
    }
    io_image_free(&image);
}

int main(void)
{
    check_covered();
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built)
            check_codec(codec_at(i), 0);
    if (codec_named("tiff")->built)
        check_codec(codec_named("tiff"), PART);
    io_folder_remove();
    return io_finish("io_complete");
}
