/* The rate at which the queue's client library alone pulls and acknowledges jobs of a set.
 *
 *     bare_pull URL SET BATCH THREADS single|batch
 *
 * Every thread fetches BATCH jobs of priority 1 and acknowledges them, until there are none. The
 * server confirms every acknowledgement; `single` waits for each before the next, as
 * natsMsg_AckSync does, `batch` sends those of a batch and then waits for all. Prints jobs per
 * second. */
#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bare_pull {
    natsConnection *connection;
    const char *set;
    int batch;
    bool single;
    atomic_int done;
};

static int confirm_each(const natsMsgList *list)
{
    int done = 0;
    for (int i = 0; i < list->Count; i++)
        done += natsMsg_AckSync(list->Msgs[i], NULL, NULL) == NATS_OK;
    return done;
}

/* As a request does, with one inbox for all. */
static int confirm_all(natsConnection *connection, const natsMsgList *list, natsSubscription *inbox)
{
    int done = 0;
    for (int i = 0; i < list->Count; i++)
        natsConnection_PublishRequestString(connection, natsMsg_GetReply(list->Msgs[i]),
                                            natsSubscription_GetSubject(inbox), "+ACK");
    for (int i = 0; i < list->Count; i++) {
        natsMsg *answer = NULL;
        done += natsSubscription_NextMsg(&answer, inbox, 5000) == NATS_OK;
        natsMsg_Destroy(answer);
    }
    return done;
}

static void *work(void *user)
{
    struct bare_pull *pull = user;
    jsCtx *js = NULL;
    natsSubscription *jobs = NULL, *inbox = NULL;
    natsInbox *subject_of_answers = NULL;
    jsSubOptions options;
    char stream[128], subject[128];
    snprintf(stream, sizeof stream, "SWATHE_JOBS_%s", pull->set);
    snprintf(subject, sizeof subject, "swathe.jobs.%s.1", pull->set);
    jsSubOptions_Init(&options);
    options.Stream = stream;
    options.Consumer = "p1";
    natsStatus status = natsConnection_JetStream(&js, pull->connection, NULL);
    if (status == NATS_OK)
        status = js_PullSubscribe(&jobs, js, subject, NULL, NULL, &options, NULL);
    if (status == NATS_OK)
        status = natsInbox_Create(&subject_of_answers);
    if (status == NATS_OK)
        status = natsConnection_SubscribeSync(&inbox, pull->connection, subject_of_answers);
    while (status == NATS_OK) {
        natsMsgList list = {NULL, 0};
        status = natsSubscription_Fetch(&list, jobs, pull->batch, 300, NULL);
        atomic_fetch_add(&pull->done, pull->single ? confirm_each(&list)
                                                   : confirm_all(pull->connection, &list, inbox));
        natsMsgList_Destroy(&list);
    }
    if (status != NATS_TIMEOUT)
        fprintf(stderr, "bare_pull: %s\n", natsStatus_GetText(status));
    natsSubscription_Destroy(inbox);
    natsInbox_Destroy(subject_of_answers);
    natsSubscription_Destroy(jobs);
    jsCtx_Destroy(js);
    return NULL;
}

int main(int argc, char **argv)
{
    struct bare_pull pull = {0};
    natsOptions *options = NULL;
    pthread_t threads[64];
    int count = argc == 6 ? atoi(argv[4]) : 0;
    if (count < 1 || count > 64) {
        fprintf(stderr, "use: bare_pull URL SET BATCH THREADS single|batch\n");
        return 2;
    }
    pull.single = strcmp(argv[5], "single") == 0;
    pull.set = argv[2];
    pull.batch = atoi(argv[3]);
    if (natsOptions_Create(&options) != NATS_OK ||
        natsOptions_SetURL(options, argv[1]) != NATS_OK ||
        natsOptions_SetSendAsap(options, true) != NATS_OK ||
        natsConnection_Connect(&pull.connection, options) != NATS_OK) {
        fprintf(stderr, "bare_pull: cannot connect to %s\n", argv[1]);
        return 1;
    }
    int64_t start = nats_NowInNanoSeconds();
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, &pull) != 0)
            return 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    double seconds = (double)(nats_NowInNanoSeconds() - start) * 1e-9 - 0.3; /* the last fetch */
    printf("%.0f jobs/s (%d jobs, %.3f s)\n", pull.done / seconds, atomic_load(&pull.done),
           seconds);
    natsConnection_Destroy(pull.connection);
    natsOptions_Destroy(options);
    return 0;
}
