#include "mosaic/mosaic.h"

#include "fail.h"
#include "mosaic/source.h"
#include "session.h"

#include <inttypes.h>
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOW = 2, UPLOAD_BYTES = 2048, CANCEL_PASSES = 6 };
/* Of a submit that publishes nothing until another one takes its place: at least, and the range of
 * what is added, so that of several only one does. */
enum { QUIET_MS = 2000, QUIET_RANGE_MS = 2000, LOOK_MS = 100 };

static bool is_single(const char *text)
{
    struct stat info;
    if (!*text || text[strlen(text) - 1] == '/')
        return false;
    return store_is_s3(text) || stat(text, &info) != 0 || !S_ISDIR(info.st_mode);
}

/* True if the last segment has an extension. A target without one is taken for a prefix. */
static bool mosaic_submit_has_extension(const char *text)
{
    const char *slash = strrchr(text, '/');
    return strchr(slash ? slash + 1 : text, '.') != NULL;
}

bool mosaic_wanted(const struct fleet_options *options)
{
    return !fleet_option_given(options, OPTION_BASE) &&
           mosaic_submit_has_extension(fleet_option_text(options, OPTION_TO)) &&
           is_single(fleet_option_text(options, OPTION_FROM)) &&
           is_single(fleet_option_text(options, OPTION_TO));
}

/* ---- What the jobs share ----------------------------------------------------------------------
 */

struct description {
    swathe_context *context;
    swathe_chain *chain;
    swathe_source *source;
    swathe_plan *plan;
    swathe_sink *sink;
};

static void close_description(struct description *own)
{
    swathe_sink_destroy(own->sink);
    swathe_plan_destroy(own->plan);
    swathe_source_destroy(own->source);
    swathe_chain_destroy(own->chain);
    swathe_context_destroy(own->context);
}

static swathe_status mosaic_submit_plan(struct description *own, struct store *store,
                                        const struct set *set)
{
    swathe_context_options wanted = SWATHE_INIT(swathe_context_options);
    swathe_plan_options options;
    TRY(set_plan_options(set, &options));
    wanted.threads = 1;
    wanted.wisdom = "off";
    TRY(swathe_context_create(&wanted, &own->context));
    TRY(swathe_chain_parse(own->context, set->chain, &own->chain));
    TRY(mosaic_open(store, own->context, set, NULL, &own->source));
    options.nodata = set_nodata(set, own->source);
    swathe_shape shape = swathe_source_properties(own->source).shape;
    return swathe_plan_create(own->context, own->chain, &shape, &options, &own->plan);
}

static swathe_status mosaic_submit_discard(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)bytes;
    (void)count;
    return SWATHE_OK;
}

/* Asks a sink that takes no pixels for the numbers of tiles. It borrows `part`. */
static swathe_status describe_tiles(struct description *own, struct set *set,
                                    swathe_tiff_part *part)
{
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_write_options write = set->write;
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    TRY(swathe_plan_output(own->plan, own->source, NULL, &set->shape, &metadata));
    if (set_ignores_nodata(set))
        metadata.nodata = "";
    write.tiff_part = part;
    writer.write = mosaic_submit_discard;
    writer.name = set->to;
    swathe_status status =
        swathe_sink_create(own->context, &writer, &set->shape, &metadata, &write, &own->sink);
    if (status == SWATHE_ERROR_UNSUPPORTED || status == SWATHE_ERROR_ARGUMENT)
        return fleet_fail_within("one image by many workers is written as a tiled TIFF: ");
    return status;
}

