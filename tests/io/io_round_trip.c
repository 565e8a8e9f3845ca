/* Every format × type × channels × size × memory layout × strip height: the written samples are
 * read back, or the shape is refused with a way out. `--caught NAME` inverts the result for a build
 * with a planted bug: it succeeds if checks failed, and only those of codec NAME. */
#include "io_check.h"
#include "io_ways.h"

#include <stdio.h>
#include <string.h>

static const struct {
    int64_t width, height;
} sizes[] = {{1, 1}, {1, 9}, {11, 1}, {7, 5}, {33, 18}, {65, 40}, {300, 3}, {2, 129}};

enum { SIZES = sizeof sizes / sizeof *sizes, CHANNELS_MOST = 6 };

static int trips, refusals, others_failed;
static const char *caught;

struct problem {
    const struct codec *codec;
    swathe_shape shape;
    enum io_strides from, into;
    int64_t write_rows, read_rows;
};

static bool check(const struct problem *p, bool held, const char *what, const char *text)
{
    const swathe_shape *s = &p->shape;
    if (!held && caught && strcmp(p->codec->name, caught) != 0)
        others_failed++;
    return io_check(held,
                    "codec %s type %s channels %d size %dx%d from %s by %d into %s by %d: %s: %s",
                    p->codec->name, sample_entry(s->type)->name, s->channels, (int)s->width,
                    (int)s->height, io_strides_name(p->from), (int)p->write_rows,
                    io_strides_name(p->into), (int)p->read_rows, what, text);
}

/* A source with random access returns any part, in any order. */
static void check_parts(const struct problem *p, const swathe_source *source,
                        const swathe_image *want, uint64_t *random)
{
    char text[128];
    struct io_image part = io_image_make(&source->shape, p->into);
    for (int i = 0; i < 6; i++) {
        swathe_rect rect;
        rect.x = io_random(random) % want->width;
        rect.y = io_random(random) % want->height;
        rect.width = 1 + io_random(random) % (want->width - rect.x);
        rect.height = 1 + io_random(random) % (want->height - rect.y);
        swathe_image into, expected;
        if (view_crop(&part.view, &rect, &into) != SWATHE_OK ||
            view_crop(want, &rect, &expected) != SWATHE_OK)
            continue;
        bool read = source->read(source->user, &into) == SWATHE_OK;
        if (check(p, read, "part not read", fail_text()))
            check(p, io_equal(&expected, &into, io_tolerance(p->codec), text, sizeof text),
                  "part differs", text);
    }
    io_image_free(&part);
}

static void check_read(const struct problem *p, enum io_way way, const char *path,
                       const swathe_image *want, uint64_t *random)
{
    char text[128];
    swathe_source *source;
    struct io_image got;
    swathe_status status = io_open(way, path, NULL, &source);
    if (!check(p, status == SWATHE_OK, io_way_name(way), fail_text()))
        return;
    check(p, strcmp(source->format, p->codec->name) == 0, "taken for", source->format);
    status = io_read_source(source, p->into, p->read_rows, &got);
    if (check(p, status == SWATHE_OK, "not read", fail_text())) {
        check(p, io_equal(want, &got.view, io_tolerance(p->codec), text, sizeof text), "differs",
              text);
        io_image_free(&got);
        if (!(source->flags & SWATHE_FORWARD))
            check_parts(p, source, want, random);
    }
    file_close(source);
}

static void round_trip(const struct problem *p, uint64_t *random)
{
    struct io_image image = io_image_make(&p->shape, p->from);
    if (io_tolerance(p->codec) > 0)
        io_fill_smooth(&image.view, io_random(random));
    else
        io_fill_noise(&image.view, io_random(random));
    swathe_write_options options = io_faithful(p->codec);
    options.unsynced = 1; /* thousands of syncs would take too long */
    const char *path = io_path("image");
    swathe_status status = io_write(path, &image.view, NULL, &options, p->write_rows);
    if (check(p, status == SWATHE_OK, "not written", fail_text()))
        for (int way = IO_PATH; way < IO_WAYS; way++)
            check_read(p, (enum io_way)way, path, &image.view, random);
    io_image_free(&image);
    trips++;
}

/* The message names the format, and a way out. */
static void check_refusal(const struct problem *p)
{
    swathe_sink *sink = NULL;
    swathe_write_options options = io_faithful(p->codec);
    swathe_status status =
        file_create(&memory_default, 1 << 28, io_path("refused"), &p->shape, NULL, &options, &sink);
    check(p, status == SWATHE_ERROR_UNSUPPORTED, "not refused", fail_text());
    check(p, strstr(fail_text(), p->codec->name) && strstr(fail_text(), "; write "),
          "no way out in", fail_text());
    if (status == SWATHE_OK)
        file_discard(sink);
    refusals++;
}

static void check_shape(const struct codec *codec, const swathe_shape *shape, uint64_t *random)
{
    static const int64_t strips[] = {1, 3, 0, 16};
    struct problem p = {codec, *shape, IO_DENSE, IO_DENSE, 0, 0};
    if (!codec_holds(codec, shape)) {
        check_refusal(&p);
        return;
    }
    for (int i = 0; i < IO_STRIDES_COUNT; i++) {
        p.from = (enum io_strides)i;
        p.into = (enum io_strides)((i * 2 + 1) % IO_STRIDES_COUNT);
        p.write_rows = strips[io_random(random) % 4];
        p.read_rows = strips[io_random(random) % 4];
        round_trip(&p, random);
    }
}

static void check_codec(const struct codec *codec, uint64_t *random)
{
    for (int type = 0; sample_entry_at(type); type++)
        for (int32_t channels = 1; channels <= CHANNELS_MOST; channels++)
            for (int i = 0; i < SIZES; i++) {
                swathe_shape shape = io_shape(sizes[i].width, sizes[i].height, channels,
                                              sample_entry_at(type)->type);
                check_shape(codec, &shape, random);
            }
}

static int answer(void)
{
    int status = io_finish("io_round_trip");
    if (!caught)
        return status;
    printf("planted bug in %s: %d failures, %d of them elsewhere\n", caught, io_failures(),
           others_failed);
    return io_failures() > 0 && others_failed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    uint64_t random = 1;
    caught = argc == 3 && strcmp(argv[1], "--caught") == 0 ? argv[2] : NULL;
    for (int i = 0; codec_at(i); i++)
        if (codec_at(i)->built)
            check_codec(codec_at(i), &random);
        else
            printf("skipped: %s is not built in\n", codec_at(i)->name);
    io_folder_remove();
    printf("%d round trips, %d refusals\n", trips, refusals);
    return answer();
}
