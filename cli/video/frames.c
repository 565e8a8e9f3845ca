#include "video/video.h"

#include "../../src/base/os_thread.h"
#include "commands/request.h"
#include "commands/value.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"
#include "video/y4m.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024, ALIGN = 64 };

/* What the workers share. A frame is read, filtered and delivered by one worker. Each of the first
 * and the last step is done by one worker at a time, in the order of the frames. */
struct frame_run {
    struct video_frames *frames;
    int32_t threads; /* for one frame */
    pthread_mutex_t reading, writing, filtering;
    pthread_cond_t turn, freed;
    int32_t idle;    /* threads that may start to filter a frame; under `filtering` */
    int64_t next;    /* frame to read, from 0; under `reading` */
    bool ended;      /* no more frames, or one that cannot be read; under `reading` */
    atomic_int code; /* of the first failure; set under `writing` */
    char text[TEXT]; /* its message; empty: none */
};

struct worker {
    struct frame_run *run;
    pthread_t thread;
    int64_t number;  /* of its frame, from 0 */
    void *memory[3]; /* of the next three */
    uint8_t *source, *scratch;
    uint8_t *result;     /* after room for the line before it, so that one call writes both */
    char head[Y4M_LINE]; /* the line, with its end */
    size_t head_size;
    swathe_clamped clamped;
    char text[TEXT];
};

/* ---- One frame ------------------------------------------------------------------------------ */

/* Reads the next frame; false: there is none. */
static bool read_next(struct worker *worker, int *code)
{
    const struct video_frames *frames = worker->run->frames;
    size_t size = (size_t)frames->y4m->frame_bytes, got = 0;
    int64_t number = worker->number + 1;
    char what[64];
    bool ended;
    snprintf(what, sizeof what, "the line before frame %" PRId64, number);
    *code = video_input_line(frames->input, what, worker->head, sizeof worker->head,
                             &worker->head_size, &ended);
    if (ended)
        return false;
    if (*code == 0)
        *code = y4m_check_frame(worker->head, worker->head_size, frames->input->name, number);
    worker->head_size++;
    if (*code == 0)
        *code = video_input_read(frames->input, worker->source, size, &got);
    if (*code == 0 && got < size)
        *code =
            complain(SWATHE_ERROR_INPUT, "%s: frame %" PRId64 " ends early, after %zu of %zu bytes",
                     frames->input->name, number, got, size);
    return true;
}

static bool take_frame(struct worker *worker, int *code)
{
    struct frame_run *run = worker->run;
    pthread_mutex_lock(&run->reading);
    bool found = false;
    if (!run->ended) {
        worker->number = run->next++;
        found = read_next(worker, code);
        run->ended = !found || *code != 0;
    }
    pthread_mutex_unlock(&run->reading);
    return found;
}

static int32_t frames_stop_if_asked(void *user, int64_t done, int64_t total)
{
    const struct frame_run *run = user;
    (void)done;
    (void)total;
    return interrupt_caught() != 0 || atomic_load(&run->code) != 0;
}

static swathe_status run_plane(struct worker *worker, int index)
{
    const struct video_frames *frames = worker->run->frames;
    const struct y4m_plane *plane = &frames->y4m->planes[index];
    swathe_run_options wanted = SWATHE_INIT(swathe_run_options);
    swathe_clamped clamped = SWATHE_INIT(swathe_clamped);
    swathe_image from = SWATHE_INIT(swathe_image), to = from;
    swathe_shape shape = {.width = plane->width,
                          .height = plane->height,
                          .channels = 1,
                          .type = frames->plans->type,
                          .color = SWATHE_COLOR_GREY};
    wanted.threads = worker->run->threads;
    wanted.cell_rows = options_count(frames->options, OPTION_CELL_ROWS);
    wanted.scratch = worker->scratch;
    wanted.scratch_bytes = frames->plans->scratch_bytes * wanted.threads;
    wanted.progress = frames_stop_if_asked;
    wanted.progress_user = worker->run;
    wanted.clamped = &clamped;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, worker->source + plane->offset, &from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, worker->result + plane->offset, &to);
    swathe_status status =
        swathe_run(frames->context, frames->plans->plans[index], &from, &to, &wanted);
    worker->clamped.examined += clamped.examined;
    worker->clamped.below += clamped.below;
    worker->clamped.above += clamped.above;
    return status;
}

static int check_samples(const struct worker *worker)
{
    const struct video_frames *frames = worker->run->frames;
    if (frames->plans->type == SWATHE_U8 || frames->plans->highest == UINT16_MAX)
        return 0;
    int found = frame_samples_highest(worker->source, frames->y4m->frame_bytes);
    if (found <= frames->plans->highest)
        return 0;
    return complain(SWATHE_ERROR_INPUT,
                    "%s: frame %" PRId64 " has a sample of %d, more than the %d of %d bits",
                    frames->input->name, worker->number + 1, found, frames->plans->highest,
                    frames->y4m->kind.bits);
}

