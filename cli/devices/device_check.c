#include "devices/device_check.h"

#include "devices/device_problem.h"
#include "rng.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most programs that are compiled. */
enum { FRAMES_MOST = 140, FAILURES_MOST = 5, STRATEGIES_MOST = 32 };

enum outcome { EQUAL, DIFFERENT, REFUSED, NO_SUCH_PROBLEM };

struct tally {
    char name[32];
    int64_t equal, different, refused;
};

struct report {
    struct tally rows[STRATEGIES_MOST], kinds[DEVICE_PROBLEM_KINDS];
    int count;
    int64_t failures;
};

/* An image that owns its memory. */
struct picture {
    swathe_image view;
    int64_t bytes;
};

static swathe_status make_picture(const swathe_shape *shape, bool planar, struct picture *picture)
{
    swathe_status status = swathe_shape_bytes(shape, &picture->bytes);
    void *data = status == SWATHE_OK ? calloc(1, (size_t)picture->bytes + 1) : NULL;
    picture->view = SWATHE_INIT(swathe_image);
    if (status == SWATHE_OK && !data)
        return swathe_error_set(SWATHE_ERROR_MEMORY, "no memory for a test image");
    if (status == SWATHE_OK)
        status = swathe_image_init(shape, planar ? SWATHE_PLANAR : SWATHE_INTERLEAVED, data,
                                   &picture->view);
    return status;
}

/* Bytes of a float; 0: the type has integers. */
static size_t float_size(swathe_type type)
{
    return type == SWATHE_F32 ? sizeof(float) : type == SWATHE_F64 ? sizeof(double) : 0;
}

static void draw_float(struct rng *rng, bool special, size_t size, uint8_t *to)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 1e-40f, -1e-45f, 3e38f};
    static const double odd_wide[] = {NAN, INFINITY, -INFINITY, -0.0, 1e-310, -5e-324, 1e308};
    uint64_t bits = rng_next(rng);
    size_t which = bits / 40 % (sizeof odd / sizeof *odd);
    bool chosen = special && bits % 40 == 0;
    float narrow = chosen ? odd[which] : (float)((double)(bits >> 40) / (1 << 23) - 1.0);
    double wide = chosen ? odd_wide[which] : (double)(bits >> 11) * 0x1p-52 - 1.0;
    memcpy(to, size == sizeof narrow ? (const void *)&narrow : &wide, size);
}

static void device_check_fill(const struct device_problem *problem, const swathe_shape *shape,
                              const struct picture *picture)
{
    struct rng rng = {problem->fill};
    bool extreme = rng_next(&rng) % 3 == 0;
    uint8_t *to = picture->view.data;
    size_t size = float_size(shape->type);
    for (int64_t i = 0; size == 0 && i < picture->bytes; i++) {
        uint64_t bits = rng_next(&rng);
        to[i] = (uint8_t)(!extreme ? bits : bits & 1 ? 0xff : 0);
    }
    for (int64_t i = 0; size > 0 && i < picture->bytes; i += (int64_t)size)
        draw_float(&rng, problem->special, size, to + i);
}

static bool is_nan(const uint8_t *at, size_t size)
{
    float narrow = 0;
    double wide = 0;
    memcpy(size == sizeof narrow ? (void *)&narrow : &wide, at, size);
    return size == sizeof narrow ? isnan(narrow) : isnan(wide);
}

/* Compares byte by byte; two NaNs are equal. */
static bool device_check_same(const struct picture *a, const struct picture *b, int64_t *where)
{
    const uint8_t *p = a->view.data, *q = b->view.data;
    size_t size = float_size(a->view.type), step = size > 0 ? size : 1;
    for (int64_t i = 0; i < a->bytes; i += (int64_t)step) {
        if (memcmp(p + i, q + i, step) == 0)
            continue;
        if (size > 0 && is_nan(p + i, size) && is_nan(q + i, size))
            continue;
        *where = i;
        return false;
    }
    return true;
}