static swathe_status mosaic_submit_describe(struct description *own, struct store *store,
                                            struct set *set, int64_t wanted)
{
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    char version[SOURCE_VERSION];
    int64_t bytes;
    TRY(mosaic_version(store, set->from, version));
    TRY(mosaic_submit_plan(own, store, set));
    TRY(describe_tiles(own, set, &part));
    TRY(swathe_shape_bytes(&set->shape, &bytes));
    set->tiles = part.tiles;
    set->tile_rows = part.tile_rows;
    set->column_tiles = part.column_tiles;
    set->planes = part.planes;
    TRY(mosaic_check_tiles(set));
    int64_t across = part.tiles / part.tile_rows;
    mosaic_divide(set, wanted,
                  (set->shape.width / across + 1) * (set->shape.height / part.tile_rows + 1),
                  bytes);
    swathe_sink_destroy(own->sink);
    own->sink = NULL;
    return fleet_copy_text(version, &set->source);
}

swathe_status mosaic_describe(struct store *store, struct set *set, int64_t wanted)
{
    struct description own = {0};
    swathe_status status = mosaic_submit_describe(&own, store, set, wanted);
    close_description(&own);
    return status;
}

swathe_status mosaic_upload(struct store *store, struct set *set)
{
    char id[UPLOAD_BYTES];
    TRY(store_parts_begin(store, set->to, id, sizeof id));
    return fleet_copy_text(id, &set->upload);
}

/* ---- Jobs -------------------------------------------------------------------------------------
 */

static swathe_status mosaic_submit_publish_job(struct queue *queue, const struct set *set,
                                               int64_t id, int64_t run, int priority)
{
    struct job job;
    char *json, name[NAME_BYTES + 64];
    size_t size;
    mosaic_job(set, id, &job);
    snprintf(name, sizeof name, "%s.%" PRId64 ".0.%" PRIx64, set->name, id, run);
    TRY(job_format(&job, &json, &size));
    swathe_status status = queue_submit_later(
        queue, set->name, job.kind == JOB_TILES ? priority : LOW, name, json, size);
    free(json);
    return status;
}

/* The jobs of two submits at once would be there twice; see mosaic_publish. */
swathe_status mosaic_await_submit(struct queue *queue, const struct set *set,
                                  struct set_progress *progress)
{
    uint64_t count = 0, before = 0;
    int64_t quiet = QUIET_MS + nats_NowInNanoSeconds() % QUIET_RANGE_MS, since = nats_Now();
    while (!progress->complete && nats_Now() - since < quiet) {
        nats_Sleep(LOOK_MS);
        TRY(queue_submitted(queue, set->name, &count));
        since = count == before ? since : nats_Now();
        before = count;
        set_progress_free(progress);
        TRY(session_progress(queue, set->name, progress));
    }
    return SWATHE_OK;
}

/* If an earlier submission was interrupted, its jobs are replaced: the last job waits until it is
 * the only one, so there must not be two of it. The message ids are new ones, because the server
 * would drop those that it knows. */
swathe_status mosaic_publish(struct queue *queue, const struct set *set, int priority,
                             struct set_progress *progress)
{
    int64_t jobs = mosaic_jobs(set), run = nats_Now();
    TRY(queue_purge(queue, set->name));
    for (int64_t id = 0; id < jobs; id++)
        TRY(mosaic_submit_publish_job(queue, set, id, run, priority));
    TRY(queue_flush(queue));
    progress->jobs = jobs;
    progress->complete = true;
    return session_put_progress(queue, set->name, progress);
}

/* ---- Cancelling -------------------------------------------------------------------------------
 */

static swathe_status mosaic_submit_clean(struct store *store, const struct set *set)
{
    if (set->upload)
        TRY(store_parts_abort(store, set->to, set->upload));
    return stage_remove(store, set);
}

/* Workers look at the state of the set every three seconds and write nothing after that. */
swathe_status mosaic_cancel(const struct set *set)
{
    struct store_options options = {0};
    struct store *store;
    TRY(store_create(&options, &store));
    swathe_status status = mosaic_submit_clean(store, set);
    for (int i = 1; status == SWATHE_OK && i < CANCEL_PASSES; i++) {
        nats_Sleep(1000);
        status = mosaic_submit_clean(store, set);
    }
    store_destroy(store);
    return status;
}
