#include "video/plans.h"

#include "commands/request.h"
#include "commands/value.h"
#include "terminal/message.h"
#include "video/chain.h"

#include <inttypes.h>
#include <string.h>

/* An earlier plane of the same size, or -1. */
static int find_same(const struct y4m *y4m, const struct video_plans *plans, int plane)
{
    for (int i = 0; i < plane; i++)
        if (plans->plans[i] && y4m->planes[i].width == y4m->planes[plane].width &&
            y4m->planes[i].height == y4m->planes[plane].height)
            return i;
    return -1;
}

/* The frame of the result must have the planes of the source. */
static int check_result(const swathe_plan *plan, const char *name)
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

static int make(swathe_context *context, const struct options *options, const swathe_chain *chain,
                const struct y4m_plane *plane, const char *name, struct video_plans *plans,
                swathe_plan **plan)
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
        return check_result(*plan, name);
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
        int same = find_same(y4m, plans, i);
        int code = 0;
        if (same >= 0)
            plans->plans[i] = plans->plans[same];
        else
            code = make(context, options, chain, &y4m->planes[i], name, plans, &plans->plans[i]);
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
        code = video_chain_limit(context, options, chain, plans->highest, &limited);
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
