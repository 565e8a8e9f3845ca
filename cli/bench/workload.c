#include "bench/workload.h"

#include "rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_MOST = 4096 };

/* Taps of a sum of 1 in sizes; the middle outweighs the rest, so results of photos stay inside of
 * their type. */
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
        return swathe_error_set(SWATHE_ERROR_MEMORY, "no memory for a mask");
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
                                "dense:K and blur:K take one size from 1 to 4096");
    swathe_chain *made;
    swathe_status status = swathe_chain_parse(context, "", &made);
    if (status == SWATHE_OK)
        status = append_square(context, made, (int32_t)k, blur);
    if (status == SWATHE_OK)
        *chain = made;
    return status;
}

swathe_shape workload_shape(const struct problem *problem)
{
    swathe_shape shape = SWATHE_INIT(swathe_shape);
    shape.width = problem->width;
    shape.height = problem->height;
    shape.channels = problem->channels;
    shape.type = problem->type;
    return shape;
}

double workload_flop(const swathe_chain *chain, const struct problem *problem)
{
    double taps = 0;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    for (int32_t i = 0; i < swathe_chain_stages(chain); i++)
        if (swathe_chain_mask(chain, i, 0, &mask) == SWATHE_OK)
            taps += (double)mask.width * mask.height;
    return 2 * taps * (double)problem->width * (double)problem->height * problem->channels;
}

double workload_bytes(const struct problem *problem)
{
    swathe_shape shape = workload_shape(problem);
    int64_t bytes = 0;
    return swathe_shape_bytes(&shape, &bytes) == SWATHE_OK ? 2.0 * (double)bytes : 0;
}