static swathe_status device_check_make_plan(const struct device_check *check,
                                            const struct device_problem *problem, bool on_device,
                                            swathe_plan **plan)
{
    static char text[DEVICE_PROBLEM_TEXT + 256];
    if (on_device)
        snprintf(text, sizeof text, "device=%s strategy=%s %s", check->device, problem->strategy,
                 problem->text);
    else
        snprintf(text, sizeof text, "exact=1 %s", problem->text);
    return swathe_plan_parse(check->context, text, plan);
}

static swathe_status device_check_run(const struct device_check *check,
                                      const struct device_problem *problem,
                                      swathe_plan *const plans[2], struct picture pictures[3])
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_status status = swathe_plan_get(plans[0], &info);
    o.threads = problem->threads;
    o.cell_rows = problem->cell_rows;
    for (int i = 0; i < 3 && status == SWATHE_OK; i++)
        status = make_picture(i ? &info.result : &info.source, problem->planar, &pictures[i]);
    if (status == SWATHE_OK)
        device_check_fill(problem, &info.source, &pictures[0]);
    for (int i = 0; i < 2 && status == SWATHE_OK; i++)
        status = swathe_run(check->context, plans[i], &pictures[0].view, &pictures[1 + i].view, &o);
    return status;
}

/* On failure `why` contains the reason. */
static enum outcome try_one(const struct device_check *check, const struct device_problem *problem,
                            char *why, size_t size)
{
    swathe_plan *plans[2] = {0};
    struct picture pictures[3] = {{{0}, 0}};
    enum outcome outcome = EQUAL;
    int64_t where = 0;
    swathe_status status = device_check_make_plan(check, problem, false, &plans[0]);
    if (status != SWATHE_OK)
        outcome = NO_SUCH_PROBLEM; /* an image smaller than a valid mask */
    else if ((status = device_check_make_plan(check, problem, true, &plans[1])) ==
             SWATHE_ERROR_UNSUPPORTED)
        outcome = REFUSED;
    else if (status != SWATHE_OK ||
             (status = device_check_run(check, problem, plans, pictures)) != SWATHE_OK)
        outcome = DIFFERENT;
    if (status != SWATHE_OK) {
        snprintf(why, size, "%s", swathe_error_text());
    } else if (!device_check_same(&pictures[1], &pictures[2], &where)) {
        outcome = DIFFERENT;
        snprintf(why, size, "byte %" PRId64 " of the result differs", where);
    }
    for (int i = 0; i < 3; i++)
        free(pictures[i].view.data);
    for (int i = 0; i < 2; i++)
        swathe_plan_destroy(plans[i]);
    return outcome;
}

static struct tally *tally_of(struct report *report, const char *strategy)
{
    int length = (int)strcspn(strategy, ":");
    for (int i = 0; i < report->count; i++)
        if ((int)strlen(report->rows[i].name) == length &&
            strncmp(report->rows[i].name, strategy, (size_t)length) == 0)
            return &report->rows[i];
    struct tally *row = &report->rows[report->count < STRATEGIES_MOST - 1 ? report->count++ : 0];
    snprintf(row->name, sizeof row->name, "%.*s", length, strategy);
    return row;
}

static void add_outcome(struct tally *tally, enum outcome outcome)
{
    tally->equal += outcome == EQUAL;
    tally->different += outcome == DIFFERENT;
    tally->refused += outcome == REFUSED;
}

static bool count_one(const struct device_check *check, const struct device_problem *problem,
                      struct report *report)
{
    static char why[1024], text[DEVICE_PROBLEM_TEXT + 256];
    enum outcome outcome = try_one(check, problem, why, sizeof why);
    add_outcome(tally_of(report, problem->strategy), outcome);
    add_outcome(&report->kinds[problem->kind], outcome);
    if (outcome == DIFFERENT && report->failures++ < FAILURES_MOST) {
        device_problem_print(problem, text, sizeof text);
        printf("FAILED: %s\n  swathe devices --check --device %s --repeat '%s'\n", why,
               check->device, text);
    }
    return outcome == EQUAL || outcome == DIFFERENT;
}

