/* The caller of a long call is asked whether to go on: how long does it wait at most? In every case
 * a callback notes the largest time between two questions, while planning and while running, and
 * how much of the run was said to be done when. A second run is cancelled at a random moment.
 * Rows are computed in pieces for this: single pixels, computed on their own, must equal those of
 * the run, and nothing may be written behind the image.
 *   answers [-l SECONDS] [CASE]...     SECONDS: the limit; CASE: a number */
#include "swathe/swathe.h"

#include "base/os_clock.h"
#include "image/sample.h"
#include "image/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A filter by its text, or a mask of random taps. */
struct a_case {
    const char *chain;
    int32_t side;
    swathe_type type;
    int32_t width, height, channels;
    const char *algorithm, *isa;
};

static const struct a_case cases[] = {
    {"", 401, SWATHE_F32, 601, 300, 1, "direct", NULL},
    {"", 801, SWATHE_U8, 523, 120, 1, "direct", NULL},
    {"", 301, SWATHE_U16, 520, 520, 1, "direct", NULL},
    {"", 151, SWATHE_U16, 520, 520, 1, "direct", "scalar"},
    {"", 731, SWATHE_F64, 333, 100, 1, "direct", NULL},
    {"", 401, SWATHE_F32, 4000, 3000, 1, "fourier", NULL},
    {"", 801, SWATHE_F64, 4000, 2000, 1, "fourier", NULL},
    {"", 801, SWATHE_U16, 3000, 1500, 3, "fourier", NULL},
    {"", 401, SWATHE_U32, 900, 900, 1, NULL, NULL},
    {"", 1501, SWATHE_F32, 2000, 2000, 1, NULL, NULL},
    {"", 1501, SWATHE_U8, 2000, 2000, 1, NULL, NULL},
    {"", 31, SWATHE_F32, 300, 300, 1, "reference", NULL},
    {"gaussian:sigma=20", 0, SWATHE_U8, 200, 200, 3, "reference", NULL},
    {"unsharp:sigma=50", 0, SWATHE_U8, 6000, 4000, 3, NULL, NULL},
    {"unsharp:sigma=50", 0, SWATHE_U8, 3000, 2000, 4, NULL, NULL},
    {"gaussian:sigma=200,gaussian:sigma=200", 0, SWATHE_U16, 1500, 1000, 1, NULL, NULL},
    {"gaussian:sigma=500", 0, SWATHE_F32, 20000, 500, 3, NULL, NULL},
    {"disk:200,disk:200,sharpen", 0, SWATHE_U16, 1500, 1000, 1, NULL, NULL},
    {"disk:100:dilate=3", 0, SWATHE_U8, 1500, 1000, 1, NULL, NULL},
    {"motion:900:angle=30", 0, SWATHE_F32, 4000, 2000, 3, NULL, NULL},
    {"gradient,gaussian:31:dense", 0, SWATHE_U8, 4000, 3000, 3, "direct", "sse4.1"},
    {"box:301:border=wrap", 0, SWATHE_U32, 3000, 2000, 3, NULL, NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

/* What the callbacks have seen. */
struct notes {
    double start, last, gap; /* s */
    double stop_at, stopped; /* s; after how many, and when */
    /* When a tenth was done: in CPU time, which other programs do not prolong, and how much it was.
     */
    double cpu, early, share;
};

static int32_t note(struct notes *notes)
{
    double now = clock_now();
    notes->gap = fmax(notes->gap, now - notes->last);
    notes->last = now;
    if (notes->stop_at <= 0.0 || now - notes->start < notes->stop_at)
        return 0;
    if (notes->stopped == 0.0)
        notes->stopped = now;
    return 1;
}

static int32_t asked(void *user)
{
    return note(user);
}

/* Seconds of CPU time of all threads. */
static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int32_t told(void *user, int64_t done, int64_t total)
{
    struct notes *notes = user;
    double share = (double)done / (double)total;
    if (notes->early == 0.0 && share >= 0.1) {
        notes->early = cpu_now() - notes->cpu;
        notes->share = share;
    }
    return note(notes);
}

static void begin(struct notes *notes, double stop_at)
{
    *notes = (struct notes){.stop_at = stop_at};
    notes->start = notes->last = clock_now();
    notes->cpu = cpu_now();
}

/* Returns the seconds of the call. */
static double end(struct notes *notes)
{
    double now = clock_now();
    notes->gap = fmax(notes->gap, now - notes->last);
    return now - notes->start;
}

static void must(swathe_status status)
{
    if (status == SWATHE_OK)
        return;
    fprintf(stderr, "answers: %s\n", swathe_error_text());
    exit(1);
}

static uint32_t state = 1;

static double draw(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) * 0x1p-24;
}

static swathe_chain *make_chain(swathe_context *context, const struct a_case *at)
{
    swathe_chain *chain;
    must(swathe_chain_parse(context, at->chain, &chain));
    if (at->side == 0)
        return chain;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    int64_t count = (int64_t)at->side * at->side;
    double *taps = malloc((size_t)count * sizeof *taps);
    for (int64_t i = 0; taps && i < count; i++)
        taps[i] = (draw() - 0.4) / (double)count;
    mask.width = mask.height = at->side;
    mask.taps = taps;
    must(swathe_chain_append_mask(context, chain, &mask, 1, NULL));
    free(taps);
    return chain;
}

/* One thread's clock may be late on a busy machine, so that a second try decides. */
static double limit = 0.2;
static int failures;

static void judge(int number, const char *what, double seconds, double most)
{
    if (seconds <= most)
        return;
    printf("case %d: %s: %.3f s, limit %.3f s\n", number, what, seconds, most);
    failures++;
}

struct made {
    swathe_context *context;
    swathe_chain *chain;
    swathe_plan *plan;
    swathe_image from, to;
    void *pixels[2];
};

enum { BEHIND = 4096 };

static size_t bytes_of(const swathe_shape *shape)
{
    int64_t bytes;
    must(shape_bytes(shape, &bytes));
    return (size_t)bytes;
}

/* Integers get random bytes. */
static void fill(uint8_t *pixels, swathe_type type, size_t bytes)
{
    bool real = sample_is_float(type);
    size_t size = real ? (size_t)sample_size(type) : 1;
    for (size_t i = 0; i < bytes; i += size)
        sample_store(pixels + i, real ? type : SWATHE_U8, real ? draw() : floor(draw() * 256.0));
}

static void make_images(struct made *made)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    must(swathe_plan_get(made->plan, &info));
    swathe_shape shapes[] = {info.source, info.result};
    swathe_image *views[] = {&made->from, &made->to};
    for (int i = 0; i < 2; i++) {
        size_t bytes = bytes_of(&shapes[i]);
        made->pixels[i] = malloc(bytes + BEHIND);
        must(swathe_image_init(&shapes[i], SWATHE_INTERLEAVED, made->pixels[i], views[i]));
        memset((uint8_t *)made->pixels[i] + bytes, 0xa5, BEHIND);
    }
    fill(made->pixels[0], info.source.type, bytes_of(&shapes[0]));
}

