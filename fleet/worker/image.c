/* One image: download, decode, filter, encode, upload. */
#include "fail.h"
#include "worker/image_options.h"
#include "worker/sink.h"
#include "worker/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Objects up to the first size are downloaded before a CPU is taken; larger ones are read by
 * ranges. Results with samples up to the second size are uploaded after the CPU was given back. */
#define WHOLE_BYTES  ((int64_t)64 << 20)
#define RESULT_BYTES ((int64_t)256 << 20)
/* Images of more pixels use CPUs that are idle. */
#define LARGE_PIXELS ((int64_t)1 << 22)

struct image_work {
    struct worker *worker;
    const char *key;
    char *from, *to;
    bool audit;
    bool reading;      /* a failure concerns the source */
    int64_t max_bytes; /* of the source; 0: no limit */
    void *bytes;       /* the whole source; NULL: read by ranges */
    size_t size;
    swathe_read_options read;
    swathe_write_options write;
    swathe_source *source;
    swathe_sink *sink;
    int64_t pages;
    struct byte_writer output;
    void *encoded; /* the result, if it is kept in memory */
    size_t encoded_size;
    struct worker_hash *samples, *hash;
    struct outcome_image *image;
};

static swathe_status find_urls(struct image_work *work)
{
    const struct set *set = work->worker->set;
    const struct worker_allow *allow = &work->worker->options->allow;
    if (!key_is_safe(work->key))
        return fleet_fail(SWATHE_ERROR_INPUT, "the key '%s' is not allowed", work->key);
    TRY(fleet_format(&work->from, "%s%s", set->from, work->key));
    TRY(set_target(set, work->key, &work->to));
    TRY(worker_allow_check(allow, work->from));
    return worker_allow_check(allow, work->to);
}

/* Downloads the object if it is small. */
static swathe_status worker_image_fetch(struct image_work *work)
{
    struct worker *worker = work->worker;
    int64_t limit = limit_least(work->max_bytes, WHOLE_BYTES);
    double start = clock_now();
    swathe_status status =
        store_get(worker->store, work->from, limit, &work->bytes, &work->size, NULL);
    if (status == SWATHE_ERROR_LIMIT && limit != work->max_bytes)
        status = SWATHE_OK; /* larger: it is read by ranges */
    atomic_fetch_add(&worker->counts.fetch_time, (long long)((clock_now() - start) * 1e6));
    return status;
}

/* A reader of ranges of an object that is too large to be downloaded first. */
static swathe_status open_ranges(struct image_work *work, swathe_reader *reader)
{
    TRY(store_reader(work->worker->store, work->from, reader));
    int64_t size = reader->size;
    if (work->max_bytes == 0 || size <= work->max_bytes)
        return SWATHE_OK;
    if (reader->destroy)
        reader->destroy(reader->user);
    return fleet_fail(SWATHE_ERROR_LIMIT,
                      "has %" PRId64 " bytes, limit %" PRId64
                      "; raise --max-file of submit and worker",
                      size, work->max_bytes);
}

static swathe_status check_pixels(const struct image_work *work)
{
    const swathe_shape shape = swathe_source_properties(work->source).shape;
    int64_t most = work->read.max_pixels;
    if (most == 0 || shape.width <= most / shape.height)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_LIMIT,
                      "%" PRId64 " x %" PRId64 " pixels, limit %" PRId64
                      "; raise --max-pixels of submit and worker",
                      shape.width, shape.height, most);
}

/* Opens a page. Every page of a large object has a reader of its own. */
static swathe_status worker_image_open_page(struct image_work *work, int64_t page)
{
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_source_destroy(work->source);
    work->source = NULL;
    work->read.page = page;
    if (work->bytes) {
        TRY(swathe_reader_memory(work->bytes, work->size, &reader));
        reader.name = work->key;
    } else {
        TRY(open_ranges(work, &reader));
    }
    TRY(swathe_source_open(work->worker->context, &reader, &work->read, &work->source));
    return check_pixels(work);
}

/* Creates the sink: in memory for results of usual size, otherwise directly to the store. */
static swathe_status worker_image_create_sink(struct image_work *work, const swathe_shape *shape,
                                              const swathe_metadata *metadata)
{
    struct worker *worker = work->worker;
    int64_t bytes;
    swathe_writer writer;
    TRY(swathe_shape_bytes(shape, &bytes));
    work->output.inner = SWATHE_INIT(swathe_writer);
    work->reading = false;
    if (work->bytes && bytes <= RESULT_BYTES)
        TRY(swathe_writer_memory(worker->context, &work->encoded, &work->encoded_size,
                                 &work->output.inner));
    else if (!work->audit)
        TRY(store_writer(worker->store, work->to, &work->output.inner));
    int64_t pages = swathe_source_properties(work->source).pages;
    work->write.pages = pages > 1 ? pages : 1;
    writer = byte_writer_make(&work->output, work->hash, work->to);
    swathe_status status =
        swathe_sink_create(worker->context, &writer, shape, metadata, &work->write, &work->sink);
    work->reading = true;
    return status;
}

static swathe_status worker_image_run_plan(struct image_work *work, const swathe_plan *plan,
                                           const swathe_shape *shape, swathe_sink *inner)
{
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    struct sample_sink samples;
    int idle = 0;
    options.threads = 1;
    if (shape->width > LARGE_PIXELS / shape->height &&
        sem_getvalue(&work->worker->compute, &idle) == 0 && idle > 0)
        options.threads += idle;
    options.progress = worker_run_cancelled;
    options.progress_user = work->worker;
    swathe_context *context = work->worker->context;
    swathe_sink *sink = NULL;
    if (swathe_sink_properties(inner).tile_width > 0) /* tiles do not come in the order of rows */
        return swathe_run_stream(context, plan, work->source, inner, &options);
    TRY(sample_sink_make(context, &samples, work->samples, shape, inner, &sink));
    swathe_status status = swathe_run_stream(context, plan, work->source, sink, &options);
    swathe_sink_destroy(sink);
    return status;
}

