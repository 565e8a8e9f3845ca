/* Numbers of a worker for Prometheus, and a small HTTP server that shows them. */
#ifndef FLEET_WORKER_METRICS_H
#define FLEET_WORKER_METRICS_H

#include "worker/worker.h"

enum { METRICS_BYTES = 16384 };

/* The text format of Prometheus, in at most `size` bytes. */
void worker_metrics_text(struct worker *worker, char *text, size_t size);

struct worker_http {
    struct worker *worker;
    int socket;
    pthread_t thread;
};

/* Answers GET /metrics, /healthz and /readyz on options->metrics_address and metrics_port, in a
 * thread of its own. Port 0: any; the log says which. */
swathe_status worker_http_start(struct worker_http *http, struct worker *worker);
void worker_http_stop(struct worker_http *http);

#endif
