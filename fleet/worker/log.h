/* The log of a worker on standard error: plain lines, or one JSON object per line. */
#ifndef FLEET_WORKER_LOG_H
#define FLEET_WORKER_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct worker_log {
    bool json;
    const char *set, *worker; /* in every JSON object */
};

enum worker_level { LOG_INFO, LOG_WARNING, LOG_ERROR };

/* What a line is about. `event` is a fixed word for programs; `job` -1 and `key` NULL: none. */
struct worker_event {
    enum worker_level level;
    const char *event;
    int64_t job;
    const char *key;
};

#define LOG_EVENT(level, event)           ((struct worker_event){level, event, -1, NULL})
#define LOG_JOB(level, event, job)        ((struct worker_event){level, event, job, NULL})
#define LOG_IMAGE(level, event, job, key) ((struct worker_event){level, event, job, key})

/* Writes one line. Control characters are replaced or escaped. */
void worker_log(const struct worker_log *log, struct worker_event event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
