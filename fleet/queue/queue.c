#include "queue/inside.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { CONNECT_MS = 5000, PING_MS = 2000, PINGS = 2, AGAIN_MS = 200, SERVERS = 64 };

/* ---- Failures ---------------------------------------------------------------------------------
 */

static int number_of(natsStatus status, jsErrCode code)
{
    if (code == JSStreamNotFoundErr || code == JSConsumerNotFoundErr || code == JSNoMessageFoundErr)
        return ENOENT;
    if (code == JSStreamWrongLastSequenceErr)
        return EEXIST;
    switch (status) {
    case NATS_NOT_FOUND:
        return ENOENT;
    case NATS_TIMEOUT:
        return ETIMEDOUT;
    case NATS_NO_SERVER:
    case NATS_NO_RESPONDERS:
    case NATS_CONNECTION_CLOSED:
    case NATS_CONNECTION_DISCONNECTED:
        return ECONNREFUSED;
    case NATS_NOT_PERMITTED:
    case NATS_CONNECTION_AUTH_FAILED:
        return EACCES;
    default:
        return EIO;
    }
}

/* The client library's text of its last failure, without the place in its source. */
static const char *last_text(void)
{
    const char *text = nats_GetLastError(NULL);
    const char *end = text && *text == '(' ? strstr(text, "): ") : NULL;
    return end ? end + 3 : text ? text : "";
}

/* Subjects and inboxes contain the name of the worker, and permissions name them. */
static swathe_status fail_denied(const struct queue *queue, const char *what)
{
    if (!queue->name[0])
        return fleet_fail_system(SWATHE_ERROR_IO, EACCES,
                                 "queue: %s: the server's permissions do not allow it; use the "
                                 "user who submits, such as admin of deploy/nats.conf",
                                 what);
    return fleet_fail_system(SWATHE_ERROR_IO, EACCES,
                             "queue: %s: the server's permissions do not allow it to worker '%s'; "
                             "--name must be the name of the user in the server's configuration",
                             what, queue->name);
}

struct queue_mark queue_mark(struct queue *queue, const char *place, const char *other)
{
    return (struct queue_mark){atomic_load(&queue->denied), {place, other}};
}

/* Without the text of an error, each call since then is taken for the one. Without an inbox, no
 * call gets an answer. */
static bool queue_concerns(const char *denial, const struct queue_mark *mark)
{
    if (!*denial || !mark->places[0] || strstr(denial, "_INBOX"))
        return true;
    for (int i = 0; i < 2; i++)
        if (mark->places[i] && strstr(denial, mark->places[i]))
            return true;
    return false;
}

bool queue_denied(struct queue *queue, const struct queue_mark *mark)
{
    bool found = false;
    if (atomic_load(&queue->denied) == mark->denied)
        return false;
    pthread_mutex_lock(&queue->lock);
    int last = atomic_load(&queue->denied);
    int first = last - mark->denied > QUEUE_DENIALS ? last - QUEUE_DENIALS : mark->denied;
    for (int i = first; i < last && !found; i++)
        found = queue_concerns(queue->denials[i % QUEUE_DENIALS], mark);
    pthread_mutex_unlock(&queue->lock);
    return found;
}

swathe_status queue_status(struct queue *queue, natsStatus status, jsErrCode code,
                           const struct queue_mark *mark, const char *what)
{
    if (status == NATS_OK)
        return SWATHE_OK;
    if (status == NATS_NO_MEMORY)
        return fleet_fail(SWATHE_ERROR_MEMORY, "queue: %s: no memory", what);
    if (mark && queue_denied(queue, mark))
        return fail_denied(queue, what);
    const char *text = last_text();
    if (strcmp(text, natsStatus_GetText(status)) == 0)
        text = "";
    const char *advice = status != NATS_CONNECTION_AUTH_FAILED
                             ? ""
                             : "; give the user in $SWATHE_NATS_USER and the password in "
                               "$SWATHE_NATS_PASSWORD, or a file with --credentials";
    return fleet_fail_system(SWATHE_ERROR_IO, number_of(status, code), "queue: %s: %s%s%s%s", what,
                             natsStatus_GetText(status), *text ? ": " : "", text, advice);
}

