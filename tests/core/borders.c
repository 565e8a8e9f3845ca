/* Every border map is compared with a walk that takes one step at a time, with its picture in the
 * table, and at distant coordinates. Kernels and the reference share the maps, so that tests with
 * random problems cannot find a bug in them. */
#include "image/border.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 8, FARTHEST = 40, PICTURED = 4, LIMIT_BITS = 61 };

static int64_t checks, failures;

static void expect(const char *name, int64_t i, int64_t n, int64_t got, int64_t want)
{
    checks++;
    if (got == want)
        return;
    if (failures++ < 20)
        printf("FAILED border=%s: index %" PRId64 " of %" PRId64 " is %" PRId64 ", must be %" PRId64
               "\n",
               name, i, n, got, want);
}

/* How a walk along the samples continues at the end. */
enum edge { TURN_AFTER_REPEATING, TURN, STAY, JUMP, LEAVE };

static const struct {
    const char *name;
    enum edge edge;
} edges[] = {
    {"reflect", TURN_AFTER_REPEATING},
    {"reflect101", TURN},
    {"replicate", STAY},
    {"wrap", JUMP},
    {"zero", LEAVE},
    {"constant", LEAVE},
    {"valid", LEAVE},
};

static bool find_edge(const char *name, enum edge *edge)
{
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (strcmp(edges[i].name, name) == 0) {
            *edge = edges[i].edge;
            return true;
        }
    return false;
}

/* The sample that is |i| steps from sample 0 of n, in the direction of i. */
static int64_t walk(enum edge edge, int64_t i, int64_t n)
{
    int64_t at = 0, way = i < 0 ? -1 : 1;
    for (int64_t left = i < 0 ? -i : i; left > 0; left--) {
        if (at + way >= 0 && at + way < n) {
            at += way;
        } else if (edge == LEAVE) {
            return BORDER_OUTSIDE;
        } else if (edge == JUMP) {
            at = way > 0 ? 0 : n - 1;
        } else if (edge != STAY) {
            way = -way;
            if (edge == TURN && n > 1)
                at += way;
        }
    }
    return at;
}

/* Far outside the image the map must be periodic or constant. */
static void check_far(const struct border_entry *entry, enum edge edge, int64_t n)
{
    for (int bits = 20; bits <= LIMIT_BITS; bits++)
        for (int64_t near = -2 * n; near < 2 * n; near++) {
            int64_t period = edge == TURN && n > 1 ? 2 * n - 2 : 2 * n;
            int64_t away = (((int64_t)1 << bits) - 4 * n) / period * period;
            int64_t right = walk(edge, edge == STAY || edge == LEAVE ? 2 * n : near, n);
            int64_t left = walk(edge, edge == STAY || edge == LEAVE ? -2 * n : near, n);
            expect(entry->name, near + away, n, entry->map(near + away, n), right);
            expect(entry->name, near - away, n, entry->map(near - away, n), left);
        }
}

/* The same steps around the edges of an image that is too long to walk along. */
static void check_long(const struct border_entry *entry, enum edge edge)
{
    for (int bits = 31; bits < LIMIT_BITS; bits++)
        for (int64_t k = 1; k <= FARTHEST; k++) {
            int64_t n = ((int64_t)1 << bits) + 1, last = n - 1;
            int64_t before[] = {k - 1, k, 0, n - k, BORDER_OUTSIDE};
            int64_t after[] = {n - k, last - k, last, k - 1, BORDER_OUTSIDE};
            expect(entry->name, -k, n, entry->map(-k, n), before[edge]);
            expect(entry->name, last + k, n, entry->map(last + k, n), after[edge]);
            expect(entry->name, k, n, entry->map(k, n), k);
            expect(entry->name, last - k, n, entry->map(last - k, n), last - k);
        }
}

/* "dcb|abcd|cba": a letter is a sample, any other character is not. */
static void check_picture(const struct border_entry *entry)
{
    const char *inside = strchr(entry->picture, '|');
    expect(entry->name, 0, PICTURED, inside && strncmp(inside, "|abcd|", PICTURED + 2) == 0, true);
    if (!inside)
        return;
    for (const char *p = entry->picture; *p; p++) {
        if (*p == '|')
            continue;
        int64_t i = p - inside - (p < inside ? 0 : p < inside + PICTURED + 1 ? 1 : 2);
        int64_t want = *p >= 'a' && *p <= 'd' ? *p - 'a' : BORDER_OUTSIDE;
        expect(entry->name, i, PICTURED, entry->map(i, PICTURED), want);
    }
}

/* Properties of every border: samples inside map to themselves, all others to a sample inside or to
 * none. */
static void check_total(const struct border_entry *entry)
{
    for (int64_t n = 1; n <= LONGEST; n++)
        for (int64_t i = -FARTHEST; i <= FARTHEST; i++) {
            int64_t at = entry->map(i, n);
            if (i >= 0 && i < n)
                expect(entry->name, i, n, at, i);
            else if (at < 0 || at >= n)
                expect(entry->name, i, n, at, BORDER_OUTSIDE);
        }
}

static void check_border(const struct border_entry *entry)
{
    enum edge edge;
    check_picture(entry);
    check_total(entry);
    if (!find_edge(entry->name, &edge)) {
        printf("skipped: border %s has no walk here; its picture and range are checked\n",
               entry->name);
        return;
    }
    for (int64_t n = 1; n <= LONGEST; n++) {
        for (int64_t i = -FARTHEST; i <= FARTHEST; i++)
            expect(entry->name, i, n, entry->map(i, n), walk(edge, i, n));
        check_far(entry, edge, n);
    }
    check_long(entry, edge);
}

int main(void)
{
    int count = 0;
    for (; border_entry(count); count++)
        check_border(border_entry(count));
    printf("%d borders, %" PRId64 " checks\n", count, checks);
    printf("%" PRId64 " passed, %" PRId64 " failed\n", checks - failures, failures);
    return failures > 0;
}
