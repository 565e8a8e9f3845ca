/* Runs one function on several threads at once: the caller's and helpers that are never ended, so
 * that no thread is started while time is measured. Only one caller at a time. */
#ifndef PEERS_SPLIT_H
#define PEERS_SPLIT_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SPLIT_MOST = 64, SPLIT_SPINS = 20000 };

typedef void split_work(void *user, int index);

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    split_work *work;
    void *user;
    int helpers, wanted;
    atomic_int generation, left;
} split_state = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* A helper polls for new work for some microseconds before it sleeps. Returns the generation that
 * it found and whether helper `index` takes part in it, read together under one lock. */
static int split_wait(int seen, int index, int *wanted)
{
    for (int spin = 0; spin < SPLIT_SPINS; spin++)
        if (atomic_load(&split_state.generation) != seen)
            break;
    pthread_mutex_lock(&split_state.lock);
    while (atomic_load(&split_state.generation) == seen)
        pthread_cond_wait(&split_state.wake, &split_state.lock);
    seen = atomic_load(&split_state.generation);
    *wanted = index < split_state.wanted;
    pthread_mutex_unlock(&split_state.lock);
    return seen;
}

static void *split_helper(void *argument)
{
    int index = (int)(size_t)argument, wanted, seen = 0;
    for (;;) {
        seen = split_wait(seen, index, &wanted);
        if (wanted) {
            split_state.work(split_state.user, index);
            atomic_fetch_sub(&split_state.left, 1);
        }
    }
    return NULL;
}

static int split_start(int threads)
{
    while (split_state.helpers < threads - 1) {
        pthread_t thread;
        size_t index = (size_t)split_state.helpers + 1;
        if (pthread_create(&thread, NULL, split_helper, (void *)index) != 0)
            return -1;
        pthread_detach(thread);
        split_state.helpers++;
    }
    return 0;
}

/* Calls work(user, i) for i in 0 .. threads−1 at once. 0, or -1 if no thread could be started. */
static inline int split_run(int threads, split_work *work, void *user)
{
    if (threads < 1 || threads > SPLIT_MOST || split_start(threads) != 0)
        return -1;
    if (threads > 1) {
        pthread_mutex_lock(&split_state.lock);
        split_state.work = work;
        split_state.user = user;
        split_state.wanted = threads;
        atomic_store(&split_state.left, threads - 1);
        atomic_fetch_add(&split_state.generation, 1);
        pthread_cond_broadcast(&split_state.wake);
        pthread_mutex_unlock(&split_state.lock);
    }
    work(user, 0);
    while (threads > 1 && atomic_load(&split_state.left) > 0)
        sched_yield();
    return 0;
}

#endif
