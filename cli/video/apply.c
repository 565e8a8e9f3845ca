#include "video/apply.h"

#include "commands/request.h"
#include "file/clamped_results.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"
#include "video/frames.h"
#include "video/refuse.h"

#include <stdio.h>

/* Warns about results that were clamped, if they are more than one in a thousand. */
static void tell_clamped(const struct video_job *job, const swathe_clamped *found, int highest)
{
    if (clamped_share(found) == 0.0 || options_has(job->options, OPTION_QUIET) ||
        clamped_expected(job->chain))
        return;
    char advice[80] = "", words[80];
    if (found->below > 0)
        snprintf(advice, sizeof advice, "; to keep negative ones, set bias=%d in the last filter",
                 (highest + 1) / 2);
    complain(SWATHE_OK, "%s: %s 0..%d, and were clamped%s", job->input->name,
             clamped_words(found, words, sizeof words), highest, advice);
}

/* Runs all frames and makes the file appear. */
static int write_video(const struct video_job *job, struct video_frames *frames)
{
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_write_options wanted = request_write(job->options);
    swathe_status status = swathe_writer_file(job->context, job->out, &wanted, &writer);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    frames->writer = &writer;
    int code = video_frames_run(frames);
    if (code == 0 && frames->written == 0)
        code = complain(SWATHE_ERROR_INPUT, "%s: has no frames", job->input->name);
    if (code != 0) {
        writer.abandon(writer.user);
        return code;
    }
    status = writer.finish(writer.user);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

static int read_header(const struct video_job *job, char *line, size_t *size, struct y4m *y4m)
{
    bool ended;
    int code = video_input_line(job->input, "its first line", line, Y4M_LINE, size, &ended);
    if (code == 0)
        code = y4m_parse(line, *size, job->input->name, y4m);
    ++*size;                  /* with its end */
    if (job->input->size > 0) /* what is left are frames */
        job->input->size -= (int64_t)*size;
    return code == 0 ? video_refuse_size(job->options, y4m, job->input->name) : code;
}

int video_apply(const struct video_job *job, swathe_clamped *clamped)
{
    char header[Y4M_LINE];
    struct y4m y4m;
    struct video_plans plans = {.highest = 0};
    struct video_frames frames = {.context = job->context,
                                  .options = job->options,
                                  .input = job->input,
                                  .y4m = &y4m,
                                  .plans = &plans,
                                  .header = header,
                                  .progress = job->progress};
    int code = video_refuse_options(job->options, job->input->name);
    if (code == 0)
        code = video_refuse_out(job->out, job->input->name);
    interrupt_catch();
    if (code == 0)
        code = read_header(job, header, &frames.header_size, &y4m);
    if (code == 0)
        code = video_plans_make(job->context, job->options, job->chain, &y4m, job->input->name,
                                &plans);
    if (code == 0)
        code = write_video(job, &frames);
    *clamped = frames.clamped;
    if (code == 0)
        tell_clamped(job, clamped, plans.highest);
    video_plans_destroy(&plans);
    return code;
}
