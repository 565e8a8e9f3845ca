/* One plan used by many threads, each with its own images and options; progress, cancelling, a
 * caller's parallel-for and scratch, and plans that a context keeps. Also run under
 * ThreadSanitizer. */
#include "../../cli/rng.h"
#include "base/memory.h"
#include "swathe/swathe.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 203, HEIGHT = 151, BYTES = WIDTH * HEIGHT * 3, CALLERS = 6, ROUNDS = 12 };

static swathe_context *context;
static swathe_plan *plan;
static uint8_t source_bytes[BYTES], expected[BYTES];
static int failed;

static void verdict(int good, const char *what)
{
    if (!good) {
        __atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
        printf("FAILED: %s: %s\n", what, swathe_error_text());
    }
}

static swathe_image view(void *data)
{
    swathe_shape shape = {0};
    swathe_image image = SWATHE_INIT(swathe_image);
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 3;
    shape.type = SWATHE_U8;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, data, &image);
    return image;
}

static void *caller(void *user)
{
    uint8_t *result = malloc(BYTES);
    swathe_image from = view(source_bytes), to = view(result);
    for (int i = 0; i < ROUNDS; i++) {
        swathe_run_options o = SWATHE_INIT(swathe_run_options);
        o.threads = 1 + (i + (int)(intptr_t)user) % 4;
        o.cell_rows = 1 + i * 5;
        memset(result, 0, BYTES);
        verdict(swathe_run(context, plan, &from, &to, &o) == SWATHE_OK, "run");
        verdict(memcmp(result, expected, BYTES) == 0, "all threads compute the same bytes");
    }
    free(result);
    return NULL;
}

static void many_callers(void)
{
    pthread_t threads[CALLERS];
    for (intptr_t i = 0; i < CALLERS; i++)
        pthread_create(&threads[i], NULL, caller, (void *)i);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
}

static int64_t last_done, last_total;

static int32_t count_progress(void *user, int64_t done, int64_t total)
{
    verdict(done >= last_done && done <= total, "progress does not decrease");
    last_done = done;
    last_total = total;
    return user && done * 2 > total; /* a caller that cancels half way */
}

static void progress(void)
{
    uint8_t *result = malloc(BYTES);
    swathe_image from = view(source_bytes), to = view(result);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    o.progress = count_progress;
    o.cell_rows = 7;
    verdict(swathe_run(context, plan, &from, &to, &o) == SWATHE_OK, "run with progress");
    verdict(last_done == last_total && last_total == WIDTH * HEIGHT, "progress ends at the total");
    last_done = 0;
    o.progress_user = &o;
    verdict(swathe_run(context, plan, &from, &to, &o) == SWATHE_ERROR_CANCELLED, "cancel");
    verdict(last_done < last_total, "a cancelled run stops early");
    free(result);
}

static int lent_calls;

static void backwards(void *user, int32_t count, void (*work)(void *, int32_t), void *work_user)
{
    (void)user;
    for (int32_t i = count - 1; i >= 0; i--)
        work(work_user, i);
    lent_calls++;
}

static void lent(void)
{
    swathe_context_options co = SWATHE_INIT(swathe_context_options);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_context *other = NULL;
    uint8_t *result = malloc(BYTES);
    swathe_image from = view(source_bytes), to = view(result);
    co.threads = 4;
    co.parallel_for = backwards;
    swathe_context_create(&co, &other);
    o.cell_rows = 9;
    o.threads = 4; /* however fast this machine is */
    verdict(swathe_run(other, plan, &from, &to, &o) == SWATHE_OK && lent_calls == 1 &&
                memcmp(result, expected, BYTES) == 0,
            "a caller's parallel-for");
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan_get(plan, &info); /* the reported size must suffice */
    void *scratch = memory_default.allocate(NULL, (size_t)(4 * info.scratch_bytes), 64);
    o.scratch = scratch;
    o.scratch_bytes = 4 * info.scratch_bytes;
    memset(result, 0, BYTES);
    verdict(swathe_run(other, plan, &from, &to, &o) == SWATHE_OK &&
                memcmp(result, expected, BYTES) == 0,
            "lent scratch");
    o.scratch_bytes = 64;
    verdict(swathe_run(other, plan, &from, &to, &o) == SWATHE_ERROR_ARGUMENT, "too little scratch");
    swathe_context_destroy(other);
    memory_default.release(NULL, scratch);
    free(result);
}

/* A parallel-for that does not make each call once: none, all but the last, one twice, or one too
 * many. */
static void careless(void *user, int32_t count, void (*work)(void *, int32_t), void *work_user)
{
    int kind = *(int *)user;
    for (int32_t i = kind == 0 ? count : 0; i < (kind == 1 ? count - 1 : count); i++)
        work(work_user, i);
    if (kind >= 2)
        work(work_user, kind == 2 ? 0 : kind == 3 ? count : -1);
}

static void badly_lent(void)
{
    swathe_context_options co = SWATHE_INIT(swathe_context_options);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    uint8_t *result = malloc(BYTES);
    swathe_image from = view(source_bytes), to = view(result);
    o.cell_rows = 9;
    o.threads = 4;
    for (int kind = 0; kind < 5; kind++) {
        swathe_context *other = NULL;
        co.threads = 4;
        co.parallel_for = careless;
        co.parallel_user = &kind;
        swathe_context_create(&co, &other);
        verdict(swathe_run(other, plan, &from, &to, &o) == SWATHE_ERROR_ARGUMENT &&
                    strstr(swathe_error_text(), "parallel_for"),
                "a careless parallel-for");
        swathe_context_destroy(other);
    }
    free(result);
}

