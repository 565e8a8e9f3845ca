/* A worker without images, and a look at the queue, for tests:
 *
 *     queue_probe URL SET jobs              prints all jobs and removes them
 *     queue_probe URL SET work NAME         publishes a result for each job. In the first
 *                                           generation images named *fail* fail, and jobs with
 *                                           an image named *dead* are given up.
 *     queue_probe URL SET publish COUNT     submits COUNT jobs
 *     queue_probe URL SET quarantine NAME   puts a worker into quarantine */
#include "fail.h"
#include "fleet_check.h"
#include "queue/queue.h"
#include "set/message.h"

#include <inttypes.h>
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 100, IDLE_MS = 1500 };

struct probe {
    struct queue *queue;
    const char *set, *name;
};

static void print_job(struct probe *probe, const char *json, size_t size)
{
    (void)probe;
    printf("%.*s\n", (int)size, json);
}

static void publish_outcome(struct probe *probe, const struct outcome *outcome)
{
    char *json;
    size_t size;
    OK(outcome_format(outcome, &json, &size));
    OK(queue_publish(probe->queue, probe->set, outcome->reason[0] ? QUEUE_DEAD : QUEUE_RESULT, json,
                     size));
    free(json);
}

static void work_job(struct probe *probe, const char *json, size_t size)
{
    static struct outcome_image images[JOB_IMAGES];
    struct outcome outcome = {.attempt = 1, .seconds = 0.25};
    struct job *job;
    OK(job_parse(json, size, &job));
    memset(images, 0, sizeof images);
    snprintf(outcome.set, sizeof outcome.set, "%s", job->set);
    snprintf(outcome.worker, sizeof outcome.worker, "%s", probe->name);
    outcome.id = job->id;
    outcome.generation = job->generation;
    outcome.images = images;
    outcome.count = job->count;
    for (int32_t i = 0; i < job->count; i++) {
        images[i].key = job->keys[i];
        memset(images[i].samples, 'a', 64);
        memset(images[i].bytes, 'b', 64);
        if (job->generation == 0 && strstr(job->keys[i], "fail")) {
            images[i].status = SWATHE_ERROR_INPUT;
            snprintf(images[i].error, sizeof images[i].error, "%.200s: damaged", images[i].key);
        }
        if (job->generation == 0 && strstr(job->keys[i], "dead"))
            snprintf(outcome.reason, sizeof outcome.reason, "the store is gone");
    }
    outcome.job = outcome.reason[0] ? job : NULL;
    publish_outcome(probe, &outcome);
    job_free(job);
}

static void pull_all(struct probe *probe,
                     void (*visit)(struct probe *probe, const char *json, size_t size))
{
    struct queue_message *messages[BATCH];
    int got;
    do {
        OK(queue_pull(probe->queue, probe->set, BATCH, IDLE_MS, messages, &got));
        for (int i = 0; i < got; i++) {
            size_t size;
            const char *json = queue_message_data(messages[i], &size);
            visit(probe, json, size);
            OK(queue_done(messages[i]));
        }
    } while (got > 0);
}

static void publish(struct probe *probe, int64_t count)
{
    struct job job = {.kind = JOB_FINISH};
    snprintf(job.set, sizeof job.set, "%s", probe->set);
    OK(queue_set_create(probe->queue, probe->set, 1));
    for (job.id = 0; job.id < count; job.id++) {
        char *json, id[64];
        size_t size;
        OK(job_format(&job, &json, &size));
        snprintf(id, sizeof id, "%s.%" PRId64, probe->set, job.id);
        OK(queue_submit_later(probe->queue, probe->set, 1, id, json, size));
        free(json);
        if (job.id % 500 == 499) {
            OK(queue_flush(probe->queue));
            printf("acknowledged %" PRId64 "\n", job.id + 1);
            fflush(stdout);
        }
    }
    OK(queue_flush(probe->queue));
}

int main(int argc, char **argv)
{
    CHECK(argc >= 4);
    struct probe probe = {.set = argv[2], .name = argc > 4 ? argv[4] : "probe"};
    struct queue_options options = {.url = argv[1], .name = probe.name};
    OK(queue_connect(&options, &probe.queue));
    if (strcmp(argv[3], "jobs") == 0)
        pull_all(&probe, print_job);
    else if (strcmp(argv[3], "work") == 0)
        pull_all(&probe, work_job);
    else if (strcmp(argv[3], "publish") == 0)
        publish(&probe, strtoll(argv[4], NULL, 10));
    else if (strcmp(argv[3], "quarantine") == 0)
        OK(queue_quarantine_put(probe.queue, probe.set, probe.name, "{\"v\":1}"));
    else
        CHECK(!"a known action");
    queue_close(probe.queue);
    nats_Close();
    return 0;
}
