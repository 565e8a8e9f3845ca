/* Parts of a worker that no test from outside reaches in a short time. */
#include "fleet_check.h"
#include "worker/worker.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int signs_of_life, requests;

static struct worker fake;

/* Each one can take a while. Meanwhile slots take images. */
static swathe_status note_sign(struct queue *queue, const char *reply)
{
    (void)queue;
    CHECK(strcmp(reply, "reply") == 0);
    CHECK(pthread_mutex_trylock(&fake.mutex) == 0);
    pthread_mutex_unlock(&fake.mutex);
    atomic_fetch_add(&signs_of_life, 1);
    return SWATHE_OK;
}

static const char *find_reply(const struct queue_message *message)
{
    (void)message;
    return "reply";
}

/* The page cache has filled the memory. */
long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name)
{
    return name == _SC_AVPHYS_PAGES ? 16 : __real_sysconf(name);
}

static void give_back_none(struct queue *queue, const char *set)
{
    (void)queue;
    (void)set;
}

/* A server that does not answer. */
static swathe_status wait_in_vain(struct queue *queue, const char *set, enum queue_record kind,
                                  char **json)
{
    (void)queue;
    (void)set;
    (void)kind;
    (void)json;
    atomic_fetch_add(&requests, 1);
    nanosleep(&(struct timespec){.tv_sec = 60}, NULL);
    return SWATHE_ERROR_IO;
}

#define queue_working        note_sign
#define queue_message_reply  find_reply
#define queue_give_back_late give_back_none
#define queue_record_get     wait_in_vain
#include "../../fleet/worker/image.c"
#include "../../fleet/worker/run.c"
#include "../../fleet/worker/settle.c"
#include "../../fleet/worker/watch.c"

static void check_signs(void)
{
    struct set set = {.name = "s"};
    struct held held = {0};
    pthread_t threads[2];
    fake.set = &set;
    fake.held = &held;
    fake.held_count = 1;
    pthread_mutex_init(&fake.mutex, NULL);
    CHECK(pthread_create(&threads[0], NULL, worker_keep_alive, &fake) == 0);
    CHECK(pthread_create(&threads[1], NULL, worker_watch, &fake) == 0);
    nanosleep(&(struct timespec){.tv_sec = KEEP_ALIVE + 2}, NULL);
    CHECK(atomic_load(&requests) == 1);
    CHECK(atomic_load(&signs_of_life) == 1);
}

/* A retry starts with no failed attempts. */
static void check_attempts(void)
{
    static struct worker worker;
    struct set set = {.is_mosaic = true, .shape = {.width = 1, .height = 1, .channels = 1}};
    struct job job = {.kind = JOB_INDEX};
    struct held held = {.job = &job};
    set.tiles = set.tile_rows = set.column_tiles = set.planes = set.tiles_per_job = set.parts = 1;
    job.id = mosaic_tile_jobs(&set);
    worker.set = &set;
    pthread_mutex_init(&worker.mutex, NULL);
    for (int64_t attempt = 1; attempt <= 5; attempt++)
        CHECK(count_attempts(&worker, &held) == attempt);
    job.generation = 1;
    CHECK(count_attempts(&worker, &held) == 1);
    CHECK(count_attempts(&worker, &held) == 2);
}

/* A file that changed may be read the next time, so it is not given up before the last attempt. */
static void check_changed(void)
{
    CHECK(!image_is_at_fault(SWATHE_ERROR_IO, ESTALE, true, false));
    CHECK(image_is_at_fault(SWATHE_ERROR_IO, ESTALE, true, true));
    CHECK(image_is_at_fault(SWATHE_ERROR_IO, ENOENT, true, false));
    CHECK(mosaic_judge(SWATHE_ERROR_IO, ESTALE) == HELD_FAILED);
    CHECK(mosaic_judge(SWATHE_ERROR_IO, ENOENT) == HELD_HOPELESS);
}

static void check_memory(void)
{
    struct worker_options options = {.cpus = 1};
    CHECK(sysconf(_SC_AVPHYS_PAGES) == 16);
    CHECK(memory_share(&options) > (int64_t)64 << 20);
}

int main(void)
{
    check_memory();
    check_changed();
    check_attempts();
    check_signs();
    puts("jobs are kept while requests time out; retries have all attempts");
    return 0;
}