/* Problems that cannot run, such as those that a strategy does not support, are drawn again, a
 * limited number of times. */
static void draw_all(const struct device_check *check, struct report *report)
{
    static struct device_problem problem;
    int64_t frames = check->problems / 2 + 1;
    frames = frames < FRAMES_MOST ? frames : FRAMES_MOST;
    int64_t done = 0;
    for (int64_t n = 0; done < check->problems && n < 20 * check->problems; n++) {
        device_problem_draw((uint64_t)check->seed, n % frames, n / frames, check->strategy,
                            &problem);
        done += count_one(check, &problem, report);
        if (report->failures >= FAILURES_MOST)
            return;
    }
}

static void print_tally(const char *name, const struct tally *tally)
{
    printf("%-20s%10" PRId64 "%10" PRId64 "%10" PRId64 "\n", name, tally->equal, tally->different,
           tally->refused);
}

static int device_check_print(const struct device_check *check, const struct report *report)
{
    int64_t equal = 0;
    printf("%-20s%10s%10s%10s\n", "strategy", "equal", "different", "refused");
    for (int i = 0; i < report->count; i++) {
        print_tally(report->rows[i].name, &report->rows[i]);
        equal += report->rows[i].equal;
    }
    if (!check->repeat) {
        printf("of these, with\n");
        for (int i = 0; i < DEVICE_PROBLEM_KINDS; i++)
            print_tally(device_problem_kind_name((enum device_problem_kind)i), &report->kinds[i]);
    }
    printf("%" PRId64 " problems equal, %" PRId64 " different, on %s with swathe %s\n", equal,
           report->failures, check->device, swathe_version());
    if (report->failures == 0 && equal == 0)
        return complain(SWATHE_ERROR_UNSUPPORTED, "%s refused all problems, so nothing was checked",
                        check->device);
    return report->failures > 0 ? EXIT_DIFFERENT : 0;
}

/* Stores the outcome for --device auto. */
static int device_check_remember(const struct device_check *check, int code)
{
    swathe_status status = swathe_device_remember(check->context, check->device, code == 0);
    if (status == SWATHE_ERROR_UNSUPPORTED) {
        printf("%s\n", swathe_error_text());
        return code;
    }
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    printf("%s, which --device auto will remember\n", code == 0 ? "it passed" : "it failed");
    return code;
}

/* Creates one small plan first, because with a missing device each of thousands of problems would
 * fail. */
static int find_device(const struct device_check *check)
{
    char text[256];
    swathe_plan *plan = NULL;
    if (strcmp(check->device, "cpu") == 0 || strcmp(check->device, "auto") == 0)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "--check compares a device with the CPU: name one, as in --device gpu or "
                        "--device opencl:0, not '%s'",
                        check->device);
    snprintf(text, sizeof text, "device=%.100s shape=16x16x1:u8 chain={identity}", check->device);
    swathe_status status = swathe_plan_parse(check->context, text, &plan);
    swathe_plan_destroy(plan);
    if (status == SWATHE_ERROR_UNSUPPORTED && strcmp(check->device, "gpu") == 0)
        return complain(status, "there is no GPU to check; 'swathe devices' lists all devices: "
                                "name one that runs in software to check it, as in "
                                "--device opencl:0");
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

int device_check(const struct device_check *check)
{
    static struct report report;
    static struct device_problem problem;
    if (check->repeat && !device_problem_parse(check->repeat, &problem))
        return complain(SWATHE_ERROR_ARGUMENT, "--repeat takes a line that a failed check printed");
    int code = find_device(check);
    if (code != 0)
        return code;
    if (check->repeat)
        count_one(check, &problem, &report);
    else
        draw_all(check, &report);
    code = device_check_print(check, &report);
    /* A check of some strategies, or of one problem, is not stored, because it does not cover
     * enough. */
    return check->repeat || check->strategy || code == SWATHE_ERROR_UNSUPPORTED
               ? code
               : device_check_remember(check, code);
}
