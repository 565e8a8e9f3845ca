/* Numbers of a worker for Prometheus, and a small HTTP server that shows them. */
#include "worker/worker.h"

#include "../../src/base/bounded_text.h"
#include "fail.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void metrics_describe(struct text *page, const char *name, const char *kind,
                             const char *help)
{
    text_add(page, "# HELP swathe_fleet_%s %s\n# TYPE swathe_fleet_%s %s\n", name, help, name,
             kind);
}

static void metrics_add_number(struct text *page, const char *name, const char *kind,
                               const char *help, double value)
{
    metrics_describe(page, name, kind, help);
    text_add(page, "swathe_fleet_%s %.17g\n", name, value);
}

static void add_labelled(struct text *page, const char *name, const char *label, const char *value,
                         double number)
{
    text_add(page, "swathe_fleet_%s{%s=\"%s\"} %.17g\n", name, label, value, number);
}

static void add_totals(struct text *page, struct worker_counts *counts)
{
    metrics_describe(page, "images_total", "counter", "Images by outcome.");
    add_labelled(page, "images_total", "outcome", "done", (double)counts->images);
    add_labelled(page, "images_total", "outcome", "failed", (double)counts->failed_images);
    add_labelled(page, "images_total", "outcome", "audited", (double)counts->audits);
    metrics_describe(page, "jobs_total", "counter", "Jobs by outcome.");
    add_labelled(page, "jobs_total", "outcome", "done", (double)counts->jobs);
    add_labelled(page, "jobs_total", "outcome", "given_back", (double)counts->jobs_given_back);
    add_labelled(page, "jobs_total", "outcome", "dead", (double)counts->jobs_dead);
    metrics_add_number(page, "redeliveries_total", "counter",
                       "Jobs that came for the second time or later.",
                       (double)counts->redeliveries);
    metrics_add_number(page, "pixels_total", "counter", "Pixels of results.",
                       (double)counts->pixels);
    metrics_add_number(page, "self_tests_total", "counter", "Self-tests that ran.",
                       (double)counts->self_tests);
    metrics_describe(page, "seconds_total", "counter", "Time of all slots by phase.");
    add_labelled(page, "seconds_total", "phase", "download", (double)counts->fetch_time * 1e-6);
    add_labelled(page, "seconds_total", "phase", "wait", (double)counts->wait_time * 1e-6);
    add_labelled(page, "seconds_total", "phase", "compute", (double)counts->compute_time * 1e-6);
    add_labelled(page, "seconds_total", "phase", "upload", (double)counts->put_time * 1e-6);
}

static void add_store(struct text *page, struct store *store)
{
    struct store_counts counts = {0};
    store_count(store, &counts);
    metrics_add_number(page, "store_requests_total", "counter", "Requests to the store.",
                       (double)counts.requests);
    metrics_add_number(page, "store_retries_total", "counter", "Requests that were repeated.",
                       (double)counts.retries);
    metrics_add_number(page, "store_read_bytes_total", "counter", "Bytes read from the store.",
                       (double)counts.bytes_read);
    metrics_add_number(page, "store_written_bytes_total", "counter", "Bytes written to the store.",
                       (double)counts.bytes_written);
}

/* The text format of Prometheus, in at most `size` bytes. */
static void write_metrics(struct worker *worker, char *text, size_t size)
{
    struct text page;
    struct worker_counts *counts = &worker->counts;
    pthread_mutex_lock(&worker->mutex);
    int held = worker->held_count;
    pthread_mutex_unlock(&worker->mutex);
    text_init(&page, text, size);
    add_totals(&page, counts);
    add_store(&page, worker->store);
    metrics_add_number(&page, "held_jobs", "gauge", "Jobs that this worker holds.", held);
    metrics_add_number(&page, "busy_slots", "gauge", "Slots that work on an image.", counts->busy);
    metrics_add_number(&page, "slots", "gauge", "Slots of this worker.", worker->slots);
    metrics_add_number(&page, "queue_waiting_jobs", "gauge", "Jobs of the set that no worker has.",
                       (double)counts->waiting);
    metrics_add_number(&page, "queue_delivered_jobs", "gauge", "Jobs of the set that workers hold.",
                       (double)counts->delivered);
    metrics_add_number(&page, "ready", "gauge", "1 if the worker takes jobs.",
                       atomic_load(&worker->ready) && !atomic_load(&worker->ending));
}

/* ---- The server -------------------------------------------------------------------------------
 */

/* Serves one request at a time: a scraper asks every few seconds. Slow or large requests are cut.
 */

enum { METRICS_BYTES = 16384, REQUEST_BYTES = 4096, REQUEST_MS = 2000, POLL_MS = 200 };