/* ---- Plans that a context keeps ---------------------------------------------------------------
 */

static const char *const kept_chains[] = {"sharpen", "box:3", "gaussian:5", "edge", "box:7"};
enum { KEPT = sizeof kept_chains / sizeof *kept_chains };
static uint8_t kept_expected[KEPT][BYTES];

static swathe_context *keeper(int32_t cached_plans)
{
    swathe_context_options co = SWATHE_INIT(swathe_context_options);
    swathe_context *made = NULL;
    co.threads = 2;
    co.cached_plans = cached_plans;
    verdict(swathe_context_create(&co, &made) == SWATHE_OK, "a context");
    return made;
}

static swathe_plan *get_plan(swathe_context *from, int which, swathe_border border)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_image image = view(source_bytes);
    swathe_shape shape = swathe_image_shape(&image);
    swathe_chain *chain = NULL;
    swathe_plan *got = NULL;
    o.border = border;
    verdict(swathe_chain_parse(from, kept_chains[which], &chain) == SWATHE_OK &&
                swathe_plan_create(from, chain, &shape, &o, &got) == SWATHE_OK,
            "a plan");
    swathe_chain_destroy(chain);
    return got;
}

static void run_plan(swathe_context *with, const swathe_plan *given, int which)
{
    uint8_t *result = calloc(BYTES, 1);
    swathe_image from = view(source_bytes), to = view(result);
    verdict(swathe_run(with, given, &from, &to, NULL) == SWATHE_OK &&
                memcmp(result, kept_expected[which], BYTES) == 0,
            kept_chains[which]);
    free(result);
}

/* The context keeps two plans, so that those of some callers are dropped while they run. */
static void *keeping_caller(void *user)
{
    swathe_context *shared = user;
    for (int i = 0; i < ROUNDS * KEPT; i++) {
        int which = i * i % 7 % KEPT;
        swathe_plan *got = get_plan(shared, which, SWATHE_BORDER_DEFAULT);
        run_plan(shared, got, which);
        swathe_plan_destroy(got);
    }
    return NULL;
}

static void many_keeping_callers(void)
{
    pthread_t threads[CALLERS];
    swathe_context *shared = keeper(2);
    for (int i = 0; i < CALLERS; i++)
        pthread_create(&threads[i], NULL, keeping_caller, shared);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    swathe_context_destroy(shared);
}

static void kept_plans(void)
{
    swathe_context *none = keeper(-1), *two = keeper(2);
    swathe_plan *first = get_plan(two, 0, SWATHE_BORDER_DEFAULT);
    swathe_plan *same = get_plan(two, 0, SWATHE_BORDER_DEFAULT);
    swathe_plan *wrapped = get_plan(two, 0, SWATHE_BORDER_WRAP);
    verdict(first == same && first != wrapped, "the same plan for the same options");
    swathe_plan *second = get_plan(two, 1, SWATHE_BORDER_DEFAULT);
    swathe_plan *third = get_plan(two, 2, SWATHE_BORDER_DEFAULT);
    run_plan(two, first, 0); /* it is in use, but no longer kept */
    swathe_plan_destroy(first);
    run_plan(two, same, 0);
    swathe_plan *again = get_plan(two, 2, SWATHE_BORDER_DEFAULT);
    verdict(again == third, "the plan that was used last");
    swathe_plan *own = get_plan(none, 0, SWATHE_BORDER_DEFAULT);
    swathe_plan *other = get_plan(none, 0, SWATHE_BORDER_DEFAULT);
    verdict(own != other, "plans of a context that keeps none");
    swathe_plan *all[] = {same, wrapped, second, third, again, own, other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        swathe_plan_destroy(all[i]);
    swathe_context_destroy(none);
    swathe_context_destroy(two);
    swathe_context_options co = SWATHE_INIT(swathe_context_options);
    co.cached_plans = -2;
    verdict(swathe_context_create(&co, &none) == SWATHE_ERROR_ARGUMENT, "a number below -1");
}

int main(void)
{
    struct rng rng = {11};
    swathe_context_options co = SWATHE_INIT(swathe_context_options);
    swathe_chain *chain = NULL;
    co.threads = 4;
    for (int i = 0; i < BYTES; i++)
        source_bytes[i] = (uint8_t)rng_next(&rng);
    swathe_image from = view(source_bytes), to = view(expected);
    swathe_shape shape = {0};
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 3;
    shape.type = SWATHE_U8;
    if (swathe_context_create(&co, &context) != SWATHE_OK ||
        swathe_chain_parse(context, "sharpen,gaussian:5,edge:border=wrap,box:7", &chain) ||
        swathe_plan_create(context, chain, &shape, NULL, &plan) != SWATHE_OK ||
        swathe_filter(context, "sharpen,gaussian:5,edge:border=wrap,box:7", &from, &to))
        return printf("FAILED: %s\n", swathe_error_text()), 1;
    swathe_chain_destroy(chain);
    many_callers();
    progress();
    lent();
    badly_lent();
    for (int i = 0; i < KEPT; i++) {
        to = view(kept_expected[i]);
        verdict(swathe_filter(context, kept_chains[i], &from, &to) == SWATHE_OK, kept_chains[i]);
    }
    kept_plans();
    many_keeping_callers();
    swathe_plan_destroy(plan);
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", failed ? 0 : 1, failed);
    return failed > 0;
}