/* Compares pixels of the run, some of them at the ends of rows, with themselves on their own. */
static void compare_pixels(int number, const struct made *made)
{
    enum { PIXELS = 8, BYTES = 64 };
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    must(swathe_plan_get(made->plan, &info));
    const uint8_t *result = made->pixels[1];
    size_t all = bytes_of(&info.result);
    size_t pixel = all / (size_t)(info.result.width * info.result.height);
    for (int i = 0; i < PIXELS; i++) {
        uint8_t own[BYTES];
        swathe_image one = made->to;
        int64_t x = (int64_t)(draw() * (double)info.result.width);
        one.x = i < 2 ? info.result.width - 1 : i < 4 ? 0 : x;
        one.y = (int64_t)(draw() * (double)info.result.height);
        one.width = one.height = 1;
        one.data = own;
        must(swathe_run(made->context, made->plan, &made->from, &one, NULL));
        if (memcmp(own, result + (size_t)(one.y * info.result.width + one.x) * pixel, pixel) != 0) {
            printf("case %d: pixel %" PRId64 ",%" PRId64 " differs\n", number, one.x, one.y);
            failures++;
        }
    }
    for (int i = 0; i < BEHIND; i++)
        if (result[all + (size_t)i] != 0xa5) {
            printf("case %d: byte %d behind the image was written\n", number, i);
            failures++;
            return;
        }
}