/* Reads up to the empty line after the headers; false if it does not come. */
static bool read_request(int client, char *request, size_t size)
{
    size_t length = 0;
    double until = clock_now() + REQUEST_MS / 1000.0;
    while (length + 1 < size && clock_now() < until) {
        ssize_t got = recv(client, request + length, size - 1 - length, 0);
        if (got <= 0)
            return false;
        length += (size_t)got;
        request[length] = '\0';
        if (strstr(request, "\r\n\r\n") || strstr(request, "\n\n"))
            return true;
    }
    return false;
}

static void send_all(int client, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(client, text, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        text += sent;
        size -= (size_t)sent;
    }
}

static void metrics_respond(int client, const char *status, const char *body)
{
    char head[256];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\n"
                          "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                          status, strlen(body));
    send_all(client, head, (size_t)length);
    send_all(client, body, strlen(body));
}

static bool asks_for(const char *request, const char *path)
{
    size_t length = strlen(path);
    return strncmp(request, "GET ", 4) == 0 && strncmp(request + 4, path, length) == 0 &&
           (request[4 + length] == ' ' || request[4 + length] == '?');
}

static void metrics_serve(struct worker *worker, int client)
{
    char request[REQUEST_BYTES], text[METRICS_BYTES];
    struct timeval limit = {.tv_sec = REQUEST_MS / 1000};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (!read_request(client, request, sizeof request))
        return;
    bool healthy = atomic_load(&worker->healthy);
    bool ready = healthy && atomic_load(&worker->ready) && !atomic_load(&worker->ending);
    if (asks_for(request, "/metrics")) {
        write_metrics(worker, text, sizeof text);
        metrics_respond(client, "200 OK", text);
    } else if (asks_for(request, "/healthz")) {
        metrics_respond(client, healthy ? "200 OK" : "503 Service Unavailable",
                        healthy ? "ok\n" : "the self-test failed\n");
    } else if (asks_for(request, "/readyz")) {
        metrics_respond(client, ready ? "200 OK" : "503 Service Unavailable",
                        ready ? "ok\n" : "not taking jobs\n");
    } else {
        metrics_respond(client, "404 Not Found", "/metrics, /healthz or /readyz\n");
    }
}

/* Goes on after the worker stopped taking jobs, until worker_http_stop closes the socket. */
static void *metrics_answer(void *user)
{
    struct worker_http *http = user;
    struct pollfd wait = {.fd = http->socket, .events = POLLIN};
    while (atomic_load(&http->worker->threads) > 0 || !atomic_load(&http->worker->ending)) {
        if (poll(&wait, 1, POLL_MS) <= 0)
            continue;
        int client = accept(http->socket, NULL, NULL);
        if (client < 0) { /* no free descriptor: poll would return at once */
            nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
            continue;
        }
        metrics_serve(http->worker, client);
        close(client);
    }
    return NULL;
}

static swathe_status listen_at(struct worker_http *http, const struct worker_options *options)
{
    struct sockaddr_in place = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)options->metrics_port)};
    int yes = 1;
    if (inet_pton(AF_INET, options->metrics_address, &place.sin_addr) != 1)
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "--metrics: '%s' is not an IPv4 address",
                          options->metrics_address);
    http->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (http->socket >= 0)
        setsockopt(http->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (http->socket < 0 || bind(http->socket, (struct sockaddr *)&place, sizeof place) != 0 ||
        listen(http->socket, 16) != 0)
        return fleet_fail_system(SWATHE_ERROR_IO, errno, "--metrics: cannot listen on %s:%d: %s",
                                 options->metrics_address, options->metrics_port, strerror(errno));
    return SWATHE_OK;
}

swathe_status worker_http_start(struct worker_http *http, struct worker *worker)
{
    struct sockaddr_in place;
    socklen_t size = sizeof place;
    *http = (struct worker_http){.worker = worker, .socket = -1};
    if (worker->options->metrics_port < 0)
        return SWATHE_OK;
    swathe_status status = listen_at(http, worker->options);
    if (status == SWATHE_OK && pthread_create(&http->thread, NULL, metrics_answer, http) != 0)
        status = fleet_fail(SWATHE_ERROR_MEMORY, "cannot start the thread of --metrics");
    if (status != SWATHE_OK) {
        if (http->socket >= 0)
            close(http->socket);
        http->socket = -1;
        return status;
    }
    if (getsockname(http->socket, (struct sockaddr *)&place, &size) == 0)
        worker_log(&worker->log, LOG_EVENT(LOG_INFO, "metrics"), "metrics on %s:%d",
                   worker->options->metrics_address, ntohs(place.sin_port));
    return SWATHE_OK;
}

void worker_http_stop(struct worker_http *http)
{
    if (http->socket < 0)
        return;
    pthread_join(http->thread, NULL);
    close(http->socket);
}
