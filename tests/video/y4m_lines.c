/* Random and mutated first lines of Y4M videos: each is refused with a message, or describes planes
 * whose sizes follow from the line. Lines end at a guard page. Also the order of bytes.
 *
 *     y4m_lines [COUNT [SEED]] */
#include "core/guarded.h"
#include "rng.h"
#include "terminal/message.h"
#include "video/y4m.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, TEXT = 512 };

static const char *const seeds[] = {
    "YUV4MPEG2 W1920 H1080 F30:1 Ip A1:1 C420jpeg XYSCSS=420JPEG",
    "YUV4MPEG2 W1 H1",
    "YUV4MPEG2 W33 H21 C420p10 It XCOLORRANGE=LIMITED",
    "YUV4MPEG2 W1073741824 H1073741824 C444p16",
    "YUV4MPEG2 W7 H5 Cmono16 I?",
    "YUV4MPEG2 W64 H48 C444alpha",
    "YUV4MPEG2 W5 H4 XYSCSS=411",
    "YUV4MPEG2 W12 H12 C410 Im F0:0 A0:0 X X X",
};
static const char *const pieces[] = {
    " W",
    " H",
    " C",
    " I",
    " X",
    "420",
    "444",
    "mono",
    "alpha",
    "p",
    "16",
    "9",
    "0",
    "-1",
    "18446744073709551617",
    "9223372036854775807",
    "2147483648",
    " ",
    "=",
    "XYSCSS=",
    "YUV4MPEG2",
};

static size_t draw(struct rng *rng, size_t count)
{
    return (size_t)(rng_next(rng) % count);
}

/* Replaces, inserts, removes or repeats a few bytes. */
static size_t mutate(struct rng *rng, char *line, size_t length)
{
    for (size_t turns = draw(rng, 5); turns > 0 && length > 0; turns--) {
        size_t at = draw(rng, length);
        const char *piece = pieces[draw(rng, sizeof pieces / sizeof *pieces)];
        size_t size = strlen(piece);
        switch (draw(rng, 4)) {
        case 0:
            line[at] = (char)rng_next(rng);
            break;
        case 1:
            length = at;
            break;
        case 2:
            memmove(line + at, line + at + 1, --length - at);
            break;
        default:
            if (length + size > MOST)
                break;
            memmove(line + at + size, line + at, length - at);
            memcpy(line + at, piece, size);
            length += size;
        }
    }
    return length;
}

/* A part of the whole, rounded up. */
static bool is_part(int64_t part, int64_t whole, int divisor)
{
    return part >= 1 && (part - 1) * divisor < whole && part * divisor >= whole;
}

static bool is_sound(const struct y4m *y4m)
{
    const struct y4m_kind *kind = &y4m->kind;
    int64_t offset = 0;
    bool good = y4m->width >= 1 && y4m->height >= 1 && y4m->width <= 1 << 30 &&
                y4m->height <= 1 << 30 && kind->planes >= 1 && kind->planes <= Y4M_PLANES &&
                kind->bits >= 8 && kind->bits <= 16 && strchr("p?tbm", y4m->fields);
    for (int i = 0; good && i < kind->planes; i++) {
        const struct y4m_plane *plane = &y4m->planes[i];
        bool chroma = i == 1 || i == 2;
        good = is_part(plane->width, y4m->width, chroma ? kind->across : 1) &&
               is_part(plane->height, y4m->height, chroma ? kind->down : 1) &&
               plane->offset == offset &&
               plane->bytes / (kind->bits > 8 ? 2 : 1) / plane->width == plane->height;
        offset += plane->bytes;
    }
    return good && offset == y4m->frame_bytes && offset > 0;
}

/* What is wrong with the outcome; NULL: nothing. */
static const char *judge(const char *line, size_t length)
{
    struct y4m y4m, before;
    char text[TEXT] = "";
    memset(&y4m, 0x5a, sizeof y4m);
    before = y4m;
    message_keep(text, sizeof text);
    int code = y4m_parse(line, length, "in.y4m", &y4m);
    int frame = y4m_check_frame(line, length, "in.y4m", 1);
    message_keep(NULL, 0);
    if (code == 0)
        return is_sound(&y4m) ? NULL : "accepted, but the planes are wrong";
    if (code != SWATHE_ERROR_INPUT && code != SWATHE_ERROR_LIMIT &&
        code != SWATHE_ERROR_UNSUPPORTED)
        return "another exit code";
    if (memcmp(&y4m, &before, sizeof y4m) != 0)
        return "refused, but the result has changed";
    if (frame == 0 && strncmp(line, "FRAME", length < 5 ? length : 5) != 0)
        return "taken for the line of a frame";
    return strncmp(text, "in.y4m: ", 8) == 0 ? NULL : "refused without a message";
}

/* Samples of two bytes are stored with the lower byte first, on every machine. */
static bool order_is_right(void)
{
    static const uint8_t stored[] = {0x01, 0x02, 0xff, 0x03, 0x00, 0x00, 0x34, 0x12};
    static const uint16_t values[] = {0x0201, 0x03ff, 0, 0x1234};
    uint16_t samples[4];
    memcpy(samples, stored, sizeof stored);
    int highest = frame_samples_highest(samples, sizeof samples);
    frame_samples_order(samples, sizeof samples);
    int wrong = memcmp(samples, values, sizeof values) != 0;
    frame_samples_order(samples, sizeof samples);
    wrong |= memcmp(samples, stored, sizeof stored) != 0;
    printf("highest 0x%x, order %s\n", (unsigned)highest, wrong ? "WRONG" : "right");
    return !wrong && highest == 0x1234;
}

int main(int argc, char **argv)
{
    int64_t count = argc > 1 ? atoll(argv[1]) : 200000, accepted = 0;
    struct rng rng = {argc > 2 ? (uint64_t)atoll(argv[2]) : 1};
    struct guarded memory = guarded_new(MOST);
    for (int64_t i = 0; i < count; i++) {
        char line[MOST + 1];
        const char *seed = seeds[draw(&rng, sizeof seeds / sizeof *seeds)];
        size_t length = strlen(seed);
        memcpy(line, seed, length);
        length = mutate(&rng, line, length);
        char *at = memcpy((char *)memory.end - length, line, length);
        const char *wrong = judge(at, length);
        if (wrong) {
            printf("FAILED: %s: '%.*s'\n", wrong, (int)length, line);
            return EXIT_FAILURE;
        }
        struct y4m y4m;
        char text[TEXT];
        message_keep(text, sizeof text);
        accepted += y4m_parse(at, length, "in.y4m", &y4m) == 0;
        message_keep(NULL, 0);
    }
    guarded_free(&memory);
    printf("%" PRId64 " lines, %" PRId64 " accepted\n", count, accepted);
    bool some = accepted > count / 10 && accepted < count * 9 / 10;
    return order_is_right() && some ? EXIT_SUCCESS : EXIT_FAILURE;
}
