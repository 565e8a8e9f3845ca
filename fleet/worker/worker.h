/* A worker: pulls jobs, filters their images in slots, reports results. */
#ifndef FLEET_WORKER_WORKER_H
#define FLEET_WORKER_WORKER_H

#include "../../src/base/os_clock.h"
#include "../../src/base/os_thread.h"
#include "mosaic/mosaic.h"
#include "queue/queue.h"
#include "set/message.h"
#include "set/set.h"
#include "store.h"
#include "worker/log.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* Which objects a worker may touch. */
struct worker_allow {
    const char *const *prefixes;
    int count;
};
/* Fails with SWATHE_ERROR_UNSUPPORTED if the URL is not below one of the prefixes, and with
 * SWATHE_ERROR_ARGUMENT if it is malformed. A prefix ends at a '/': "s3://b/in" does not cover
 * "s3://b/input/a". */
swathe_status worker_allow_check(const struct worker_allow *allow, const char *url);

struct worker_options {
    struct queue_options queue;
    const char *set;
    char name[NAME_BYTES + 1];
    const char *device; /* NULL: the CPU */
    struct worker_allow allow;
    int32_t slots, cpus;
    double grace; /* seconds from a signal to the end */
    double idle;  /* seconds without a job after which the worker ends; 0: never */
    int64_t max_pixels, max_memory, max_bytes; /* of one image; 0: as the set says */
    char metrics_address[64];
    int metrics_port; /* -1: none */
    bool log_json;
};

/* Numbers for the metrics. Times are in microseconds. */
struct worker_counts {
    atomic_llong images, failed_images, audits, pixels, input_bytes, output_bytes;
    atomic_llong jobs, jobs_given_back, jobs_dead, redeliveries;
    atomic_llong fetch_time, wait_time, compute_time, put_time;
    atomic_llong self_tests, waiting, delivered; /* the last two: of the queue */
    atomic_int busy;                             /* slots that work on an image */
};

/* What becomes of a job that failed as a whole. */
enum held_verdict {
    HELD_FAILED,   /* it is tried again, up to the attempts of the set */
    HELD_WAITS,    /* for other jobs: it is delivered again, and this was not an attempt */
    HELD_HOPELESS, /* it is given up */
    HELD_DENIED,   /* the store denies this worker access: the worker ends, the job is for others */
};

/* A job that was pulled, until it is settled. */
struct held {
    struct held *next;
    struct queue_message *message;
    struct job *job;
    char **keys; /* those of the job, or of its range of the manifest */
    int32_t count;
    struct outcome_image *images; /* `count` of them */
    int32_t taken, running, done;
    int64_t attempt;
    double started;
    bool broken; /* failed as a whole, for the reason in `why` */
    enum held_verdict verdict;
    char why[OUTCOME_REASON_BYTES + 1];
    char *manifest; /* memory of the keys of a manifest */
    char *result;   /* the message of a finished job, which is freed with it */
    size_t result_size;
    struct held *next_finished;
    char piece[48]; /* mosaic: the name of what the job makes, its only key */
    char *pieces[1];
};

struct worker {
    const struct worker_options *options;
    struct queue *queue;
    struct store *store;
    struct set *set;
    char *record; /* of the set, as it was at the start */
    swathe_context *context;
    swathe_chain *chain;
    swathe_plan_options plan; /* of all images, which may have missing samples of their own */
    struct worker_log log;
    struct worker_counts counts;
    sem_t compute; /* one unit for each CPU */

    pthread_mutex_t assembly; /* mosaic: held while a part of the file is in memory */

    pthread_mutex_t mutex; /* guards the fields below */
    pthread_cond_t work, room, finish;
    struct held *held, **held_end; /* a list, and where the next one goes */
    struct held *fresh;            /* the first of them with images that no slot has taken */
    struct held *finished, **finished_end; /* those of them that worker_finish has not taken */
    int32_t held_count;
    int32_t untaken;      /* images of held jobs that no slot has taken */
    int32_t running;      /* images that slots work on */
    double average;       /* images per job, of recent jobs; 0: none came yet */
    double image_seconds; /* time of a slot per image, of recent images; 0: none yet */
    double last_job;      /* time at which the last job arrived or was settled */
    double deadline;      /* of the grace time, after `ending` */
    int32_t slots;        /* threads that do images */
    struct {
        int32_t generation;
        int32_t count;
    } failures[MOSAIC_PARTS + 2]; /* mosaic: attempts here of the jobs after those of tiles */
    int exit_code;

