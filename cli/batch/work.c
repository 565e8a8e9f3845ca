#include "batch/batch.h"

#include "../../src/base/os_file.h"
#include "../../src/base/os_path.h"
#include "batch/folders.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* True if all other images would fail too: the disk is full, or a directory is missing or not
 * writable. */
static bool batch_work_hopeless(const struct batch *batch, int code)
{
    if (code != SWATHE_ERROR_IO)
        return false;
    return os_is_full(message_system()) || message_system() == EROFS ||
           !os_can_create_in(batch->list.folder);
}

static void batch_work_stop(struct batch *batch, int code, const char *text)
{
    pthread_mutex_lock(&batch->mutex);
    if (atomic_load(&batch->stop) == 0) {
        snprintf(batch->stop_text, sizeof batch->stop_text, "%s", text);
        atomic_store(&batch->stop, code);
    }
    pthread_mutex_unlock(&batch->mutex);
}

/* True if `text` contains `path` in the form that messages print. */
static bool batch_work_names(const char *text, const char *path)
{
    char shown[WORK_TEXT];
    snprintf(shown, sizeof shown, "%s", path);
    message_clean(shown);
    return strstr(text, shown) != NULL;
}

/* Adds the name of the file if the text does not contain it. */
static void note_failure(struct worker *worker, const struct image *image, int code)
{
    struct batch *batch = worker->batch;
    char text[2 * WORK_TEXT];
    bool named =
        batch_work_names(worker->text, image->in) || batch_work_names(worker->text, image->out);
    snprintf(text, sizeof text, "%s%s%s", named ? "" : image->in, named ? "" : ": ", worker->text);
    pthread_mutex_lock(&batch->mutex);
    failures_add(&batch->failures, text);
    pthread_mutex_unlock(&batch->mutex);
    code = journal_failed(&batch->journal, image, code, text);
    if (code != 0)
        batch_work_stop(batch, code, worker->text);
}

static bool same_file(const struct os_about *a, const struct os_about *b)
{
    return a->device == b->device && a->number == b->number;
}

/* A result replaces a link, not the target of the link. */
static int batch_work_check_place(const struct image *image, const struct os_about *in)
{
    struct os_about out, link;
    if (os_about_link(image->out, &out) != 0)
        return 0;
    if (same_file(in, &out) || (os_about_link(image->in, &link) == 0 && same_file(&link, &out)))
        return complain(SWATHE_ERROR_ARGUMENT, "%s %s; name another directory with --out",
                        image->replace ? image->in : image->out,
                        image->replace ? "would be replaced by its own result"
                                       : "exists and is the input image itself");
    if (out.kind != OS_REGULAR && out.kind != OS_LINK)
        return complain(SWATHE_ERROR_IO, "%s exists and is not a regular file; remove it",
                        image->out);
    return 0;
}

/* Stores size and mtime of the input before it is read, for the journal to compare. Checks that the
 * result does not replace its own input. */
static int batch_work_look_at(const struct batch *batch, struct image *image)
{
    struct os_about in;
    if (os_about(image->in, &in) != 0)
        return complain_system(errno, "%s: cannot open", image->in);
    image->size = in.size;
    image->mtime = in.modified;
    image->replace |= options_has(batch->options, OPTION_BATCH_OVERWRITE);
    int code = batch_work_check_place(image, &in);
    return code == 0 ? folders_check(&batch->list, image) : code;
}

static int batch_work_measure(struct image *image)
{
    struct os_about found;
    if (os_about_link(image->out, &found) != 0)
        return complain_system(errno, "%s was written, but cannot be found", image->out);
    image->result_size = found.size;
    return 0;
}

static int batch_work_write_result(struct worker *worker, struct image *image, struct file_job *job)
{
    struct batch *batch = worker->batch;
    int code = file_job_write(job);
    if (code == 0)
        code = batch_work_measure(image);
    if (code == 0)
        code = journal_done(&batch->journal, image);
    const swathe_metadata *metadata = swathe_source_properties(job->source).metadata;
    bool frames = metadata && metadata->encoding && metadata->encoding->frames > 1;
    if (code == 0 && (job->left_out > 0 || frames))
        atomic_fetch_add(&batch->first_pages, 1);
    return code;
}

static int batch_work_run(struct worker *worker, struct image *image, struct file_job *job)
{
    struct batch *batch = worker->batch;
    swathe_plan *plan;
    int code = batch_work_look_at(batch, image);
    if (code == 0)
        code = file_job_open(job);
    if (code == 0)
        code = file_job_plan(job, batch->chain, &plan);
    if (code != 0)
        return code;
    job->plan = plan;
    job->replace = image->replace;
    job->threads = thread_share_threads(batch->share, job->shape.width * job->shape.height,
                                        batch->list.count - (int64_t)atomic_load(&batch->next));
    code = batch_work_write_result(worker, image, job);
    swathe_plan_destroy(plan);
    return code;
}

static void batch_work_do_image(struct worker *worker, struct image *image)
{
    struct batch *batch = worker->batch;
    struct file_job job = {
        .context = batch->context,
        .options = batch->options,
        .in = image->in,
        .out = image->out,
        .chain = batch->chain,
        .mixed = true,
        .unsynced = os_syncs_volumes(),
        .nofollow = true,
    };
    int code = batch_work_run(worker, image, &job);
    file_job_close(&job);
    if (code > EXIT_SIGNAL)
        return;
    if (code != 0 && batch_work_hopeless(batch, code)) {
        batch_work_stop(batch, code, worker->text);
        return;
    }
    if (code != 0)
        note_failure(worker, image, code);
    atomic_fetch_add(&batch->over, 1);
}

void work(struct worker *worker)
{
    struct batch *batch = worker->batch;
    message_keep(worker->text, sizeof worker->text);
    while (!interrupt_caught() && atomic_load(&batch->stop) == 0) {
        int64_t i = atomic_fetch_add(&batch->next, 1);
        if (i >= batch->list.count)
            break;
        if (!batch->list.images[i].finished)
            batch_work_do_image(worker, &batch->list.images[i]);
    }
    message_keep(NULL, 0);
}
