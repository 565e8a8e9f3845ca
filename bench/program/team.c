#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { WAIT, GO, GIVE_UP };
enum { LEAST_ROUNDS = 6 };

struct team {
    team_work *work;
    void *user;
    atomic_int ready, signal;
};

struct member {
    struct team *team;
    pthread_t thread;
    int32_t index;
    double start, end;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *member_run(void *user)
{
    struct member *member = user;
    struct team *team = member->team;
    atomic_fetch_add(&team->ready, 1);
    while (atomic_load(&team->signal) == WAIT)
        sched_yield();
    if (atomic_load(&team->signal) == GIVE_UP)
        return NULL;
    member->start = now();
    team->work(team->user, member->index);
    member->end = now();
    return NULL;
}

/* All threads wait for the signal, so that none has finished before the last one starts. */
static int32_t start_all(struct team *team, struct member *members, int32_t threads)
{
    int32_t started = 0;
    while (started < threads) {
        members[started] = (struct member){.team = team, .index = started};
        if (pthread_create(&members[started].thread, NULL, member_run, &members[started]) != 0)
            break;
        started++;
    }
    while (atomic_load(&team->ready) < started)
        sched_yield();
    return started;
}

double team_run(int32_t threads, team_work *work, void *user)
{
    struct team team = {.work = work, .user = user};
    struct member *members = NULL;
    if (threads < 1 || threads > TEAM_MOST || !(members = calloc((size_t)threads, sizeof *members)))
        return 0;
    int32_t started = start_all(&team, members, threads);
    atomic_store(&team.signal, started == threads ? GO : GIVE_UP);
    for (int32_t i = 0; i < started; i++)
        pthread_join(members[i].thread, NULL);
    double start = members[0].start, end = members[0].end;
    for (int32_t i = 1; i < started; i++) {
        start = members[i].start < start ? members[i].start : start;
        end = members[i].end > end ? members[i].end : end;
    }
    free(members);
    return started < threads ? 0 : end > start ? end - start : 1e-9;
}

double team_best(int32_t threads, team_work *even, team_work *odd, void *user, double seconds)
{
    double best = 0, spent = 0;
    for (int round = 0; round < LEAST_ROUNDS || spent < seconds; round++) {
        double time = team_run(threads, round % 2 ? odd : even, user);
        if (time <= 0)
            return 0;
        best = round == 0 || time < best ? time : best;
        spent += time;
    }
    return best;
}
