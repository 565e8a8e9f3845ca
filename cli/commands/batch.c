#include "batch/batch.h"
#include "../../src/base/os_thread.h"
#include "batch/folders.h"
#include "commands/options.h"
#include "commands/request.h"
#include "commands/value.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"

#include <inttypes.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>

static int64_t count_left(const struct list *list)
{
    int64_t left = 0;
    for (int64_t i = 0; i < list->count; i++)
        left += !list->images[i].finished;
    return left;
}

/* Prints "swathe: 20000 images: 7000 done before, 12997 done, 3 failed, 12.3 s, 1057/s". */
static void batch_summarise(const struct batch *batch, int64_t left, double seconds)
{
    char before[48] = "", failed[48] = "", first[64] = "";
    int64_t pages = (int64_t)atomic_load(&batch->first_pages);
    int64_t over = (int64_t)atomic_load(&batch->over), count = batch->list.count;
    if (count > left)
        snprintf(before, sizeof before, "%" PRId64 " done before, ", count - left);
    if (batch->failures.count > 0)
        snprintf(failed, sizeof failed, ", %" PRId64 " failed", batch->failures.count);
    if (pages > 0)
        snprintf(first, sizeof first, ", %" PRId64 " with only %s first page or frame", pages,
                 pages == 1 ? "its" : "their");
    complain(SWATHE_OK, "%" PRId64 " image%s: %s%" PRId64 " done%s%s, %.1f s, %.12g/s", count,
             count == 1 ? "" : "s", before, over - batch->failures.count, first, failed, seconds,
             progress_rate(over, seconds));
}

static int cli_batch_finish(const struct batch *batch, int code, int64_t left)
{
    failures_print(&batch->failures);
    if (!options_has(batch->options, OPTION_QUIET))
        batch_summarise(batch, left, progress_seconds(&batch->progress));
    if (code != 0)
        complain(SWATHE_OK, "%s; %s", code > EXIT_SIGNAL ? "interrupted" : "stopped early",
                 batch->journal.resumable
                     ? "the same command with --resume continues"
                     : "there is no journal for --resume; --overwrite starts over");
    return code == 0 && batch->failures.count > 0 ? EXIT_SOME_FAILED : code;
}

static int batch_run(struct batch *batch, const swathe_chain *chain)
{
    int code = folders_make(&batch->list);
    if (code == 0)
        code = journal_open(&batch->journal, batch->options, chain, &batch->list);
    if (code != 0)
        return code;
    int64_t left = count_left(&batch->list);
    interrupt_catch();
    batch->chain = chain;
    code = schedule_run(batch, left);
    return cli_batch_finish(batch, code, left);
}

/* If results have several formats, an option applies to those that take it. An option that none of
 * them takes is an error. */
static int check_formats(const struct batch *batch)
{
    const struct list *list = &batch->list;
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *value = batch->options->values[i];
        int64_t n = 0;
        if (!value || strcmp(value, "default") == 0)
            continue;
        while (n < list->count && format_options_useless(batch->options, i, list->images[n].out))
            n++;
        if (n > 0 && n == list->count)
            return complain(SWATHE_ERROR_ARGUMENT,
                            "--%s: no result has a format that takes it ('swathe formats' lists "
                            "those that do); leave it out, or choose another --format",
                            option_at(i)->name);
    }
    return 0;
}

/* Reports wrong option values once instead of for every image, by making a plan for a small
 * image. */
static int batch_check_options(const struct batch *batch)
{
    swathe_plan_options wanted;
    int code = request_plan(batch->options, &wanted);
    if (code != 0)
        return code;
    swathe_shape shape = {0};
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    shape.width = shape.height = 16;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    swathe_status status = swathe_chain_parse(batch->context, "identity", &chain);
    if (status == SWATHE_OK)
        status = swathe_plan_create(batch->context, chain, &shape, &wanted, &plan);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

static int with_context(struct batch *batch)
{
    swathe_chain *chain = NULL;
    swathe_status status = request_context(&batch->share->own, &batch->context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = request_chain(batch->context, batch->options, &chain);
    if (code == 0)
        code = batch_check_options(batch);
    if (code == 0)
        code = check_formats(batch);
    if (code == 0)
        code = batch_run(batch, chain);
    swathe_chain_destroy(chain);
    swathe_context_destroy(batch->context);
    return code;
}

/* Every image allocates and frees memory of similar sizes. By default the C library returns freed
 * memory to the system, which causes about a hundred page faults for the next image. */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
#endif
}

static void init_locks(struct batch *batch)
{
    pthread_mutex_init(&batch->mutex, NULL);
    os_condition_init(&batch->ended);
}

int command_batch(const struct options *options)
{
    keep_memory();
    struct thread_share share;
    struct batch batch = {.share = &share, .journal = {.fd = -1}};
    init_locks(&batch);
    progress_start(&batch.progress, "batch", PROGRESS_IMAGES, options);
    int code = list_make(options, &batch.list);
    if (code == 0) {
        thread_share_make(options, batch.list.count, &share);
        advice_share(share.workers);
        /* Without --max-memory, the default limit on data that small files decompress to must stay
         * in effect. */
        batch.options = options_has(options, OPTION_MAX_MEMORY) ? &share.own : options;
        code = with_context(&batch);
    }
    progress_end(&batch.progress, code);
    journal_close(&batch.journal);
    failures_free(&batch.failures);
    list_free(&batch.list);
    pthread_cond_destroy(&batch.ended);
    pthread_mutex_destroy(&batch.mutex);
    return code;
}
