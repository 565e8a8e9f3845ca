#include "run/effort.h"

#include "base/cancel.h"
#include "base/os_clock.h"

#include <math.h>

/* A clock is read about once a millisecond, because that would double the time of small tasks. */
static const double interval_ns = 1e6;

void effort_begin(struct effort *effort, double ns)
{
    if (ns < interval_ns)
        return;
    effort->pending = ns;
    effort->since = clock_now();
}

void effort_end(struct effort *effort, double ns)
{
    effort->spent += ns;
    if (effort->pending > 0.0)
        effort->pace = ns / fmax((clock_now() - effort->since) * 1e9, 1.0);
    effort->pending = 0.0;
    if (effort->spent < effort->next)
        return;
    effort->next = effort->spent + interval_ns;
    effort->stopped = cancel_wanted();
}

double effort_now(const struct effort *effort)
{
    double most = 0.95, pace = effort->pace > 0.0 ? effort->pace : 1.0;
    if (effort->pending == 0.0)
        return effort->spent;
    double elapsed = (clock_now() - effort->since) * 1e9;
    return effort->spent + fmin(elapsed * pace, most * effort->pending);
}