/* Filters the open page into the sink, which is created for the first page. */
static swathe_status filter_page(struct image_work *work, int64_t page, const swathe_plan *plan)
{
    swathe_shape shape;
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    TRY(swathe_plan_output(plan, work->source, NULL, &shape, &metadata));
    if (set_ignores_nodata(work->worker->set))
        metadata.nodata = "";
    TRY(page == 1 ? worker_image_create_sink(work, &shape, &metadata)
                  : swathe_sink_next_page(work->sink, &shape, &metadata));
    TRY(worker_hash_image(work->samples, &shape));
    const swathe_sink_info sink = swathe_sink_properties(work->sink);
    const swathe_source_info source = swathe_source_properties(work->source);
    if (sink.tile_width > 0) {
        TRY(worker_image_run_plan(work, plan, &shape, NULL));
        if (source.flags & SWATHE_FORWARD)
            TRY(worker_image_open_page(work, page)); /* a second reading */
    }
    TRY(worker_image_run_plan(work, plan, &shape, work->sink));
    atomic_fetch_add(&work->worker->counts.pixels, shape.width * shape.height);
    if (page == 1)
        work->pages = (sink.flags & SWATHE_PAGES) && source.pages > 1 ? source.pages : 1;
    return SWATHE_OK;
}

static swathe_status worker_image_filter(struct image_work *work)
{
    work->pages = 1;
    for (int64_t page = 1; page <= work->pages; page++) {
        swathe_plan *plan;
        TRY(worker_image_open_page(work, page));
        TRY(worker_plan(work->worker, work->source, set_nodata(work->worker->set, work->source),
                        &plan));
        swathe_status status = filter_page(work, page, plan);
        swathe_plan_destroy(plan);
        TRY(status);
    }
    TRY(worker_hash_finish(work->samples, work->image->samples));
    work->reading = false;
    TRY(swathe_sink_commit(work->sink));
    work->image->size = work->output.size;
    return worker_hash_finish(work->hash, work->image->bytes);
}

/* Filters while it holds a CPU. */
static swathe_status worker_image_compute(struct image_work *work)
{
    struct worker *worker = work->worker;
    double asked = clock_now();
    while (sem_wait(&worker->compute) != 0 && errno == EINTR)
        ;
    double start = clock_now();
    work->reading = true;
    swathe_status status = worker_image_filter(work);
    swathe_sink_destroy(work->sink);
    swathe_source_destroy(work->source);
    sem_post(&worker->compute);
    atomic_fetch_add(&worker->counts.wait_time, (long long)((start - asked) * 1e6));
    atomic_fetch_add(&worker->counts.compute_time, (long long)((clock_now() - start) * 1e6));
    return status;
}

static swathe_status worker_image_put(struct image_work *work)
{
    struct worker *worker = work->worker;
    if (work->audit || !work->encoded)
        return SWATHE_OK;
    double start = clock_now();
    swathe_status status =
        store_put(worker->store, work->to, work->encoded, work->encoded_size, STORE_REPLACE);
    atomic_fetch_add(&worker->counts.put_time, (long long)((clock_now() - start) * 1e6));
    return status;
}

static swathe_status worker_image_do(struct image_work *work)
{
    struct worker *worker = work->worker;
    work->reading = true;
    TRY(find_urls(work));
    worker_image_options(worker, work->to, &work->read, &work->write);
    work->max_bytes = limit_least(worker->set->max_bytes, worker->options->max_bytes);
    TRY(worker_hash_create(&work->samples));
    TRY(worker_hash_create(&work->hash));
    TRY(worker_image_fetch(work));
    TRY(worker_image_compute(work));
    return worker_image_put(work);
}

/* True if other images of the job can succeed. Failures of the store or of memory are not the
 * image's: the job is tried again. Also if an object changed (ESTALE), because the next attempt
 * reads the new one, and NFS says that of files that another machine replaced. In the `last`
 * attempt the others need not suffer. */
static bool image_is_at_fault(swathe_status status, int number, bool reading, bool last)
{
    if (status == SWATHE_ERROR_IO)
        return (reading && (number == ENOENT || (number == ESTALE && last))) || number == EISDIR ||
               number == ENOTDIR || number == ENAMETOOLONG;
    return status != SWATHE_ERROR_MEMORY && status != SWATHE_ERROR_CANCELLED &&
           status != SWATHE_ERROR_INTERNAL;
}

swathe_status worker_image(struct worker *worker, const struct held *held, const char *key,
                           struct outcome_image *image)
{
    struct image_work work = {.worker = worker, .key = key, .image = image};
    bool last = held->attempt >= worker->set->attempts;
    work.audit = held->job->kind == JOB_AUDIT;
    image->key = key;
    swathe_status status = worker_image_do(&work);
    if (status != SWATHE_OK && image_is_at_fault(status, fleet_fail_number(), work.reading, last)) {
        image->status = status;
        snprintf(image->error, sizeof image->error, "%s", swathe_error_text());
        status = SWATHE_OK;
    }
    worker_hash_destroy(work.samples);
    worker_hash_destroy(work.hash);
    swathe_free(worker->context, work.encoded);
    free(work.bytes);
    free(work.from);
    free(work.to);
    return status;
}
