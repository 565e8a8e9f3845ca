/* What a worker's user of deploy/nats.conf may do, and what it may not: queue_permissions URL */
#include "fail.h"
#include "fleet_check.h"
#include "queue/queue.h"

#include <errno.h>
#include <nats/nats.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DENIED(call) CHECK((call) != SWATHE_OK && fleet_fail_number() == EACCES)

static swathe_status connect_as(const char *url, const char *user, const char *password,
                                const char *name, struct queue **queue)
{
    struct queue_options options = {.url = url, .name = name};
    setenv("SWATHE_NATS_USER", user, 1);
    setenv("SWATHE_NATS_PASSWORD", password, 1);
    return queue_connect(&options, queue);
}

static void check_allowed(struct queue *admin, struct queue *worker)
{
    struct queue_message *message;
    struct queue_lag lag;
    int64_t stored;
    char *json;
    int got;
    OK(queue_submit(admin, "s", 1, "j0", "job", 3, NULL));
    OK(queue_submit(admin, "s", 1, "j1", "job", 3, NULL));
    OK(queue_record_get(worker, "s", QUEUE_SET, &json));
    free(json);
    OK(queue_state_get(worker, "s", &json));
    free(json);
    OK(queue_lag(worker, "s", &lag));
    OK(queue_stored(worker, "s", &stored));
    CHECK(stored == 2);
    OK(queue_pull(worker, "s", 1, 5000, &message, &got));
    CHECK(got == 1);
    OK(queue_working(worker, queue_message_reply(message)));
    OK(queue_publish(worker, "s", QUEUE_RESULT, "{}", 2));
    OK(queue_publish(worker, "s", QUEUE_DEAD, "{}", 2));
    OK(queue_done(message));
    OK(queue_pull(worker, "s", 1, 5000, &message, &got));
    CHECK(got == 1);
    OK(queue_back(message, 0));
}

static swathe_status ignore(void *user, const struct queue_record_view *view)
{
    (void)user;
    (void)view;
    return SWATHE_OK;
}

static void *do_denied(void *user)
{
    nats_Sleep(300);
    DENIED(queue_record_put(user, "s", QUEUE_PROGRESS, "{}"));
    return NULL;
}

