/* TIFF parts prepared by several threads in any order give the same bytes as one thread. Parts read
 * by several threads at once give the same samples as one thread. `--caught tiles` inverts the
 * result for a build with a planted bug: it succeeds if checks failed, and only those of tiles.
 * That option and `--quick` test one sample type only. */
#include "io_check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 331, HEIGHT = 117, THREADS_MAX = 16 };

static const char *const compressions[] = {"none", "lzw", "deflate", "deflate:1", "zstd"};
enum { COMPRESSIONS = sizeof compressions / sizeof *compressions };

struct form {
    swathe_type type;
    int32_t channels;
    swathe_color color;
    const char *compression;
    int64_t tile;
};

static const char *form_text(const struct form *f)
{
    static char text[128];
    snprintf(text, sizeof text, "%s x %d, %s, tile %d", sample_entry(f->type)->name, f->channels,
             f->compression, (int)f->tile);
    return text;
}

static swathe_status create(const struct form *f, const char *path, swathe_sink **sink)
{
    swathe_shape shape = io_shape(WIDTH, HEIGHT, f->channels, f->type);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    shape.color = f->color;
    options.overwrite = 1;
    options.compression = f->compression;
    options.tile = f->tile;
    options.unsynced = 1;
    return file_create(&memory_default, 1 << 28, path, &shape, NULL, &options, sink);
}

/* ---- One thread ----------------------------------------------------------------------------- */

static swathe_status write_rows(const struct form *f, const char *path, const swathe_image *image)
{
    swathe_sink *sink;
    int64_t step = f->tile ? f->tile : 7;
    TRY(create(f, path, &sink));
    swathe_status status = SWATHE_OK;
    for (int64_t y = 0; status == SWATHE_OK && y < HEIGHT; y += step) {
        swathe_image part;
        swathe_rect rect = {0, y, WIDTH, y + step > HEIGHT ? HEIGHT - y : step};
        status = view_crop(image, &rect, &part);
        if (status == SWATHE_OK)
            status = sink->write(sink->user, &part);
    }
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    return status;
}

/* ---- Several threads ------------------------------------------------------------------------ */

struct crew {
    swathe_sink *sink;
    const swathe_image *image;
    int64_t width, height, across, count; /* size of a part; number of parts */
    atomic_llong next;
    pthread_mutex_t mutex;
    pthread_cond_t turned;
    int64_t turn;
    swathe_status status;
};

static swathe_status prepare(const struct crew *crew, int64_t index, void **prepared)
{
    swathe_image part;
    swathe_rect rect = {index % crew->across * crew->width, index / crew->across * crew->height,
                        crew->width, crew->height};
    if (rect.x + rect.width > WIDTH)
        rect.width = WIDTH - rect.x;
    if (rect.y + rect.height > HEIGHT)
        rect.height = HEIGHT - rect.y;
    TRY(view_crop(crew->image, &rect, &part));
    return crew->sink->parts->prepare(crew->sink->user, &part, 0, prepared);
}

static void deliver(struct crew *crew, int64_t index, swathe_status status, void *prepared)
{
    pthread_mutex_lock(&crew->mutex);
    while (crew->turn != index)
        pthread_cond_wait(&crew->turned, &crew->mutex);
    if (status == SWATHE_OK)
        status = crew->sink->parts->deliver(crew->sink->user, prepared, crew->status == SWATHE_OK);
    if (status != SWATHE_OK)
        crew->status = status;
    crew->turn++;
    pthread_cond_broadcast(&crew->turned);
    pthread_mutex_unlock(&crew->mutex);
}

/* Pairs of parts are prepared in the wrong order, so that the order of delivery is tested. */
static void *write_parts(void *user)
{
    struct crew *crew = user;
    int64_t first;
    while ((first = atomic_fetch_add(&crew->next, 2)) < crew->count) {
        void *prepared[2] = {NULL, NULL};
        swathe_status status[2] = {SWATHE_OK, SWATHE_OK};
        int64_t pair = first + 1 < crew->count ? 2 : 1;
        for (int64_t i = pair - 1; i >= 0; i--)
            status[i] = prepare(crew, first + i, &prepared[i]);
        for (int64_t i = 0; i < pair; i++)
            deliver(crew, first + i, status[i], prepared[i]);
    }
    return NULL;
}