static int filter_frame(struct worker *worker)
{
    const struct video_frames *frames = worker->run->frames;
    int code = check_samples(worker);
    if (code != 0)
        return code;
    if (frames->plans->type == SWATHE_U16)
        frame_samples_order(worker->source, frames->y4m->frame_bytes);
    worker->clamped = SWATHE_INIT(swathe_clamped);
    for (int i = 0; i < frames->y4m->kind.planes; i++) {
        const struct y4m_plane *plane = &frames->y4m->planes[i];
        if (!frames->plans->plans[i]) {
            memcpy(worker->result + plane->offset, worker->source + plane->offset,
                   (size_t)plane->bytes);
            continue;
        }
        swathe_status status = run_plane(worker, i);
        if (status != SWATHE_OK) {
            char what[TEXT];
            snprintf(what, sizeof what, "%s: frame %" PRId64, frames->input->name,
                     worker->number + 1);
            return complain_library(status, what);
        }
    }
    if (frames->plans->type == SWATHE_U16)
        frame_samples_order(worker->result, frames->y4m->frame_bytes);
    return 0;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static swathe_status frames_put(const struct worker *worker)
{
    const struct video_frames *frames = worker->run->frames;
    const swathe_writer *writer = frames->writer;
    swathe_status status = SWATHE_OK;
    if (worker->number == 0)
        status = writer->write(writer->user, frames->header, frames->header_size);
    if (status != SWATHE_OK)
        return status;
    uint8_t *start = worker->result - worker->head_size;
    memcpy(start, worker->head, worker->head_size);
    return writer->write(writer->user, start, worker->head_size + (size_t)frames->y4m->frame_bytes);
}

static int write_frame(const struct worker *worker)
{
    struct video_frames *frames = worker->run->frames;
    swathe_status status = frames_put(worker);
    swathe_error error = SWATHE_INIT(swathe_error);
    if (status != SWATHE_OK && swathe_error_get(&error) == SWATHE_OK && error.system == EPIPE)
        return SWATHE_ERROR_IO;
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    frames->written++;
    frames->clamped.examined += worker->clamped.examined;
    frames->clamped.below += worker->clamped.below;
    frames->clamped.above += worker->clamped.above;
    frames->bytes += (int64_t)worker->head_size + frames->y4m->frame_bytes;
    double each = (double)frames->bytes / (double)frames->written;
    progress_show(frames->progress, frames->written,
                  (int64_t)((double)frames->input->size / each + 0.5));
    return 0;
}

/* Waits for the frame's turn, and writes it, or records the failure `code`. False: the run has
 * failed. */
static bool frames_deliver(struct worker *worker, int code)
{
    struct frame_run *run = worker->run;
    pthread_mutex_lock(&run->writing);
    while (run->frames->written != worker->number && atomic_load(&run->code) == 0)
        pthread_cond_wait(&run->turn, &run->writing);
    if (atomic_load(&run->code) == 0) {
        if (code == 0)
            code = write_frame(worker);
        if (code != 0)
            memcpy(run->text, worker->text, sizeof run->text);
        atomic_store(&run->code, code);
    }
    bool good = atomic_load(&run->code) == 0;
    pthread_cond_broadcast(&run->turn);
    pthread_mutex_unlock(&run->writing);
    return good;
}

/* Waits until fewer frames are being filtered than there are threads. The other workers read or
 * write. */
static void start_filtering(struct frame_run *run)
{
    pthread_mutex_lock(&run->filtering);
    while (run->idle == 0)
        pthread_cond_wait(&run->freed, &run->filtering);
    run->idle--;
    pthread_mutex_unlock(&run->filtering);
}

static void stop_filtering(struct frame_run *run)
{
    pthread_mutex_lock(&run->filtering);
    run->idle++;
    pthread_cond_signal(&run->freed);
    pthread_mutex_unlock(&run->filtering);
}

static void *frames_work(void *user)
{
    struct worker *worker = user;
    int code = 0;
    message_keep(worker->text, sizeof worker->text);
    while (take_frame(worker, &code)) {
        start_filtering(worker->run);
        if (code == 0)
            code = filter_frame(worker);
        stop_filtering(worker->run);
        if (!frames_deliver(worker, code))
            break;
    }
    message_keep(NULL, 0);
    return NULL;
}

/* ---- Workers -------------------------------------------------------------------------------- */

/* At least one unit, because nothing may be allocated as NULL. */
static int64_t frames_rounded(int64_t bytes)
{
    return (bytes / ALIGN + 1) * ALIGN;
}

/* Chooses how many frames are in memory: one more than there are threads, so that one can be read
 * or written while the others are filtered, as far as memory allows. Threads that are left share a
 * frame. */
static int32_t choose_workers(struct frame_run *run)
{
    const struct video_frames *frames = run->frames;
    int32_t threads = request_threads(frames->options);
    int64_t memory = request_memory(frames->options);
    int64_t both = 2 * frames_rounded(frames->y4m->frame_bytes),
            scratch = frames->plans->scratch_bytes;
    int64_t most = memory / (both + scratch);
    int32_t workers = most > threads ? threads + 1 : most < 1 ? 1 : (int32_t)most;
    int64_t share = workers < threads ? threads / workers : 1;
    int64_t fits = scratch > 0 ? (memory / workers - both) / scratch : share;
    run->threads = (int32_t)(share < fits ? share : fits > 1 ? fits : 1);
    run->idle = workers < threads ? workers : threads;
    return workers;
}

/* One frame with one thread must fit. */
static int refuse_memory(const struct video_frames *frames)
{
    int64_t limit = request_memory(frames->options), mebibyte = 1 << 20;
    int64_t needed = 2 * frames_rounded(frames->y4m->frame_bytes) + frames->plans->scratch_bytes;
    char wanted[32], allowed[32];
    if (needed <= limit)
        return 0;
    return complain(SWATHE_ERROR_LIMIT,
                    "%s: needs %s for a frame and its result, limit %s; raise it with "
                    "--max-memory %" PRId64 "M",
                    frames->input->name, value_size_text(needed, wanted, sizeof wanted),
                    value_size_text(limit, allowed, sizeof allowed),
                    (needed + mebibyte - 1) / mebibyte);
}

/* Aligned; NULL: there is no memory. */
static uint8_t *frames_reserve(void **memory, int64_t bytes)
{
    uint64_t size = (uint64_t)bytes + ALIGN;
    *memory = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
    uint8_t *start = *memory;
    return start ? start + (ALIGN - (uintptr_t)start % ALIGN) : NULL;
}

static bool frames_prepare(struct worker *worker, struct frame_run *run)
{
    const struct video_frames *frames = run->frames;
    int64_t frame = frames_rounded(frames->y4m->frame_bytes);
    worker->run = run;
    worker->source = frames_reserve(&worker->memory[0], frame);
    worker->scratch = frames_reserve(&worker->memory[1],
                                     frames_rounded(frames->plans->scratch_bytes * run->threads));
    worker->result = frames_reserve(&worker->memory[2], Y4M_LINE + frame);
    if (!worker->source || !worker->scratch || !worker->result)
        return false;
    worker->result += Y4M_LINE;
    return true;
}

/* Fewer threads or less memory than wanted is not an error, unless nothing is left. */
static int32_t frames_start(struct frame_run *run, struct worker *workers, int32_t count)
{
    int32_t started = 0;
    while (started < count && frames_prepare(&workers[started], run) &&
           os_thread_start(&workers[started].thread, frames_work, &workers[started]))
        started++;
    return started;
}

static void frames_release(struct worker *workers, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            free(workers[i].memory[k]);
    free(workers);
}

static int run_workers(struct frame_run *run)
{
    int32_t count = choose_workers(run);
    struct worker *workers = calloc((size_t)count, sizeof *workers);
    int32_t started = workers ? frames_start(run, workers, count) : 0;
    for (int32_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    if (workers)
        frames_release(workers, count);
    if (started == 0)
        return complain(SWATHE_ERROR_MEMORY,
                        "%s: no memory or thread for a frame of %" PRId64 " bytes",
                        run->frames->input->name, run->frames->y4m->frame_bytes);
    return 0;
}

int video_frames_run(struct video_frames *frames)
{
    struct frame_run run = {.frames = frames};
    int refused = refuse_memory(frames);
    if (refused != 0)
        return refused;
    pthread_mutex_init(&run.reading, NULL);
    pthread_mutex_init(&run.writing, NULL);
    pthread_mutex_init(&run.filtering, NULL);
    pthread_cond_init(&run.turn, NULL);
    pthread_cond_init(&run.freed, NULL);
    frames->input->stop = &run.code;
    int code = run_workers(&run);
    frames->input->stop = NULL;
    pthread_cond_destroy(&run.freed);
    pthread_cond_destroy(&run.turn);
    pthread_mutex_destroy(&run.filtering);
    pthread_mutex_destroy(&run.writing);
    pthread_mutex_destroy(&run.reading);
    progress_clear(frames->progress);
    if (interrupt_caught())
        return EXIT_SIGNAL + interrupt_caught();
    if (code == 0 && atomic_load(&run.code) != 0)
        code = atomic_load(&run.code);
    if (run.text[0])
        complain(code, "%s", run.text);
    return code;
}
