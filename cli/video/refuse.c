#include "video/refuse.h"

#include "../../src/base/os_file.h"
#include "file/remote.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <string.h>

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

int video_refuse_options(const struct options *options, const char *name)
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

int video_refuse_out(const char *out, const char *name)
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

int video_refuse_size(const struct options *options, const struct y4m *y4m, const char *name)
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
