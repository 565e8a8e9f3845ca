#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */
#include "workload.h"

#include "commands/known_words.h"
#include "rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- Memory of an image ---------------------------------------------------------------------- */

swathe_status buffer_new(const swathe_shape *shape, swathe_layout layout, bool huge,
                         struct buffer *buffer)
{
    struct buffer made = {.shape = *shape, .layout = layout, .view = SWATHE_INIT(swathe_image)};
    swathe_status status = swathe_shape_bytes(shape, &made.bytes);
    if (status != SWATHE_OK)
        return status;
    void *data =
        mmap(NULL, (size_t)made.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return swathe_error_set(SWATHE_ERROR_MEMORY, "not enough memory for an image to measure");
    if (huge)
        madvise(data, (size_t)made.bytes, MADV_HUGEPAGE);
    made.data = data;
    status = swathe_image_init(shape, layout, data, &made.view);
    if (status == SWATHE_OK)
        *buffer = made;
    else
        munmap(data, (size_t)made.bytes);
    return status;
}

swathe_status buffer_like(const struct buffer *other, bool huge, struct buffer *buffer)
{
    return buffer_new(&other->shape, other->layout, huge, buffer);
}

void buffer_free(struct buffer *buffer)
{
    if (buffer->data)
        munmap(buffer->data, (size_t)buffer->bytes);
    *buffer = (struct buffer){0};
}

static void fill_f32(float *to, int64_t count, struct rng *rng)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)(rng_next(rng) >> 40) * 0x1p-24f;
}

static void fill_f64(double *to, int64_t count, struct rng *rng)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (double)(rng_next(rng) >> 11) * 0x1p-53;
}

void buffer_fill(struct buffer *buffer, uint64_t seed)
{
    struct rng rng = {seed};
    uint8_t *to = buffer->data;
    int16_t *shorts = buffer->data;
    swathe_type type = buffer->view.type;
    if (type == SWATHE_F32)
        fill_f32(buffer->data, buffer->bytes / 4, &rng);
    else if (type == SWATHE_F64)
        fill_f64(buffer->data, buffer->bytes / 8, &rng);
    else if (type == SWATHE_S16)
        for (int64_t i = 0; i < buffer->bytes / 2; i++)
            shorts[i] = (int16_t)(rng_next(&rng) & 255);
    else
        for (int64_t i = 0; i < buffer->bytes; i++)
            to[i] = (uint8_t)rng_next(&rng);
}

void buffer_garble(struct buffer *buffer)
{
    memset(buffer->data, 0xa5, (size_t)buffer->bytes);
}

uint64_t buffer_checksum(const struct buffer *buffer)
{
    const uint8_t *from = buffer->data;
    uint64_t sum = (uint64_t)buffer->bytes, word;
    int64_t i = 0;
    for (; i + 8 <= buffer->bytes; i += 8) {
        memcpy(&word, from + i, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    for (; i < buffer->bytes; i++)
        sum = (sum ^ from[i]) * 0x100000001b3u;
    return sum ^ sum >> 32;
}

/* ---- Image files ----------------------------------------------------------------------------- */

/* {k} is a placeholder for numbers. */
static bool is_chain(const char *text)
{
    swathe_context *context = NULL;
    swathe_chain *chain = NULL;
    bool good = strstr(text, "{k}") || (swathe_context_create(NULL, &context) == SWATHE_OK &&
                                        workload_chain(context, text, &chain) == SWATHE_OK);
    swathe_chain_destroy(chain);
    swathe_context_destroy(context);
    return good;
}

bool own_image_is(const char *argument)
{
    struct stat found;
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    const char *dot = strrchr(argument, '.');
    if (is_chain(argument))
        return false;
    if (stat(argument, &found) == 0 && S_ISREG(found.st_mode))
        return true;
    for (int32_t i = 0; dot && swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (word_listed(entry.syntax, ',', dot + 1, strncasecmp))
            return true;
    return false;
}

swathe_status own_image_shape(const char *path, swathe_shape *shape)
{
    swathe_context *context = NULL;
    swathe_source *source = NULL;
    swathe_status status = swathe_context_create(NULL, &context);
    if (status == SWATHE_OK)
        status = swathe_file_open(context, path, NULL, &source);
    if (status == SWATHE_OK)
        *shape = swathe_source_properties(source).shape;
    swathe_source_destroy(source);
    swathe_context_destroy(context);
    return status;
}

static double largest_of(const swathe_image *image)
{
    const float *floats = image->data;
    const double *doubles = image->data;
    int64_t count = image->width * image->height * image->channels;
    double largest = 1;
    if (image->type != SWATHE_F32 && image->type != SWATHE_F64)
        return largest;
    for (int64_t i = 0; i < count; i++) {
        double value = image->type == SWATHE_F64 ? doubles[i] : (double)floats[i];
        if (isfinite(value))
            largest = fmax(largest, fabs(value));
    }
    return largest;
}

swathe_status own_image_load(swathe_context *context, const char *path, const swathe_image *into,
                             double *largest)
{
    swathe_source *source = NULL;
    swathe_status status = swathe_file_open(context, path, NULL, &source);
    if (status != SWATHE_OK)
        return status;
    swathe_shape shape = swathe_source_properties(source).shape;
    if (shape.width != into->width || shape.height != into->height ||
        shape.channels != into->channels || shape.type != into->type)
        status = swathe_error_set(SWATHE_ERROR_INPUT, "the image changed while it was measured");
    else
        status = swathe_source_read(source, into);
    swathe_source_destroy(source);
    *largest = status == SWATHE_OK ? largest_of(into) : 1;
    return status;
}

/* ---- Chains ---------------------------------------------------------------------------------- */

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
                            const swathe_chain *chain, const char *arithmetic, swathe_plan **plan)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = workload_shape(problem);
    swathe_status status = swathe_plan_options_set(&o, "border", problem->border);
    o.alpha = SWATHE_ALPHA_KEEP; /* as other programs treat a fourth channel */
    o.algorithm = "reference";
    o.arithmetic = arithmetic;
    o.exact = SWATHE_EXACT;
    return status == SWATHE_OK ? swathe_plan_create(context, chain, &shape, &o, plan) : status;
}

swathe_status workload_result(swathe_context *context, const struct problem *problem,
                              const swathe_chain *chain, swathe_shape *result)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan *plan = NULL;
    swathe_status status = workload_plan(context, problem, chain, NULL, &plan);
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
