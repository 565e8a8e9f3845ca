#include "base/pool.h"

#include "base/cancel.h"
#include "base/os_machine.h"
#include "base/os_thread.h"

#include <stdatomic.h>

/* One call of pool_run, on the stack of its caller. */
struct task {
    pool_work *work;
    void *user;
    int32_t count, next, done;
    struct task *following;
};

struct pool {
    const struct memory *memory;
    pool_parallel_for *parallel_for;
    void *parallel_user;
    int32_t threads;
    pthread_mutex_t mutex;
    pthread_cond_t wanted, finished;
    struct task *tasks; /* those with calls that have not started */
    bool stopping;
    int32_t started;
    int64_t process; /* the process that started the threads */
    pthread_t handles[];
};

/* True in a child of fork, which has none of the threads. Its mutexes may be locked by threads that
 * no longer exist. */
static bool is_forked(const struct pool *pool)
{
    return pool->process != os_process();
}

/* Takes one call of the first task. The mutex is held. */
static bool pool_take(struct pool *pool, struct task *only, struct task **task, int32_t *i)
{
    struct task **at = &pool->tasks;
    while (*at && only && *at != only)
        at = &(*at)->following;
    if (!*at)
        return false;
    *task = *at;
    *i = (*task)->next++;
    if ((*task)->next == (*task)->count)
        *at = (*task)->following;
    return true;
}

/* Runs one call with the mutex released. */
static void run_one(struct pool *pool, struct task *task, int32_t i)
{
    pthread_mutex_unlock(&pool->mutex);
    task->work(task->user, i);
    pthread_mutex_lock(&pool->mutex);
    if (++task->done == task->count)
        pthread_cond_broadcast(&pool->finished);
}

static void *pool_thread_main(void *user)
{
    struct pool *pool = user;
    struct task *task;
    int32_t i;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stopping)
        if (pool_take(pool, NULL, &task, &i))
            run_one(pool, task, i);
        else
            pthread_cond_wait(&pool->wanted, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* A thread that cannot be started is not an error: the others do its work. */
static void start_threads(struct pool *pool, int32_t wanted)
{
    while (pool->started < wanted &&
           os_thread_start(&pool->handles[pool->started], pool_thread_main, pool))
        pool->started++;
}

swathe_status pool_create(const struct memory *memory, int32_t threads,
                          pool_parallel_for *parallel_for, void *parallel_user, struct pool **pool)
{
    struct pool *got;
    TRY(memory_new(memory, 1, (int64_t)sizeof *got + threads * (int64_t)sizeof(pthread_t),
                   "threads", &got));
    got->memory = memory;
    got->parallel_for = parallel_for;
    got->parallel_user = parallel_user;
    got->threads = threads;
    got->process = os_process();
    pthread_mutex_init(&got->mutex, NULL);
    pthread_cond_init(&got->wanted, NULL);
    os_condition_init(&got->finished);
    *pool = got;
    return SWATHE_OK;
}

static void end_threads(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->wanted);
    pthread_mutex_unlock(&pool->mutex);
    for (int32_t i = 0; i < pool->started; i++)
        pthread_join(pool->handles[i], NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->wanted);
    pthread_mutex_destroy(&pool->mutex);
}

void pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    if (!is_forked(pool))
        end_threads(pool);
    memory_free(pool->memory, pool);
}

int32_t pool_threads(const struct pool *pool)
{
    return pool->threads;
}

/* The calls that a caller's parallel-for makes, one bit each. */
struct caller_calls {
    pool_work *work;
    void *user;
    int32_t count;
    atomic_int done, wrong; /* wrong: repeated, or not one of the calls */
    atomic_uchar started[POOL_CALLS_MAX / 8];
};

static void checked_call(void *user, int32_t i)
{
    struct caller_calls *calls = user;
    unsigned char bit = (unsigned char)(1 << (i & 7));
    if (i < 0 || i >= calls->count || (atomic_fetch_or(&calls->started[i / 8], bit) & bit)) {
        atomic_fetch_add(&calls->wrong, 1);
        return;
    }
    calls->work(calls->user, i);
    atomic_fetch_add(&calls->done, 1);
}

static swathe_status run_by_caller(const struct pool *pool, int32_t count, pool_work *work,
                                   void *user)
{
    struct caller_calls calls = {.work = work, .user = user, .count = count};
    if (count > POOL_CALLS_MAX)
        return fail(SWATHE_ERROR_INTERNAL, "%d parallel calls, limit %d", count, POOL_CALLS_MAX);
    pool->parallel_for(pool->parallel_user, count, checked_call, &calls);
    int done = atomic_load(&calls.done), wrong = atomic_load(&calls.wrong);
    if (wrong > 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "parallel_for repeated calls, or made calls outside 0 to %d: %d in total",
                    count - 1, wrong);
    if (done < count)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "parallel_for returned after %d of %d calls; it must make all of them", done,
                    count);
    return SWATHE_OK;
}

swathe_status pool_run(struct pool *pool, int32_t count, pool_work *work, void *user)
{
    if (pool->parallel_for && count > 1)
        return run_by_caller(pool, count, work, user);
    if (count == 1 || is_forked(pool)) {
        for (int32_t call = 0; call < count; call++)
            work(user, call);
        return SWATHE_OK;
    }
    struct task task = {work, user, count, 0, 0, NULL}, *taken;
    int32_t i;
    pthread_mutex_lock(&pool->mutex);
    start_threads(pool, count < pool->threads ? count - 1 : pool->threads - 1);
    struct task **last = &pool->tasks;
    while (*last)
        last = &(*last)->following;
    *last = &task;
    pthread_cond_broadcast(&pool->wanted);
    while (pool_take(pool, &task, &taken, &i))
        run_one(pool, taken, i);
    while (task.done < task.count)
        cancel_wait_for(&pool->finished, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    return SWATHE_OK;
}