bool queue_again(struct queue *queue, natsStatus status, jsErrCode code,
                 const struct queue_mark *mark, int64_t deadline)
{
    bool passing = status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS ||
                   status == NATS_IO_ERROR || status == NATS_STALE_CONNECTION ||
                   status == NATS_CONNECTION_DISCONNECTED || status == NATS_INSUFFICIENT_BUFFER ||
                   code == JSClusterNotAvailErr || code == JSClusterNotLeaderErr;
    if (!passing || nats_Now() >= deadline || queue_denied(queue, mark))
        return false;
    nats_Sleep(AGAIN_MS);
    return true;
}

swathe_status queue_check_name(const char *name)
{
    if (!name_is_safe(name))
        return fleet_fail(SWATHE_ERROR_ARGUMENT,
                          "'%s' is not a name: 1 to %d letters, digits, _ and -", name, NAME_BYTES);
    return SWATHE_OK;
}

/* ---- Connection -------------------------------------------------------------------------------
 */

static void queue_note_error(natsConnection *connection, natsSubscription *subscription,
                             natsStatus status, void *user)
{
    struct queue *queue = user;
    const char *text = NULL;
    (void)subscription;
    if (status != NATS_NOT_PERMITTED)
        return;
    if (natsConnection_GetLastError(connection, &text) != NATS_NOT_PERMITTED)
        text = NULL;
    pthread_mutex_lock(&queue->lock);
    snprintf(queue->denials[queue->denied % QUEUE_DENIALS], sizeof(queue_denial), "%s",
             text ? text : "");
    atomic_fetch_add(&queue->denied, 1);
    pthread_mutex_unlock(&queue->lock);
}

static void note_loss(natsConnection *connection, void *user)
{
    struct queue *queue = user;
    (void)connection;
    atomic_fetch_add(&queue->lost, 1);
}

static void note_close(natsConnection *connection, void *user)
{
    struct queue *queue = user;
    (void)connection;
    atomic_store(&queue->closed, true);
}

static swathe_status check_url(const char *url)
{
    if (strchr(url, '@'))
        return fleet_fail(SWATHE_ERROR_ARGUMENT,
                          "the URL of the queue must not contain a user or password; use "
                          "$SWATHE_NATS_USER and $SWATHE_NATS_PASSWORD or a credentials file");
    for (const char *one = url; one; one = strchr(one, ',')) {
        one += *one == ',';
        if (strncmp(one, "nats://", 7) != 0 && strncmp(one, "tls://", 6) != 0)
            return fleet_fail(SWATHE_ERROR_ARGUMENT,
                              "'%s' is not a URL of a queue such as nats://localhost:4222", one);
    }
    return SWATHE_OK;
}

/* Certificates must have the name of the first host; the client library checks none by default. */
static natsStatus set_tls(natsOptions *made, const struct queue_options *options)
{
    const char *host = strstr(options->url, "tls://");
    char name[256];
    if (!host)
        return NATS_OK;
    host += strlen("tls://");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(host, ":,/"), host);
    natsStatus status = natsOptions_SetSecure(made, true);
    if (status == NATS_OK)
        status = natsOptions_SetExpectedHostname(made, name);
    if (status == NATS_OK && options->ca)
        status = natsOptions_LoadCATrustedCertificates(made, options->ca);
    return status;
}

static natsStatus set_credentials(natsOptions *made, const struct queue_options *options)
{
    const char *file = options->credentials ? options->credentials : getenv("NATS_CREDS");
    const char *user = getenv("SWATHE_NATS_USER"), *password = getenv("SWATHE_NATS_PASSWORD");
    if (options->credentials || (file && *file && !user))
        return natsOptions_SetUserCredentialsFromFiles(made, file, NULL);
    if (user && password) {
        prctl(PR_SET_DUMPABLE, 0); /* the client library keeps it in memory: no core dumps */
        return natsOptions_SetUserInfo(made, user, password);
    }
    return NATS_OK;
}

