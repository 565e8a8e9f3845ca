/* A tiled BigTIFF that is too large for memory is written, filtered and checked.
 *   large make WIDTH HEIGHT FILE          writes the image
 *   large check WIDTH HEIGHT CHAIN FILE   compares samples of the result with the library in memory
 *   large rate WIDTH HEIGHT CHAIN         measures the speed of the filters alone
 *   large limit MIB COMMAND…              runs a command; fails if its peak RSS exceeds MIB */
#define _DEFAULT_SOURCE /* wait4 */
#include "../core/shorthand.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int complain(const char *what)
{
    fprintf(stderr, "large: %s: %s\n", what, swathe_error_text());
    return 1;
}

/* Smooth waves with a little noise: they compress, and every neighbourhood differs. */
static uint8_t pixel(int64_t x, int64_t y)
{
    uint64_t noise =
        (uint64_t)(x / 3) * 0x9e3779b97f4a7c15u ^ (uint64_t)(y / 5) * 0xc2b2ae3d27d4eb4fu;
    return (uint8_t)(128 + ((x >> 5 ^ y >> 6) & 63) - (int64_t)(noise >> 59));
}

static void fill(const swathe_image *part)
{
    for (int64_t y = 0; y < part->height; y++)
        for (int64_t x = 0; x < part->width; x++)
            ((uint8_t *)part->data)[y * part->row_stride + x] = pixel(part->x + x, part->y + y);
}

static swathe_image part_view(const swathe_shape *shape, swathe_rect rect, void *data)
{
    swathe_image view = SWATHE_INIT(swathe_image);
    view.data = data;
    view.width = view.row_stride = rect.width;
    view.height = rect.height;
    view.x = rect.x;
    view.y = rect.y;
    view.full_width = shape->width;
    view.full_height = shape->height;
    view.pixel_stride = view.channel_stride = 1;
    view.channels = 1;
    view.type = SWATHE_U8;
    return view;
}

static swathe_shape grey(int64_t width, int64_t height)
{
    swathe_shape shape = {0};
    shape.width = width;
    shape.height = height;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    shape.color = SWATHE_COLOR_GREY;
    return shape;
}

static swathe_status read_pixels(void *user, const swathe_image *into)
{
    (void)user;
    fill(into);
    return SWATHE_OK;
}

static int make_plan(swathe_context *context, const swathe_shape *shape, const char *text,
                     swathe_plan **plan)
{
    swathe_chain *chain = NULL;
    swathe_status status = swathe_chain_parse(context, text, &chain);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, shape, NULL, plan);
    swathe_chain_destroy(chain);
    return status == SWATHE_OK ? 0 : complain(text);
}

static int make(swathe_context *context, const swathe_shape *shape, const char *path)
{
    swathe_write_options o = SWATHE_INIT(swathe_write_options);
    swathe_sink *sink = NULL;
    swathe_plan *plan = NULL;
    o.tile = 256;
    o.overwrite = 1;
    o.compression = "zstd";
    if (make_plan(context, shape, "identity", &plan) != 0)
        return 1;
    /* Any thread can read any part of the image. */
    swathe_source *source = wrapped_source(context, shape, SWATHE_CONCURRENT, read_pixels, NULL);
    swathe_status status = swathe_file_create(context, path, shape, NULL, &o, &sink);
    if (status == SWATHE_OK)
        status = swathe_run_stream(context, plan, source, sink, NULL);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink);
    swathe_sink_destroy(sink);
    swathe_source_destroy(source);
    swathe_plan_destroy(plan);
    return status == SWATHE_OK ? 0 : complain(path);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Pixels per second of the filters alone, on an in-memory strip of the image's width. */
