/* The rate at which the queue's client library alone pulls and acknowledges jobs of a set.
 *
 *     bare_pull URL SET BATCH THREADS
 *
 * Every thread fetches BATCH jobs of priority 1 and acknowledges each synchronously, until there
 * are none. Prints jobs per second. */
#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct bare_pull {
    natsConnection *connection;
    const char *set;
    int batch;
    atomic_int done;
};

static void *work(void *user)
{
    struct bare_pull *pull = user;
    jsCtx *js = NULL;
    natsSubscription *jobs = NULL;
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
    while (status == NATS_OK) {
        natsMsgList list = {NULL, 0};
        status = natsSubscription_Fetch(&list, jobs, pull->batch, 300, NULL);
        for (int i = 0; i < list.Count; i++)
            if (natsMsg_AckSync(list.Msgs[i], NULL, NULL) == NATS_OK)
                atomic_fetch_add(&pull->done, 1);
        natsMsgList_Destroy(&list);
    }
    if (status != NATS_TIMEOUT)
        fprintf(stderr, "bare_pull: %s\n", natsStatus_GetText(status));
    natsSubscription_Destroy(jobs);
    jsCtx_Destroy(js);
    return NULL;
}

int main(int argc, char **argv)
{
    struct bare_pull pull = {0};
    natsOptions *options = NULL;
    pthread_t threads[64];
    int count = argc == 5 ? atoi(argv[4]) : 0;
    if (count < 1 || count > 64) {
        fprintf(stderr, "use: bare_pull URL SET BATCH THREADS\n");
        return 2;
    }
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