/* The client library takes several servers only as an array. */
static natsStatus set_servers(natsOptions *made, const char *url)
{
    const char *servers[SERVERS];
    int count = 0;
    char *copy = NULL;
    if (fleet_copy_text(url, &copy) != SWATHE_OK)
        return NATS_NO_MEMORY;
    for (char *at = copy; at && count < SERVERS; count++) {
        servers[count] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    natsStatus status = natsOptions_SetServers(made, servers, count);
    free(copy);
    return status;
}

static natsStatus queue_set_options(natsOptions *made, const struct queue_options *options,
                                    struct queue *queue)
{
    char inbox[NAME_BYTES + 16];
    snprintf(inbox, sizeof inbox, "_INBOX_%s", queue->name);
    natsStatus status = set_servers(made, options->url);
#define SET(call) status = status == NATS_OK ? (call) : status
    SET(natsOptions_SetName(made, queue->name[0] ? queue->name : "swathe-fleet"));
    if (queue->name[0])
        SET(natsOptions_SetCustomInboxPrefix(made, inbox));
    SET(natsOptions_SetSendAsap(made, true));
    SET(natsOptions_SetMaxReconnect(made, -1));
    SET(natsOptions_SetReconnectWait(made, AGAIN_MS));
    SET(natsOptions_SetFailRequestsOnDisconnect(made, true));
    SET(natsOptions_SetPingInterval(made, PING_MS));
    SET(natsOptions_SetMaxPingsOut(made, PINGS));
    SET(natsOptions_SetErrorHandler(made, queue_note_error, queue));
    SET(natsOptions_SetDisconnectedCB(made, note_loss, queue));
    SET(natsOptions_SetClosedCB(made, note_close, queue));
    SET(set_credentials(made, options));
    SET(set_tls(made, options));
#undef SET
    return status;
}

static natsStatus open_context(struct queue *queue)
{
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = QUEUE_WAIT_MS;
    options.PublishAsync.MaxPending = QUEUE_WINDOW;
    options.PublishAsync.StallWait = 2 * QUEUE_WAIT_MS;
    options.PublishAsync.AckHandler = queue_acknowledged;
    options.PublishAsync.AckHandlerClosure = queue;
    return natsConnection_JetStream(&queue->js, queue->connection, &options);
}

static swathe_status open_connection(const struct queue_options *options, struct queue *queue)
{
    natsOptions *made = NULL;
    int64_t deadline = nats_Now() + CONNECT_MS;
    natsStatus status = natsOptions_Create(&made);
    if (status == NATS_OK)
        status = queue_set_options(made, options, queue);
    if (status == NATS_OK)
        do
            status = natsConnection_Connect(&queue->connection, made);
        while (status == NATS_NO_SERVER && nats_Now() < deadline && (nats_Sleep(AGAIN_MS), true));
    natsOptions_Destroy(made);
    if (status == NATS_OK)
        status = open_context(queue);
    return queue_status(queue, status, 0, NULL, options->url);
}

swathe_status queue_connect(const struct queue_options *options, struct queue **queue)
{
    struct queue *made;
    TRY(check_url(options->url));
    if (options->name)
        TRY(queue_check_name(options->name));
    TRY(fleet_allocate(1, sizeof *made, &made));
    pthread_mutex_init(&made->lock, NULL);
    snprintf(made->name, sizeof made->name, "%s", options->name ? options->name : "");
    swathe_status status = open_connection(options, made);
    if (status != SWATHE_OK)
        queue_close(made);
    else
        *queue = made;
    return status;
}

swathe_status queue_inbox(struct queue *queue, queue_prefix prefix, natsSubscription **inbox)
{
    natsInbox *unique = NULL;
    natsStatus status = natsInbox_Create(&unique);
    if (status == NATS_OK) {
        char subject[sizeof(queue_prefix) + 1];
        const char *dot = strrchr(unique, '.');
        snprintf(prefix, sizeof(queue_prefix), "_INBOX%s%s.%s.", queue->name[0] ? "_" : "",
                 queue->name, dot ? dot + 1 : unique);
        snprintf(subject, sizeof subject, "%s*", prefix);
        status = natsConnection_SubscribeSync(inbox, queue->connection, subject);
    }
    natsInbox_Destroy(unique);
    return queue_status(queue, status, 0, NULL, "subscribe");
}

/* A thread of the client library calls note_loss some time after the end of a connection, and
 * note_close last. Returns false if that does not come. */
static bool end_connection(struct queue *queue)
{
    if (!queue->connection)
        return true;
    natsConnection_Close(queue->connection);
    for (int ms = 0; ms < CONNECT_MS && !atomic_load(&queue->closed); ms++)
        nats_Sleep(1);
    return atomic_load(&queue->closed);
}

void queue_close(struct queue *queue)
{
    if (!queue)
        return;
    queue_pullers_free(queue);
    natsSubscription_Destroy(queue->answers);
    bool ended = end_connection(queue);
    jsCtx_Destroy(queue->js);
    natsConnection_Destroy(queue->connection);
    for (int i = 0; i < queue->unsent_count; i++)
        natsMsg_Destroy(queue->unsent[i]);
    if (!ended)
        return; /* the library may still use it */
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}
