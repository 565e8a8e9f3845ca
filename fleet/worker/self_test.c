/* Compares the plans that a worker uses with the reference algorithm, on images of noise. */
#include "fail.h"
#include "worker/worker.h"

#include <stdlib.h>
#include <string.h>

/* The reference may take this many products. */
#define MOST_WORK ((int64_t)1 << 22)

struct trial {
    swathe_context *context;
    const swathe_chain *chain;
    swathe_plan_options options;
    swathe_shape shape;
    void *source, *results[2];
    int64_t source_bytes, result_bytes;
};

/* Noise in all bits; floats are within -1 and 1. */
static void self_test_fill(struct trial *trial, uint64_t state)
{
    uint8_t *bytes = trial->source;
    float *floats = trial->source;
    double *doubles = trial->source;
    swathe_type type = trial->shape.type;
    int64_t size = type == SWATHE_F64 ? 8 : type == SWATHE_F32 ? 4 : 1;
    for (int64_t i = 0; i < trial->source_bytes / size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (type == SWATHE_F64)
            doubles[i] = (double)(int64_t)state / 0x1p63;
        else if (type == SWATHE_F32)
            floats[i] = (float)((double)(int32_t)(state >> 32) / 2147483648.0);
        else
            bytes[i] = (uint8_t)(state >> 56);
    }
}

/* Chooses an image that the reference can filter in moderate time. */
static void self_test_choose_size(struct trial *trial, const swathe_plan *plan)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    int64_t taps = 1;
    if (swathe_plan_get(plan, &info) != SWATHE_OK)
        return;
    for (int32_t i = 0; i < info.stages; i++)
        if (swathe_plan_stage(plan, i, &stage) == SWATHE_OK)
            taps += (stage.left + stage.right + 1) * (int64_t)(stage.above + stage.below + 1);
    int64_t pixels = MOST_WORK / (taps * trial->shape.channels);
    while (trial->shape.height > 16 && trial->shape.width * trial->shape.height > pixels) {
        trial->shape.width = trial->shape.width * 3 / 4;
        trial->shape.height = trial->shape.height * 3 / 4;
    }
}

static swathe_status self_test_make_plan(const struct trial *trial, const char *algorithm,
                                         swathe_plan **plan)
{
    swathe_plan_options options = trial->options;
    options.algorithm = algorithm;
    if (algorithm)
        options.device = NULL;
    return swathe_plan_create(trial->context, trial->chain, &trial->shape, &options, plan);
}

static swathe_status self_test_run_plan(struct trial *trial, const char *algorithm, void **result)
{
    swathe_plan *plan;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image source = SWATHE_INIT(swathe_image), destination = SWATHE_INIT(swathe_image);
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    options.threads = 1;
    TRY(self_test_make_plan(trial, algorithm, &plan));
    swathe_status status = swathe_plan_get(plan, &info);
    if (status == SWATHE_OK)
        status = swathe_shape_bytes(&info.result, &trial->result_bytes);
    if (status == SWATHE_OK)
        status = fleet_allocate((size_t)trial->result_bytes, 1, result);
    if (status == SWATHE_OK)
        status = swathe_image_init(&trial->shape, SWATHE_INTERLEAVED, trial->source, &source);
    if (status == SWATHE_OK)
        status = swathe_image_init(&info.result, SWATHE_INTERLEAVED, *result, &destination);
    if (status == SWATHE_OK)
        status = swathe_run(trial->context, plan, &source, &destination, &options);
    swathe_plan_destroy(plan);
    return status;
}

static swathe_status self_test_compare(struct trial *trial)
{
    TRY(swathe_shape_bytes(&trial->shape, &trial->source_bytes));
    TRY(fleet_allocate((size_t)trial->source_bytes, 1, &trial->source));
    self_test_fill(trial, 15);
    TRY(self_test_run_plan(trial, NULL, &trial->results[0]));
    TRY(self_test_run_plan(trial, "reference", &trial->results[1]));
    if (memcmp(trial->results[0], trial->results[1], (size_t)trial->result_bytes) == 0)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_INTERNAL,
                      "the self-test failed: results differ from the reference; this machine "
                      "computes wrongly, or this is a bug in Swathe");
}

/* A chain that does not fit an image of this type is not tested on it. */
static swathe_status test_type(swathe_context *context, const swathe_chain *chain,
                               const swathe_plan_options *options, swathe_type type)
{
    struct trial trial = {
        context,
        chain,
        *options,
        {.width = 293, .height = 211, .channels = 3, .type = type, .color = SWATHE_COLOR_RGB},
        NULL,
        {NULL, NULL},
        0,
        0};
    swathe_plan *plan;
    if (self_test_make_plan(&trial, NULL, &plan) != SWATHE_OK)
        return SWATHE_OK;
    self_test_choose_size(&trial, plan);
    swathe_plan_destroy(plan);
    swathe_status status = self_test_compare(&trial);
    free(trial.source);
    free(trial.results[0]);
    free(trial.results[1]);
    return status;
}

static swathe_status test_chain(swathe_context *context, const swathe_chain *chain,
                                const swathe_plan_options *options)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_TYPES, i, &entry) == SWATHE_OK; i++)
        TRY(test_type(context, chain, options, (swathe_type)entry.value));
    return SWATHE_OK;
}

swathe_status worker_self_test(swathe_context *context, const swathe_chain *chain,
                               const swathe_plan_options *options)
{
    static const char *const chains[] = {"gaussian:5", "sharpen", "disk:6", "sobel-x:border=wrap",
                                         "box:9,laplacian"};
    TRY(test_chain(context, chain, options));
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        swathe_chain *other;
        TRY(swathe_chain_parse(context, chains[i], &other));
        swathe_status status = test_chain(context, other, options);
        swathe_chain_destroy(other);
        TRY(status);
    }
    return SWATHE_OK;
}
