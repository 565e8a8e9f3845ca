#include "../../src/base/os_file.h"
#include "commands/request.h"
#include "commands/value.h"
#include "terminal/message.h"
#include "video/video.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Chains for samples of 9 to 15 bits ----------------------------------------------------- */

/* A stage of the text of a chain. */
struct piece {
    const char *text;
    size_t length;
};

/* The part of `text` before `stop` outside of parentheses, which the library has checked. */
static size_t piece_length(const char *text, size_t length, char stop)
{
    int depth = 0;
    for (size_t i = 0; i < length; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (depth == 0 && text[i] == stop)
            return i;
    }
    return length;
}

/* The argument key=... of a stage; its length is 0 if there is none. */
static struct piece find_argument(struct piece stage, const char *key)
{
    size_t skip = strlen(key);
    for (size_t at = 0; at < stage.length;) {
        size_t length = piece_length(stage.text + at, stage.length - at, ':');
        if (length > skip && strncmp(stage.text + at, key, skip) == 0)
            return (struct piece){stage.text + at, length};
        at += length + 1;
    }
    return (struct piece){stage.text, 0};
}

/* Copies the value of an argument, without parentheses around it. */
static void plans_copy_value(struct piece argument, const char *key, char *value, size_t size)
{
    size_t skip = strlen(key);
    snprintf(value, size, "%.*s", (int)(argument.length - skip), argument.text + skip);
    size_t length = strlen(value);
    if (length < 2 || value[0] != '(' || value[length - 1] != ')')
        return;
    memmove(value, value + 1, length - 2);
    value[length - 2] = '\0';
}

/* Does the stage give u16? `before`: the stage before it did. With --intermediate only the last
 * stage has the source's type by itself. */
static bool gives_u16(struct piece stage, bool last, bool intermediate, bool before)
{
    char value[8];
    struct piece type = find_argument(stage, "type=");
    if (type.length == 0)
        return intermediate ? last : before;
    plans_copy_value(type, "type=", value, sizeof value);
    return strcmp(value, "u16") == 0;
}

static bool plans_parse_clamp(struct piece clamp, double *low, double *high)
{
    char value[80];
    plans_copy_value(clamp, "clamp=", value, sizeof value);
    char *dots = strstr(value, "..");
    if (!dots)
        return false;
    *dots = '\0';
    return value_number(value, low) && value_number(dots + 2, high);
}

/* Writes the stage with the narrower clamp. */
static int write_limited(FILE *to, struct piece stage, int highest)
{
    struct piece clamp = find_argument(stage, "clamp=");
    double low = 0, high = highest;
    if (clamp.length == 0) {
        fprintf(to, "%.*s:clamp=0..%d", (int)stage.length, stage.text, highest);
        return 0;
    }
    if (!plans_parse_clamp(clamp, &low, &high) || low > highest || high < 0)
        return complain(SWATHE_ERROR_ARGUMENT, "%.*s: the range of the samples is 0..%d",
                        (int)clamp.length, clamp.text, highest);
    const char *end = clamp.text + clamp.length;
    fprintf(to, "%.*sclamp=%.17g..%.17g%.*s", (int)(clamp.text - stage.text), stage.text,
            fmax(low, 0), fmin(high, highest), (int)(stage.text + stage.length - end), end);
    return 0;
}

static int write_stages(FILE *to, const char *text, const struct options *options, int highest)
{
    bool intermediate = options_has(options, OPTION_INTERMEDIATE), u16 = true;
    int code = 0;
    for (size_t left = strlen(text); code == 0 && left > 0;) {
        struct piece stage = {text, piece_length(text, left, ',')};
        bool last = stage.length == left;
        u16 = gives_u16(stage, last, intermediate, u16);
        if (u16)
            code = write_limited(to, stage, highest);
        else
            fprintf(to, "%.*s", (int)stage.length, stage.text);
        if (!last)
            putc(',', to);
        text += stage.length + !last;
        left -= stage.length + (size_t)!last;
    }
    return code;
}

static int parse_text(swathe_context *context, const struct options *options, const char *text,
                      int highest, swathe_chain **limited)
{
    struct os_memory_file made;
    os_memory_open(&made);
    if (!made.to)
        return complain(SWATHE_ERROR_MEMORY, "out of memory");
    int code = write_stages(made.to, text, options, highest);
    bool complete = os_memory_close(&made);
    if (!complete && code == 0)
        code = complain(SWATHE_ERROR_MEMORY, "out of memory");
    if (code == 0) {
        swathe_status status = swathe_chain_parse(context, made.text, limited);
        code = status == SWATHE_OK ? 0 : complain_library(status, NULL);
    }
    free(made.text);
    return code;
}

/* Samples of 9 to 15 bits are stored as u16. Their range is the range of the bits. Creates a chain
 * whose stages of u16 clamp to 0..highest, as if clamp=0..highest were written in each, or to the
 * part of a stage's own clamp= within it. The caller destroys it. On failure prints a message and
 * returns the exit code. */