    atomic_bool ending;    /* no new images or jobs */
    atomic_bool cancelled; /* running images are interrupted */
    atomic_bool draining, ready, healthy;
    bool suspect;       /* at the start, the store denied it access to the source */
    atomic_int threads; /* that still run */
};

/* Waits, but ends early if the worker ends. */
void worker_sleep(struct worker *worker, double seconds);
/* Ends the worker: the first caller's exit code counts. */
void worker_end(struct worker *worker, int exit_code);

/* True if it must be feared that the store denies this worker everything: what was done shows that
 * it does not. */
static inline bool worker_is_suspect(const struct worker *worker)
{
    const struct worker_counts *counts = &worker->counts;
    return worker->suspect && counts->images + counts->audits + counts->jobs == 0;
}
/* settle.c: the job failed as a whole, with this thread's last failure. */
void worker_break(struct worker *worker, struct held *held, swathe_status status);
/* Reports a finished or broken job, settles its message and frees it. */
void worker_settle(struct worker *worker, struct held *held);
/* Gives a job back to the queue, for other workers. */
void worker_give_back(struct worker *worker, struct held *held);
/* Publishes a dead letter and removes the job from the queue. `job` may be NULL. */
void worker_bury(struct worker *worker, struct queue_message *message, const struct job *job,
                 const char *reason);
void worker_held_free(struct held *held);
/* Moves `fresh` on if all images of its job are taken; the caller holds the mutex. */
void worker_find_fresh(struct worker *worker);

/* A number below `range` that looks random and is the same for the same seed. */
static inline int64_t worker_scatter(uint64_t seed, int64_t range)
{
    return (int64_t)(seed * 0x9E3779B97F4A7C15u >> 33) % range;
}
/* The same for a delivery of a job. */
static inline int64_t held_scatter(const struct held *held, int64_t range)
{
    return worker_scatter((uint64_t)(held->job->id + held->attempt * 7919), range);
}

/* Callbacks for stores and codecs, and for runs; `user` is the worker. */
int32_t worker_is_cancelled(void *user);
int32_t worker_run_cancelled(void *user, int64_t done, int64_t total);

/* Jobs to pull now; the caller holds the mutex. */
int worker_wants(const struct worker *worker);

/* The threads; `user` is the worker. */
void *worker_pull(void *user);
void *worker_slot(void *user);
void *worker_finish(void *user);
void *worker_keep_alive(void *user);
void *worker_watch(void *user);
/* True if the set is still the one that this worker was started for. Ends the worker if the set was
 * deleted, or replaced by another one of the same name. */
bool worker_set_is_same(struct worker *worker);
/* True if an audit found that its results are wrong. */
bool worker_is_quarantined(struct worker *worker);

/* image.c: filters one image of a job, without an output if that is an audit. SWATHE_OK also
 * if the image is at fault: then image->status says so. Otherwise the whole job fails. */
swathe_status worker_image(struct worker *worker, const struct held *held, const char *key,
                           struct outcome_image *image);

/* Makes the plan of an image. `nodata`: of its missing samples, or NULL. */
swathe_status worker_plan(const struct worker *worker, const swathe_source *source,
                          const char *nodata, swathe_plan **plan);

/* Compares plans with the reference algorithm. SWATHE_ERROR_INTERNAL, and where they differ. */
swathe_status worker_self_test(swathe_context *context, const swathe_chain *chain,
                               const swathe_plan_options *options);

/* Answers GET /metrics, /healthz and /readyz on options->metrics_address and metrics_port, in a
 * thread of its own. Port 0: any; the log says which. */
struct worker_http {
    struct worker *worker;
    int socket;
    pthread_t thread;
};
swathe_status worker_http_start(struct worker_http *http, struct worker *worker);
void worker_http_stop(struct worker_http *http);

/* Runs until a signal, the end of the set or a failure. Returns the exit code. */
int worker_run(const struct worker_options *options);

#endif