/* A call that is denied does not fail calls of other threads. */
static void check_threads(struct queue *worker)
{
    struct queue_message *message;
    pthread_t thread;
    int got;
    OK(queue_pull(worker, "s", 1, 5000, &message, &got));
    CHECK(got == 1);
    CHECK(pthread_create(&thread, NULL, do_denied, worker) == 0);
    for (int i = 0; i < 3; i++) {
        struct queue_message *none;
        OK(queue_pull(worker, "s", 1, 500, &none, &got));
        CHECK(got == 0);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    OK(queue_back(message, 0));
}

static void check_denied(struct queue *worker)
{
    DENIED(queue_submit(worker, "s", 1, "j2", "job", 3, NULL));
    DENIED(queue_record_put(worker, "s", QUEUE_SET, "{}"));
    DENIED(queue_record_put(worker, "s", QUEUE_PROGRESS, "{}"));
    DENIED(queue_state_put(worker, "s", "cancelled"));
    DENIED(queue_quarantine_put(worker, "s", "worker-2", "{}"));
    DENIED(queue_publish(worker, "s", QUEUE_RETRY, "{}", 2));
    DENIED(queue_purge(worker, "s"));
    DENIED(queue_set_delete(worker, "s"));
    DENIED(queue_set_create(worker, "t", 1));
    DENIED(queue_results(worker, "s", 0, ignore, NULL));
}

/* A server answers to the subject that a request names, and does not check whether the user may
 * publish there. Each of these answers would change something: the first kind is the
 * acknowledgement of a result, the second has no body, as a request to delete a stream. */
static int misdirect_answers(const char *url)
{
    static const char *const subjects[] = {"swathe.quarantine.s.worker-2",
                                           "swathe.results.s.worker-2",
                                           "swathe.set.s",
                                           "swathe.progress.s",
                                           "swathe.jobs.s.0",
                                           "$JS.API.STREAM.PURGE.SWATHE_JOBS_s",
                                           "$JS.API.STREAM.DELETE.SWATHE_RESULTS_s"};
    int count = (int)(sizeof subjects / sizeof *subjects);
    natsOptions *options = NULL;
    natsConnection *link = NULL;
    CHECK(natsOptions_Create(&options) == NATS_OK);
    CHECK(natsOptions_SetURL(options, url) == NATS_OK);
    CHECK(natsOptions_SetUserInfo(options, "worker-1", "first-secret") == NATS_OK);
    CHECK(natsConnection_Connect(&link, options) == NATS_OK);
    for (int i = 0; i < count; i++) {
        CHECK(natsConnection_PublishRequestString(link, "swathe.results.s.worker-1", subjects[i],
                                                  "{}") == NATS_OK);
        CHECK(natsConnection_PublishRequestString(
                  link, "$JS.API.CONSUMER.MSG.NEXT.SWATHE_JOBS_s.p2", subjects[i],
                  "{\"batch\":1,\"no_wait\":true}") == NATS_OK);
    }
    CHECK(natsConnection_FlushTimeout(link, 5000) == NATS_OK);
    nats_Sleep(500); /* the answers are not in order with the flush */
    natsConnection_Destroy(link);
    natsOptions_Destroy(options);
    return count;
}

static swathe_status refuse(void *user, const char *worker)
{
    (void)user;
    return fleet_fail(SWATHE_ERROR_INPUT, "%s is in quarantine", worker);
}

/* Counts what there is: nothing was changed by the calls that were denied. */
static swathe_status count(void *user, const struct queue_record_view *view)
{
    int *seen = user;
    *seen += strcmp(view->worker, "worker-1") == 0 ? 1 : 1000;
    return SWATHE_OK;
}

int main(int argc, char **argv)
{
    struct queue *admin = NULL, *worker = NULL, *liar = NULL;
    struct queue_lag lag;
    char *json;
    int seen = 0, results = 2;
    CHECK(argc == 2);
    CHECK(connect_as(argv[1], "admin", "wrong-password", NULL, &admin) != SWATHE_OK);
    CHECK(fleet_fail_number() == EACCES && !strstr(swathe_error_text(), "wrong-password"));
    CHECK(connect_as(argv[1], "stranger", "", NULL, &admin) != SWATHE_OK);
    OK(connect_as(argv[1], "admin", "admin-secret", NULL, &admin));
    OK(queue_set_create(admin, "s", 1));
    OK(queue_record_put(admin, "s", QUEUE_SET, "{\"a\":1}"));
    OK(connect_as(argv[1], "worker-1", "first-secret", "worker-1", &worker));
    check_allowed(admin, worker);
    check_threads(worker);
    check_denied(worker);
    /* The user of worker-1 under the name of worker-2. */
    OK(connect_as(argv[1], "worker-1", "first-secret", "worker-2", &liar));
    DENIED(queue_publish(liar, "s", QUEUE_RESULT, "{}", 2));
    results += misdirect_answers(argv[1]);
    OK(queue_lag(admin, "s", &lag));
    CHECK(lag.waiting + lag.delivered == 1);
    OK(queue_results(admin, "s", 0, count, &seen));
    CHECK(seen == results);
    OK(queue_quarantine_list(admin, "s", refuse, NULL));
    CHECK(queue_record_get(admin, "s", QUEUE_PROGRESS, &json) != SWATHE_OK);
    OK(queue_record_get(admin, "s", QUEUE_SET, &json));
    CHECK(strcmp(json, "{\"a\":1}") == 0);
    free(json);
    queue_close(liar);
    queue_close(worker);
    queue_close(admin);
    nats_Close();
    printf("a worker can take jobs and report, and nothing else\n");
    return 0;
}