static int rate(swathe_context *context, const swathe_shape *shape, const char *chain)
{
    enum { ROWS = 1024, ROUNDS = 5 };
    swathe_shape part = grey(shape->width, ROWS);
    swathe_plan *plan = NULL;
    size_t bytes = (size_t)(part.width * part.height);
    uint8_t *from_data = malloc(bytes), *to_data = malloc(bytes);
    swathe_image from = part_view(&part, (swathe_rect){0, 0, part.width, ROWS}, from_data);
    swathe_image to = part_view(&part, (swathe_rect){0, 0, part.width, ROWS}, to_data);
    fill(&from);
    int bad = make_plan(context, &part, chain, &plan);
    double best = 1e9;
    for (int i = 0; i < ROUNDS && !bad; i++) {
        double start = now();
        if (swathe_run(context, plan, &from, &to, NULL) != SWATHE_OK)
            bad = complain(chain);
        best = now() - start < best ? now() - start : best;
    }
    if (!bad)
        printf("%.0f megapixels a second in memory\n", (double)bytes / best / 1e6);
    swathe_plan_destroy(plan);
    free(to_data);
    free(from_data);
    return bad;
}

/* Compares one tile of the file with a run over that tile in memory. */
static int check_part(swathe_context *context, const swathe_plan *plan, swathe_source *result,
                      const swathe_shape *shape, swathe_rect rect)
{
    swathe_rect need;
    if (swathe_plan_input(plan, &rect, &need) != SWATHE_OK)
        return complain("plan");
    uint8_t *source = malloc((size_t)(need.width * need.height));
    uint8_t *expected = malloc((size_t)(rect.width * rect.height));
    uint8_t *found = malloc((size_t)(rect.width * rect.height));
    swathe_image from = part_view(shape, need, source), to = part_view(shape, rect, expected);
    swathe_image got = part_view(shape, rect, found);
    fill(&from);
    int bad = 0;
    if (swathe_run(context, plan, &from, &to, NULL) != SWATHE_OK ||
        swathe_source_read(result, &got) != SWATHE_OK)
        bad = complain("run");
    else if (memcmp(expected, found, (size_t)(rect.width * rect.height)) != 0) {
        fprintf(stderr,
                "large: the result differs in %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64 "\n",
                rect.width, rect.height, rect.x, rect.y);
        bad = 1;
    }
    free(found);
    free(expected);
    free(source);
    return bad;
}

static int check(swathe_context *context, const swathe_shape *shape, const char *chain_text,
                 const char *path)
{
    enum { PARTS = 60, SIDE = 300 };
    swathe_plan *plan = NULL;
    swathe_source *result = NULL;
    if (make_plan(context, shape, chain_text, &plan) != 0 ||
        swathe_file_open(context, path, NULL, &result) != SWATHE_OK)
        return complain(path);
    int bad = 0;
    for (int i = 0; i < PARTS && !bad; i++) {
        /* The corners first, then random positions. */
        int64_t span_x = shape->width - SIDE, span_y = shape->height - SIDE;
        int64_t x = i < 4 ? (i & 1) * span_x : (int64_t)(drand48() * (double)span_x);
        int64_t y = i < 4 ? (i >> 1) * span_y : (int64_t)(drand48() * (double)span_y);
        bad = check_part(context, plan, result, shape, (swathe_rect){x, y, SIDE, SIDE});
    }
    if (!bad)
        printf("%d parts of %" PRId64 " x %" PRId64 " agree\n", PARTS, shape->width, shape->height);
    swathe_source_destroy(result);
    swathe_plan_destroy(plan);
    return bad;
}

static int limit(long mib, char **command)
{
    double start = now();
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return perror("large"), 1;
    printf("peak RSS %ld MiB (limit %ld), %.1f s\n", usage.ru_maxrss / 1024, mib, now() - start);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fprintf(stderr, "large: the command failed\n"), 1;
    return usage.ru_maxrss / 1024 > mib;
}

int main(int argc, char **argv)
{
    swathe_context *context = NULL;
    if (argc > 3 && strcmp(argv[1], "limit") == 0)
        return limit(atol(argv[2]), argv + 3);
    if (argc < 5 || swathe_context_create(NULL, &context) != SWATHE_OK)
        return fprintf(stderr, "usage: large make|check|limit …\n"), 2;
    swathe_shape shape = grey(atoll(argv[2]), atoll(argv[3]));
    int bad = 2;
    if (strcmp(argv[1], "make") == 0)
        bad = make(context, &shape, argv[4]);
    else if (strcmp(argv[1], "rate") == 0)
        bad = rate(context, &shape, argv[4]);
    else if (argc > 5 && strcmp(argv[1], "check") == 0)
        bad = check(context, &shape, argv[4], argv[5]);
    swathe_context_destroy(context);
    return bad;
}