static double plan_case(int number, const struct a_case *at, struct made *made, double stop_at)
{
    struct notes notes;
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = {0};
    shape.width = at->width;
    shape.height = at->height;
    shape.channels = at->channels;
    shape.type = at->type;
    options.algorithm = at->algorithm;
    options.isa = at->isa;
    options.cancelled = asked;
    options.cancel_user = &notes;
    options.max_memory = (int64_t)4 << 30;
    begin(&notes, stop_at);
    swathe_status status =
        swathe_plan_create(made->context, made->chain, &shape, &options, &made->plan);
    double seconds = end(&notes);
    if (stop_at == 0.0 || notes.stopped == 0.0) {
        must(status);
        judge(number, "planning: without a question", notes.gap, limit);
        return seconds;
    }
    if (status != SWATHE_ERROR_CANCELLED)
        judge(number, "planning: not cancelled", 1.0, 0.0);
    judge(number, "planning: after a cancel", clock_now() - notes.stopped, limit);
    return 0.0;
}

static double run_case(int number, struct made *made, double stop_at)
{
    struct notes notes;
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    options.progress = told;
    options.progress_user = &notes;
    begin(&notes, stop_at);
    swathe_status status = swathe_run(made->context, made->plan, &made->from, &made->to, &options);
    double seconds = end(&notes);
    if (stop_at == 0.0 || notes.stopped == 0.0) {
        must(status);
        judge(number, "run: without a question", notes.gap, limit);
        double predicted = notes.early / notes.share, cpu = cpu_now() - notes.cpu;
        printf("case %2d: run %.2f s, gap %.3f s, at %.0f %% it predicted %.2f of %.2f s of CPU\n",
               number, seconds, notes.gap, 100.0 * notes.share, predicted, cpu);
        if (seconds > 1.0)
            judge(number, "estimate: factor", fmax(predicted / cpu, cpu / predicted), 10.0 * limit);
        return seconds;
    }
    if (status != SWATHE_ERROR_CANCELLED)
        judge(number, "run: not cancelled", 1.0, 0.0);
    judge(number, "run: after a cancel", clock_now() - notes.stopped, limit);
    return 0.0;
}

static void check_case(int number)
{
    const struct a_case *at = &cases[number];
    struct made made = {0};
    swathe_plan *cancelled = NULL;
    made.from = made.to = SWATHE_INIT(swathe_image);
    must(swathe_context_create(NULL, &made.context));
    made.chain = make_chain(made.context, at);
    double seconds = plan_case(number, at, &made, 0.0);
    printf("case %2d: plan %.2f s\n", number, seconds);
    swathe_plan *plan = made.plan;
    made.plan = NULL;
    if (seconds > 0.1)
        plan_case(number, at, &made, draw() * seconds);
    cancelled = made.plan;
    made.plan = plan;
    make_images(&made);
    seconds = run_case(number, &made, 0.0);
    compare_pixels(number, &made);
    run_case(number, &made, draw() * seconds);
    for (int i = 0; i < 2; i++)
        free(made.pixels[i]);
    swathe_plan_destroy(cancelled);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(made.chain);
    swathe_context_destroy(made.context);
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "-l") == 0) {
        limit = atof(argv[2]);
        first = 3;
    }
    for (int i = first; i < argc; i++)
        if (atoi(argv[i]) >= 0 && atoi(argv[i]) < CASES)
            check_case(atoi(argv[i]));
    for (int i = 0; argc == first && i < CASES; i++)
        check_case(i);
    printf("%d failed\n", failures);
    return failures > 0;
}
