/* A child of fork destroys what it inherited, runs it on one thread, or makes a context of its own,
 * also while other threads of the parent run. The child that hangs is ended by its alarm. */
#define _GNU_SOURCE /* alarm beside C17 */
#include "base/sanitizers.h"
#include "swathe/swathe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 300, HEIGHT = 400, BYTES = WIDTH * HEIGHT, SECONDS = 30 };

struct work {
    swathe_context *context;
    swathe_chain *chain;
    swathe_plan *plan;
};

static uint8_t source[BYTES], expected[BYTES];
static atomic_bool stopped;

static swathe_status begin(struct work *work)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_shape shape = {.width = WIDTH, .height = HEIGHT, .channels = 1, .type = SWATHE_U8};
    *work = (struct work){0};
    options.threads = 4;
    swathe_status status = swathe_context_create(&options, &work->context);
    if (status == SWATHE_OK)
        status = swathe_chain_parse(work->context, "gaussian:9,sharpen", &work->chain);
    if (status == SWATHE_OK)
        status = swathe_plan_create(work->context, work->chain, &shape, NULL, &work->plan);
    return status;
}

static void end(struct work *work)
{
    swathe_plan_destroy(work->plan);
    swathe_chain_destroy(work->chain);
    swathe_context_destroy(work->context);
}

static swathe_status filter(const struct work *work, uint8_t *to)
{
    swathe_shape shape = {.width = WIDTH, .height = HEIGHT, .channels = 1, .type = SWATHE_U8};
    swathe_image in = SWATHE_INIT(swathe_image), out = SWATHE_INIT(swathe_image);
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    options.cell_rows = 16;
    if (swathe_image_init(&shape, SWATHE_INTERLEAVED, source, &in) != SWATHE_OK ||
        swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &out) != SWATHE_OK)
        return SWATHE_ERROR_INTERNAL;
    return swathe_run(work->context, work->plan, &in, &out, &options);
}

static int runs_right(const struct work *work)
{
    static _Thread_local uint8_t result[BYTES];
    memset(result, 0, sizeof result);
    return filter(work, result) == SWATHE_OK && memcmp(result, expected, BYTES) == 0;
}

static int only_destroys(struct work *work)
{
    end(work);
    return 1;
}

static int runs_inherited(struct work *work)
{
    int right = runs_right(work);
    end(work);
    return right;
}

static int makes_its_own(struct work *work)
{
    struct work own;
    int right = begin(&own) == SWATHE_OK && runs_right(&own);
    end(&own);
    end(work);
    return right;
}

static int in_child(struct work *work, int (*child)(struct work *work), const char *what)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(SECONDS);
        _exit(child(work) ? 0 : 1);
    }
    if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
        return 1;
    printf("FAILED: a child that %s: status %#x\n", what, (unsigned)status);
    return 0;
}

static void *run_often(void *user)
{
    while (!atomic_load(&stopped))
        if (!runs_right(user))
            return user;
    return NULL;
}

/* Locks of the pool are held at many of these moments. */
static int check_busy(struct work *work)
{
    pthread_t threads[2];
    void *failed = NULL, *one;
    int good = 1;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run_often, work) != 0)
            return 0;
    for (int i = 0; i < 20 && good; i++)
        good = in_child(work, i % 2 ? only_destroys : makes_its_own, "is born among runs");
    atomic_store(&stopped, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &one);
        failed = one ? one : failed;
    }
    return good && !failed;
}

int main(void)
{
    struct work work;
    for (int i = 0; i < BYTES; i++)
        source[i] = (uint8_t)((unsigned)i * 2654435761u >> 24);
    int good = begin(&work) == SWATHE_OK && filter(&work, expected) == SWATHE_OK;
    good = good && in_child(&work, only_destroys, "only destroys");
    good = good && in_child(&work, runs_inherited, "runs what it inherited");
    good = good && in_child(&work, makes_its_own, "makes its own context");
    /* Allocators of sanitizers have no handlers of fork: a lock that a thread held stays locked. */
    good = good && (SANITIZED || check_busy(&work));
    good = good && runs_right(&work);
    end(&work);
    return good ? 0 : 1;
}