static void start_all(int threads, void *(*work)(void *), void *user)
{
    pthread_t handles[THREADS_MAX];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&handles[i], NULL, work, user) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
}

static swathe_status write_crew(const struct form *f, const char *path, const swathe_image *image,
                                int threads)
{
    struct crew crew = {.image = image};
    TRY(create(f, path, &crew.sink));
    crew.width = f->tile ? f->tile : WIDTH;
    crew.height = crew.sink->tile_height * (f->tile ? 1 : 1 + threads % 2);
    crew.across = (WIDTH + crew.width - 1) / crew.width;
    crew.count = crew.across * ((HEIGHT + crew.height - 1) / crew.height);
    pthread_mutex_init(&crew.mutex, NULL);
    pthread_cond_init(&crew.turned, NULL);
    start_all(threads, write_parts, &crew);
    pthread_cond_destroy(&crew.turned);
    pthread_mutex_destroy(&crew.mutex);
    if (crew.status == SWATHE_OK)
        crew.status = file_commit(crew.sink);
    file_discard(crew.sink);
    return crew.status;
}

/* ---- Comparing ------------------------------------------------------------------------------ */

/* ---- Reading -------------------------------------------------------------------------------- */

enum { PARTS = 10, READERS = 5 };

struct readers {
    const swathe_source *source;
    const swathe_image *want;
    const char *text;
    atomic_int turn;       /* numbers the threads */
    pthread_mutex_t mutex; /* protects the count of checks */
};

/* Whole rows of blocks, single rows, or any rectangle. */
static swathe_rect draw_part(const swathe_source *source, uint64_t *random)
{
    swathe_rect rect = {0, 0, WIDTH, HEIGHT};
    int64_t tile = source->tile_height, kind = io_random(random) % 3;
    rect.y = io_random(random) % HEIGHT;
    rect.height = 1 + io_random(random) % (HEIGHT - rect.y);
    if (kind == 0) {
        rect.y -= rect.y % tile;
        rect.height = rect.y + 2 * tile > HEIGHT ? HEIGHT - rect.y : 2 * tile;
    } else if (kind == 1) {
        rect.x = io_random(random) % WIDTH;
        rect.width = 1 + io_random(random) % (WIDTH - rect.x);
        rect.height = rect.height > 9 ? 9 : rect.height;
    }
    return rect;
}

/* Memory of exactly the part's size, with rows next to each other. */
static void read_part(struct readers *readers, uint64_t *random)
{
    char text[128] = "";
    swathe_image expected;
    swathe_rect rect = draw_part(readers->source, random);
    swathe_shape shape = readers->source->shape;
    shape.width = rect.width;
    shape.height = rect.height;
    struct io_image room = io_image_make(&shape, io_random(random) % 3 ? IO_DENSE : IO_PADDED);
    room.view.x = rect.x;
    room.view.y = rect.y;
    room.view.full_width = WIDTH;
    room.view.full_height = HEIGHT;
    bool held = view_crop(readers->want, &rect, &expected) == SWATHE_OK &&
                readers->source->read(readers->source->user, &room.view) == SWATHE_OK;
    bool equal = held && io_equal(&expected, &room.view, 0, text, sizeof text);
    pthread_mutex_lock(&readers->mutex);
    io_check(equal, "%s: part %dx%d+%d+%d: %s%s", readers->text, (int)rect.width, (int)rect.height,
             (int)rect.x, (int)rect.y, held ? "" : fail_text(), text);
    pthread_mutex_unlock(&readers->mutex);
    io_image_free(&room);
}

static void *read_parts(void *user)
{
    struct readers *readers = user;
    uint64_t random = 1 + (uint64_t)atomic_fetch_add(&readers->turn, 1);
    for (int i = 0; i < PARTS; i++)
        read_part(readers, &random);
    return NULL;
}

