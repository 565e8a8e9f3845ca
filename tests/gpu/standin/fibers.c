#define _GNU_SOURCE
#include "fibers.h"

#include <stdlib.h>
#include <ucontext.h>

enum { STACK = 128 << 10 };

struct fiber {
    ucontext_t context;
    char *stack;
    int done;
};

/* The work group that this thread runs. */
static _Thread_local struct {
    const struct fiber_launch *launch;
    struct fiber *fibers;
    unsigned count, current;
    struct fiber_dim at; /* position of the work group */
    ucontext_t scheduler;
} run;

void fiber_barrier(void)
{
    swapcontext(&run.fibers[run.current].context, &run.scheduler);
}

static void start(void)
{
    const struct fiber_launch *l = run.launch;
    void *const *b = l->buffers, *const *p = l->planes;
    l->kernel(b[0], b[1], b[2], b[3], b[4], l->task, p[0], p[1], p[2], p[3], p[4], p[5]);
    run.fibers[run.current].done = 1;
    fiber_barrier(); /* never returns */
}

/* Runs one thread up to its next barrier. */
static void resume(unsigned i)
{
    const struct fiber_dim *group = &run.launch->group;
    run.current = i;
    run.launch->dims[0] =
        (struct fiber_dim){i % group->x, i / group->x % group->y, i / (group->x * group->y)};
    run.launch->dims[1] = run.at;
    swapcontext(&run.scheduler, &run.fibers[i].context);
}

static void prepare(struct fiber *fiber)
{
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK;
    fiber->context.uc_link = NULL;
    fiber->done = 0;
    makecontext(&fiber->context, start, 0);
}

static void run_group(void)
{
    unsigned left = run.count;
    for (unsigned i = 0; i < run.count; i++)
        prepare(&run.fibers[i]);
    while (left > 0)
        for (unsigned i = 0; i < run.count; i++)
            if (!run.fibers[i].done) {
                resume(i);
                left -= (unsigned)run.fibers[i].done;
            }
}

static void run_grid(void)
{
    const struct fiber_dim *grid = &run.launch->grid;
    run.launch->dims[2] = run.launch->group;
    run.launch->dims[3] = *grid;
    for (unsigned z = 0; z < grid->z; z++)
        for (unsigned y = 0; y < grid->y; y++)
            for (unsigned x = 0; x < grid->x; x++) {
                run.at = (struct fiber_dim){x, y, z};
                run_group();
            }
}

int fiber_run(const struct fiber_launch *launch)
{
    run.launch = launch;
    run.count = launch->group.x * launch->group.y * launch->group.z;
    run.fibers = calloc(run.count, sizeof *run.fibers);
    char *stacks = malloc((size_t)run.count * STACK);
    int good = run.fibers && stacks;
    for (unsigned i = 0; i < run.count && good; i++)
        run.fibers[i].stack = stacks + (size_t)i * STACK;
    if (good)
        run_grid();
    free(stacks);
    free(run.fibers);
    return good ? 0 : -1;
}
