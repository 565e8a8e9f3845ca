/* Peaks are measured, and are neither zero nor higher than hardware allows. */
#include "machine.h"
#include "peak.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

/* The limits are a CPU of 6 GHz with two multiply-adds of 16 floats per cycle, or four of 4, and
 * more memory channels than any machine has. A loop that the compiler removed is far beyond. */
enum { MOST_GFLOPS = 400, MOST_GBS = 8000 };

static int failures;

static void expect(int good, const char *what)
{
    failures += !good;
    if (!good)
        printf("FAILED %s\n", what);
}

static void count(void *user, int32_t index)
{
    atomic_fetch_add((atomic_int *)user, 1 << (4 * index));
}

/* team_run() calls every index once, or fails without a call. */
static void check_team(void)
{
    atomic_int sum = 0;
    expect(team_run(3, count, &sum) > 0 && sum == 0x111, "three threads");
    expect(team_run(0, count, &sum) == 0 && sum == 0x111, "no thread");
    expect(team_run(TEAM_MOST + 1, count, &sum) == 0 && sum == 0x111, "too many threads");
}

static void check_peak(int32_t threads, int32_t cpus)
{
    struct peak peak = {0};
    int32_t busy = threads < cpus ? threads : cpus;
    expect(peak_measure(threads, 0.2, &peak), "measured");
    expect(peak.threads == threads, "its threads");
    expect(isfinite(peak.copy_gbs) && peak.copy_gbs > 0 && peak.copy_gbs < MOST_GBS, "copy");
    expect(isfinite(peak.fma_gflops) && peak.fma_gflops > 0 &&
               peak.fma_gflops < MOST_GFLOPS * (double)busy,
           "multiply-adds");
    printf("%d threads: %.4g GB/s, %.4g GFLOP/s\n", peak.threads, peak.copy_gbs, peak.fma_gflops);
}

int main(void)
{
    struct machine machine;
    struct peak untouched = {.threads = 7};
    machine_read(&machine);
    check_team();
    for (int32_t threads = 1; threads <= 3; threads++)
        check_peak(threads, machine.cpus > 0 ? machine.cpus : 1);
    expect(!peak_measure(0, 0.1, &untouched) && untouched.threads == 7, "refused without threads");
    return failures ? 1 : 0;
}