static int tight; /* files that were read by several threads with little memory */

/* With space for few blocks, threads wait for each other and for space. */
static void check_reading(const struct form *f, const char *path, const swathe_image *image)
{
    static const int64_t memory[] = {0, 1 << 19};
    for (int i = 0; i < 2; i++) {
        swathe_source *source;
        swathe_read_options options = SWATHE_INIT(swathe_read_options);
        options.max_memory = memory[i];
        swathe_status status = file_open(&memory_default, 1 << 28, path, &options, &source);
        if (status == SWATHE_ERROR_LIMIT && memory[i])
            continue;
        if (!io_check(status == SWATHE_OK, "%s: %s", form_text(f), fail_text()))
            continue;
        struct readers readers = {.source = source, .want = image, .text = form_text(f)};
        io_check((source->flags & SWATHE_CONCURRENT) || memory[i], "%s: not concurrent",
                 form_text(f));
        pthread_mutex_init(&readers.mutex, NULL);
        if (source->flags & SWATHE_CONCURRENT) {
            start_all(READERS, read_parts, &readers);
            tight += memory[i] != 0;
        }
        pthread_mutex_destroy(&readers.mutex);
        file_close(source);
    }
}

static void check_form(const struct form *f)
{
    static const int threads[] = {1, 2, 5, 16};
    swathe_shape shape = io_shape(WIDTH, HEIGHT, f->channels, f->type);
    struct io_image image = io_image_make(&shape, IO_PADDED);
    char one[256];
    snprintf(one, sizeof one, "%s", io_path("one.tif"));
    if (f->channels == 3)
        io_fill_smooth(&image.view, 5);
    else
        io_fill_noise(&image.view, 5);
    swathe_status status = write_rows(f, one, &image.view);
    io_check(status == SWATHE_OK, "%s: %s", form_text(f), fail_text());
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        status = write_crew(f, io_path("crew.tif"), &image.view, threads[i]);
        io_check(status == SWATHE_OK, "%s, %d threads: %s", form_text(f), threads[i], fail_text());
        io_check(io_same_files(one, io_path("crew.tif")),
                 "%s, %d threads: other bytes than with one", form_text(f), threads[i]);
    }
    check_reading(f, one, &image.view);
    io_image_free(&image);
}

static int answer(const char *caught, int strips_failed)
{
    int status = io_finish("tiff_parallel");
    if (!caught)
        return status;
    printf("planted bug in %s: %d failures, %d of them elsewhere\n", caught, io_failures(),
           strips_failed);
    return io_failures() > 0 && strips_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void check_type(swathe_type type, int64_t tile)
{
    static const int32_t channels[] = {3, 16};
    for (int c = 0; c < COMPRESSIONS; c++)
        for (int n = 0; n < 2; n++) {
            struct form f = {.type = type,
                             .channels = channels[n],
                             .compression = compressions[c],
                             .tile = tile};
            f.color = f.channels == 3 && c % 2 ? SWATHE_COLOR_LAB : SWATHE_COLOR_UNKNOWN;
            check_form(&f);
        }
}

int main(int argc, char **argv)
{
    static const int64_t tiles[] = {0, 96, 16};
    bool quick = argc > 1; /* under a sanitizer, or to find a planted bug */
    int strips_failed = 0;
    for (int t = 0; t < (quick ? 2 : 3); t++) {
        for (int type = 0; sample_entry_at(type) && (type == 0 || !quick); type++)
            if (tiles[t] != 16 || sample_size(sample_entry_at(type)->type) < 4)
                check_type(sample_entry_at(type)->type, tiles[t]);
        strips_failed += tiles[t] == 0 ? io_failures() : 0;
    }
    io_check(tight > 0, "no file was read with little memory");
    io_folder_remove();
    return answer(argc == 3 && strcmp(argv[1], "--caught") == 0 ? argv[2] : NULL, strips_failed);
}
