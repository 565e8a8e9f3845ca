/* Jobs that arrive after the pull that asked for them has ended, against a running server:
 * queue_late URL. Includes the file under test, to make requests without a pull. */
#include "../../fleet/queue/pull.c"
#include "fleet_check.h"

enum { SOON_MS = 10000 }; /* much less than the 30 s after which the server delivers again */

static struct queue *connect_queue(const char *url)
{
    struct queue_options options = {.url = url, .name = "tester"};
    struct queue *queue;
    OK(queue_connect(&options, &queue));
    return queue;
}

/* Asks for a job and does not wait for the answer; then submits the job. */
static void deliver_late(struct queue *queue, const char *id)
{
    struct gather gather = {.queue = queue, .count = 1};
    struct queue_lag lag;
    OK(find_puller(queue, "late", &gather.puller));
    CHECK(queue_pull_request(&gather, 1, 5000) == NATS_OK);
    OK(queue_submit(queue, "late", 1, id, id, strlen(id), NULL));
    int64_t end = nats_Now() + SOON_MS;
    do
        OK(queue_lag(queue, "late", &lag));
    while (lag.delivered == 0 && nats_Now() < end);
    CHECK(lag.delivered == 1);
    nats_Sleep(200); /* it is in the inbox */
}

/* Pulls the job: a second delivery, since the first one was given back. */
static void pull_again(struct queue *queue, const char *id)
{
    struct queue_message *message = NULL;
    int got = 0;
    size_t size;
    OK(queue_pull(queue, "late", 1, SOON_MS, &message, &got));
    CHECK(got == 1);
    const char *data = queue_message_data(message, &size);
    CHECK(size == strlen(id) && memcmp(data, id, size) == 0);
    CHECK(queue_message_attempt(message) >= 2);
    OK(queue_done(message));
}

static void *pull_nothing(void *user)
{
    struct queue_message *message = NULL;
    int got = 0;
    OK(queue_pull(user, "late", 1, 2 * SOON_MS, &message, &got));
    CHECK(got == 0);
    return NULL;
}

/* A pull that waits ends when it is interrupted. The server still has its request; a job for that
 * which is on its way while the queue is closed is given back, too. */
static void check_interrupt(const char *url)
{
    struct queue *queue = connect_queue(url), *other = connect_queue(url);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, pull_nothing, queue) == 0);
    nats_Sleep(1000);
    int64_t start = nats_Now();
    queue_interrupt(queue);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(nats_Now() - start < SOON_MS / 4);
    OK(queue_submit(other, "late", 1, "three", "three", 5, NULL));
    queue_close(queue);
    CHECK(nats_Now() - start < SOON_MS / 2);
    pull_again(other, "three");
    queue_close(other);
}

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    struct queue *queue = connect_queue(argv[1]);
    OK(queue_set_create(queue, "late", 1));
    deliver_late(queue, "one");
#ifndef PLANT_KEEP_LATE
    queue_give_back_late(queue, "late");
#endif
    pull_again(queue, "one");
    deliver_late(queue, "two");
    queue_close(queue);
    queue = connect_queue(argv[1]);
    pull_again(queue, "two");
    queue_close(queue);
    check_interrupt(argv[1]);
    nats_Close();
    printf("late jobs are given back\n");
    return 0;
}
