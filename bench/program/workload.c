#include "workload.h"

#include "rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_MOST = 4096 };

/* Random taps whose absolute values add up to 0.5, plus 0.5 in the middle, so that results stay
 * within the range of their type. */
static void fill_dense(double *taps, int32_t k)
{
    struct rng rng = {(uint64_t)k};
    double sum = 0;
    for (int32_t i = 0; i < k * k; i++)
        sum += fabs(taps[i] = rng_unit(&rng));
    for (int32_t i = 0; i < k * k; i++)
        taps[i] /= 2 * sum;
    taps[k * k / 2] += 0.5;
}

static swathe_status append_square(swathe_context *context, swathe_chain *chain, int32_t k,
                                   bool equal)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    double *taps = malloc((size_t)k * (size_t)k * sizeof *taps);
    if (!taps)
        return swathe_error_set(SWATHE_ERROR_MEMORY, "not enough memory for a mask");
    fill_dense(taps, k);
    for (int32_t i = 0; equal && i < k * k; i++)
        taps[i] = 1.0 / ((double)k * k);
    mask.width = mask.height = k;
    mask.taps = taps;
    swathe_status status = swathe_chain_append_mask(context, chain, &mask, 1, NULL);
    free(taps);
    return status;
}

swathe_status workload_chain(swathe_context *context, const char *filter, swathe_chain **chain)
{
    bool dense = strncmp(filter, "dense:", 6) == 0, blur = strncmp(filter, "blur:", 5) == 0;
    char *end;
    if (!dense && !blur)
        return swathe_chain_parse(context, filter, chain);
    long k = strtol(strchr(filter, ':') + 1, &end, 10);
    if (*end || k < 1 || k > EDGE_MOST)
        return swathe_error_set(SWATHE_ERROR_ARGUMENT,
                                "dense:K and blur:K take a size from 1 to 4096");
    swathe_chain *made = NULL;
    swathe_status status = swathe_chain_parse(context, "", &made);
    if (status == SWATHE_OK)
        status = append_square(context, made, (int32_t)k, blur);
    if (status == SWATHE_OK)
        *chain = made;
    else
        swathe_chain_destroy(made);
    return status;
}

swathe_shape workload_shape(const struct problem *problem)
{
    swathe_shape shape = {0};
    shape.width = problem->width;
    shape.height = problem->height;
    shape.channels = problem->channels;
    shape.type = problem->type;
    shape.alpha = problem->alpha;
    return shape;
}

double workload_flop(const swathe_chain *chain, const swathe_shape *result)
{
    double taps = 0;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    for (int32_t i = 0; i < swathe_chain_stages(chain); i++)
        if (swathe_chain_mask(chain, i, 0, &mask) != SWATHE_OK)
            return 0;
        else
            taps += (double)mask.width * mask.height;
    return 2 * taps * (double)result->width * (double)result->height *
           (result->channels - (result->alpha > 0));
}

swathe_status workload_plan(swathe_context *context, const struct problem *problem,
                            const swathe_chain *chain, swathe_plan **plan)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = workload_shape(problem);
    o.border = problem->border;
    o.alpha = "keep"; /* as other programs treat a fourth channel */
    o.algorithm = "reference";
    o.exact = 1;
    return swathe_plan_create(context, chain, &shape, &o, plan);
}

swathe_status workload_result(swathe_context *context, const struct problem *problem,
                              const swathe_chain *chain, swathe_shape *result)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan *plan = NULL;
    swathe_status status = workload_plan(context, problem, chain, &plan);
    if (status == SWATHE_OK)
        status = swathe_plan_get(plan, &info);
    swathe_plan_destroy(plan);
    if (status == SWATHE_OK)
        *result = info.result;
    return status;
}

double workload_cost(const swathe_plan *plan)
{
    double cost = 0;
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    for (int32_t i = 0; swathe_plan_stage(plan, i, &stage) == SWATHE_OK; i++) {
        double all = (stage.left + stage.right + 1.0) * (stage.above + stage.below + 1.0);
        bool sums =
            strncmp(stage.text, "box", 3) == 0; /* `taps` counts two passes, but all are added */
        cost += sums ? all : (double)stage.taps;
    }
    return cost;
}

double workload_bytes(const struct problem *problem, const swathe_shape *result)
{
    swathe_shape shape = workload_shape(problem);
    int64_t in = 0, out = 0;
    return swathe_shape_bytes(&shape, &in) == SWATHE_OK &&
                   swathe_shape_bytes(result, &out) == SWATHE_OK
               ? (double)in + (double)out
               : 0;
}