static int limit_chain(swathe_context *context, const struct options *options,
                       const swathe_chain *chain, int highest, swathe_chain **limited)
{
    size_t size = 0;
    swathe_chain_text(chain, NULL, 0, &size);
    char *text = malloc(size);
    if (!text)
        return complain(SWATHE_ERROR_MEMORY, "out of memory");
    swathe_status status = swathe_chain_text(chain, text, size, NULL);
    int code = status == SWATHE_OK ? parse_text(context, options, text, highest, limited)
                                   : complain_library(status, NULL);
    free(text);
    return code;
}

/* ---- Plans ---------------------------------------------------------------------------------- */

/* An earlier plane of the same size, or -1. */
static int plans_find_same(const struct y4m *y4m, const struct video_plans *plans, int plane)
{
    for (int i = 0; i < plane; i++)
        if (plans->plans[i] && y4m->planes[i].width == y4m->planes[plane].width &&
            y4m->planes[i].height == y4m->planes[plane].height)
            return i;
    return -1;
}

/* The frame of the result must have the planes of the source. */
static int plans_check_result(const swathe_plan *plan, const char *name)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan_get(plan, &info);
    const swathe_shape *from = &info.source, *to = &info.result;
    if (to->channels != from->channels)
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        "%s: the chain makes %d channels of each plane, and a video stores one; "
                        "set join=hypot, max or sum in the filter, or filter single images",
                        name, (int)to->channels);
    if (to->type != from->type)
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        "%s: the chain makes %s of samples of %s, which the video cannot store; "
                        "set type=%s in the last filter",
                        name, value_type_name(to->type), value_type_name(from->type),
                        value_type_name(from->type));
    if (to->width != from->width || to->height != from->height)
        return complain(
            SWATHE_ERROR_UNSUPPORTED,
            "%s: border valid makes planes smaller, and those of a video would no "
            "longer fit each other; choose another border and crop with ffmpeg -vf crop",
            name);
    return 0;
}

/* Rows of an interlaced frame belong to two moments in turn. */
static int check_fields(const swathe_plan *plan, const struct y4m *y4m, const char *name)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    swathe_plan_get(plan, &info);
    if (y4m->fields == 'p' || y4m->fields == '?')
        return 0;
    for (int32_t i = 0; i < info.stages; i++)
        if (swathe_plan_stage(plan, i, &stage) == SWATHE_OK && (stage.above > 0 || stage.below > 0))
            return complain(SWATHE_ERROR_UNSUPPORTED,
                            "%s: is interlaced (I%c), and the filter would mix rows of different "
                            "moments; deinterlace it first, as with ffmpeg -vf bwdif",
                            name, y4m->fields);
    return 0;
}

static int plans_make(swathe_context *context, const struct options *options,
                      const swathe_chain *chain, const struct y4m_plane *plane, const char *name,
                      struct video_plans *plans, swathe_plan **plan)
{
    swathe_plan_options wanted;
    int code = request_plan(options, &wanted);
    if (code != 0)
        return code;
    swathe_shape shape = {.width = plane->width,
                          .height = plane->height,
                          .channels = 1,
                          .type = plans->type,
                          .color = SWATHE_COLOR_GREY};
    wanted.alpha = SWATHE_ALPHA_DEFAULT; /* planes have none */
    swathe_status status = swathe_plan_create(context, chain, &shape, &wanted, plan);
    if (status == SWATHE_OK)
        return plans_check_result(*plan, name);
    return complain_library(status, status == SWATHE_ERROR_ARGUMENT ? NULL : name);
}

static int make_all(swathe_context *context, const struct options *options,
                    const swathe_chain *chain, const struct y4m *y4m, const char *name,
                    struct video_plans *plans)
{
    const char *alpha = options_text(options, OPTION_ALPHA);
    bool keep = alpha && strcmp(alpha, "keep") == 0;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    for (int i = 0; i < y4m->kind.planes - (keep && y4m->kind.planes == Y4M_PLANES); i++) {
        int same = plans_find_same(y4m, plans, i);
        int code = 0;
        if (same >= 0)
            plans->plans[i] = plans->plans[same];
        else
            code =
                plans_make(context, options, chain, &y4m->planes[i], name, plans, &plans->plans[i]);
        if (code == 0)
            code = check_fields(plans->plans[i], y4m, name);
        if (code != 0)
            return code;
        swathe_plan_get(plans->plans[i], &info);
        if (info.scratch_bytes > plans->scratch_bytes)
            plans->scratch_bytes = info.scratch_bytes;
    }
    return 0;
}

int video_plans_make(swathe_context *context, const struct options *options,
                     const swathe_chain *chain, const struct y4m *y4m, const char *name,
                     struct video_plans *plans)
{
    int bits = y4m->kind.bits, code = 0;
    swathe_chain *limited = NULL;
    *plans =
        (struct video_plans){.type = bits > 8 ? SWATHE_U16 : SWATHE_U8, .highest = (1 << bits) - 1};
    if (bits > 8 && bits < 16)
        code = limit_chain(context, options, chain, plans->highest, &limited);
    if (code == 0)
        code = make_all(context, options, limited ? limited : chain, y4m, name, plans);
    swathe_chain_destroy(limited);
    return code;
}

void video_plans_destroy(struct video_plans *plans)
{
    for (int i = 0; i < Y4M_PLANES; i++) {
        bool own = true;
        for (int j = 0; j < i; j++)
            own = own && plans->plans[j] != plans->plans[i];
        if (own)
            swathe_plan_destroy(plans->plans[i]);
    }
}
