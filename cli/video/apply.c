#include "../../src/base/os_file.h"
#include "commands/request.h"
#include "file/remote.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"
#include "video/video.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- What a video cannot do ----------------------------------------------------------------- */

static const struct {
    enum option_id id;
    const char *why;
} refused[] = {
    {OPTION_TYPE, "frames keep the type of their samples; ffmpeg -pix_fmt converts them"},
    {OPTION_VALUES, "frames keep the range of their samples"},
    {OPTION_NODATA, "video has no missing samples"},
    {OPTION_MASK, "video has no missing samples"},
    {OPTION_LIGHT, "the planes are not RGB; convert frames to images, as with ffmpeg -i VIDEO "
                   "%d.png, and filter these with 'swathe batch'"},
    {OPTION_REGION, "ffmpeg -vf crop cuts frames"},
    {OPTION_ORIENT, "ffmpeg -vf transpose rotates frames"},
    {OPTION_BACKGROUND, "frames keep their planes, alpha as well; leave it out"},
    {OPTION_FORMAT, "a filtered Y4M video is always Y4M; leave it out"},
    {OPTION_QUALITY, "Y4M has no such option; leave it out"},
    {OPTION_SUBSAMPLING, "frames keep their subsampling; ffmpeg -pix_fmt changes it"},
    {OPTION_COMPRESSION, "Y4M is not compressed; leave it out"},
    {OPTION_TILE, "Y4M has no such option; leave it out"},
    {OPTION_PAGE, "all frames are filtered; ffmpeg -vf select chooses some"},
};

static int refuse_options(const struct options *options, const char *name)
{
    const char *alpha = options_text(options, OPTION_ALPHA);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (options_has(options, refused[i].id))
            return complain(SWATHE_ERROR_UNSUPPORTED,
                            "%s: is a video, for which there is no --%s: %s", name,
                            option_at((int)refused[i].id)->name, refused[i].why);
    if (alpha && strcmp(alpha, "premultiply") == 0)
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        "%s: is a video, whose planes are filtered one by one, alpha as well; "
                        "--alpha keep copies alpha",
                        name);
    return 0;
}

/* Refuses places to which a video cannot be written. */
static int refuse_out(const char *out, const char *name)
{
    if (strcmp(out, "-") == 0)
        return os_is_terminal(STANDARD_OUTPUT)
                   ? complain(SWATHE_ERROR_ARGUMENT, "standard output is a terminal; name a file, "
                                                     "or pipe the video to another program")
                   : 0;
    if (remote_is(out))
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        "%s: videos are written to files and to standard output (-)", out);
    if (!y4m_is_name(out))
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        "%s: %s is a video, and only Y4M is written; name it .y4m, or write to - "
                        "and pipe it to ffmpeg",
                        out, name);
    return 0;
}

/* Frames must fit the limits of memory and pixels. */
static int refuse_size(const struct options *options, const struct y4m *y4m, const char *name)
{
    int64_t pixels = options_size(options, OPTION_MAX_PIXELS);
    pixels = pixels > 0 ? pixels : (int64_t)1 << 28;
    if (y4m->width > pixels / y4m->height)
        return complain(SWATHE_ERROR_LIMIT,
                        "%s: frames of %" PRId64 " x %" PRId64 " exceed the limit of %" PRId64
                        " pixels; raise it with --max-pixels",
                        name, y4m->width, y4m->height, pixels);
    return 0;
}

/* ---- Running -------------------------------------------------------------------------------- */

/* Warns about results that were clamped, if they are more than one in a thousand. */
static void video_apply_tell_clamped(const struct video_job *job, const swathe_clamped *found,
                                     int highest)
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

static int video_apply_read_header(const struct video_job *job, char *line, size_t *size,
                                   struct y4m *y4m)
{
    bool ended;
    int code = video_input_line(job->input, "its first line", line, Y4M_LINE, size, &ended);
    if (code == 0)
        code = y4m_parse(line, *size, job->input->name, y4m);
    ++*size;                  /* with its end */
    if (job->input->size > 0) /* what is left are frames */
        job->input->size -= (int64_t)*size;
    return code == 0 ? refuse_size(job->options, y4m, job->input->name) : code;
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
    int code = refuse_options(job->options, job->input->name);
    if (code == 0)
        code = refuse_out(job->out, job->input->name);
    interrupt_catch();
    if (code == 0)
        code = video_apply_read_header(job, header, &frames.header_size, &y4m);
    if (code == 0)
        code = video_plans_make(job->context, job->options, job->chain, &y4m, job->input->name,
                                &plans);
    if (code == 0)
        code = write_video(job, &frames);
    *clamped = frames.clamped;
    if (code == 0)
        video_apply_tell_clamped(job, clamped, plans.highest);
    video_plans_destroy(&plans);
    return code;
}
