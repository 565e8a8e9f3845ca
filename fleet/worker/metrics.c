#include "worker/metrics.h"

#include <stdarg.h>
#include <stdio.h>

struct page {
    char *text;
    size_t size, length;
};

static void add(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct page *page, const char *format, ...)
{
    va_list values;
    if (page->length >= page->size)
        return;
    va_start(values, format);
    int wrote = vsnprintf(page->text + page->length, page->size - page->length, format, values);
    va_end(values);
    if (wrote > 0)
        page->length += (size_t)wrote;
}

static void describe(struct page *page, const char *name, const char *kind, const char *help)
{
    add(page, "# HELP swathe_fleet_%s %s\n# TYPE swathe_fleet_%s %s\n", name, help, name, kind);
}

static void add_number(struct page *page, const char *name, const char *kind, const char *help,
                       double value)
{
    describe(page, name, kind, help);
    add(page, "swathe_fleet_%s %.17g\n", name, value);
}

static void add_labelled(struct page *page, const char *name, const char *label, const char *value,
                         double number)
{
    add(page, "swathe_fleet_%s{%s=\"%s\"} %.17g\n", name, label, value, number);
}

static void add_totals(struct page *page, struct worker_counts *counts)
{
    describe(page, "images_total", "counter", "Images by outcome.");
    add_labelled(page, "images_total", "outcome", "done", (double)counts->images);
    add_labelled(page, "images_total", "outcome", "failed", (double)counts->failed_images);
    add_labelled(page, "images_total", "outcome", "audited", (double)counts->audits);
    describe(page, "jobs_total", "counter", "Jobs by outcome.");
    add_labelled(page, "jobs_total", "outcome", "done", (double)counts->jobs);
    add_labelled(page, "jobs_total", "outcome", "given_back", (double)counts->jobs_given_back);
    add_labelled(page, "jobs_total", "outcome", "dead", (double)counts->jobs_dead);
    add_number(page, "redeliveries_total", "counter",
               "Jobs that came for the second time or later.", (double)counts->redeliveries);
    add_number(page, "pixels_total", "counter", "Pixels of results.", (double)counts->pixels);
    add_number(page, "self_tests_total", "counter", "Self-tests that ran.",
               (double)counts->self_tests);
    describe(page, "seconds_total", "counter", "Time of all slots by phase.");
    add_labelled(page, "seconds_total", "phase", "download", (double)counts->fetch_time * 1e-6);
    add_labelled(page, "seconds_total", "phase", "wait", (double)counts->wait_time * 1e-6);
    add_labelled(page, "seconds_total", "phase", "compute", (double)counts->compute_time * 1e-6);
    add_labelled(page, "seconds_total", "phase", "upload", (double)counts->put_time * 1e-6);
}

static void add_store(struct page *page, struct store *store)
{
    struct store_counts counts = {0};
    store_count(store, &counts);
    add_number(page, "store_requests_total", "counter", "Requests to the store.",
               (double)counts.requests);
    add_number(page, "store_retries_total", "counter", "Requests that were repeated.",
               (double)counts.retries);
    add_number(page, "store_read_bytes_total", "counter", "Bytes read from the store.",
               (double)counts.bytes_read);
    add_number(page, "store_written_bytes_total", "counter", "Bytes written to the store.",
               (double)counts.bytes_written);
}

void worker_metrics_text(struct worker *worker, char *text, size_t size)
{
    struct page page = {text, size, 0};
    struct worker_counts *counts = &worker->counts;
    pthread_mutex_lock(&worker->mutex);
    int held = worker->held_count;
    pthread_mutex_unlock(&worker->mutex);
    add_totals(&page, counts);
    add_store(&page, worker->store);
    add_number(&page, "held_jobs", "gauge", "Jobs that this worker holds.", held);
    add_number(&page, "busy_slots", "gauge", "Slots that work on an image.", counts->busy);
    add_number(&page, "slots", "gauge", "Slots of this worker.", worker->slots);
    add_number(&page, "queue_waiting_jobs", "gauge", "Jobs of the set that no worker has.",
               (double)counts->waiting);
    add_number(&page, "queue_delivered_jobs", "gauge", "Jobs of the set that workers hold.",
               (double)counts->delivered);
    add_number(&page, "ready", "gauge", "1 if the worker takes jobs.",
               atomic_load(&worker->ready) && !atomic_load(&worker->ending));
}
