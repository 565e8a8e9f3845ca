#include "gpu_case.h"

#include "../../cli/rng.h"
#include "base/checked.h"
#include "filter/op.h"
#include "filter/plan_option.h"
#include "filter/values.h"
#include "image/view.h"
#include "plan/interval.h"
#include "run/samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_ALIGN = 64 };

static void must(swathe_status status)
{
    if (status == SWATHE_OK)
        return;
    printf("FAILED to create a case: %s\n", fail_text());
    exit(2);
}

static void *must_have(int64_t bytes)
{
    void *block = malloc((size_t)max64(bytes, 1));
    if (!block)
        abort();
    return block;
}

/* Bytes with all values; floats are often small, sometimes special. */
static void fill_samples(struct rng *rng, swathe_type type, void *data, int64_t count)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, -0.0, 1e-40, 3e38, 254.5, 5e-324};
    bool special = rng_once_in(rng, 3);
    int32_t size = sample_size(type);
    for (int64_t i = 0; i < count; i++) {
        uint64_t random = rng_next(rng);
        char *at = (char *)data + i * size;
        if (!sample_is_float(type))
            memcpy(at, &random, (size_t)size); /* any bytes of it are random */
        else if (special && random % 16 == 0)
            sample_store(at, type, specials[random / 16 % 8]);
        else
            sample_store(at, type, rng_unit(rng) * 300.0);
    }
}

/* The chain of the plan: with stages for joins, weights and values. */
static const struct chain *expand(const struct gpu_wish *wish, const struct op_options *options,
                                  struct gpu_case *made)
{
    const struct chain *expanded;
    struct chain *extended;
    swathe_plan_options of_values = SWATHE_INIT(swathe_plan_options);
    must(chain_parse(&memory_default, wish->chain, &made->chain));
    must(join_expand(&made->arena, made->chain, &expanded));
    must(weights_expand(&made->arena, expanded, &options->weights, &options->border, &expanded));
    if (wish->to == SWATHE_TYPE_DEFAULT)
        return expanded;
    if (wish->values)
        must(plan_option_set(&of_values, "values", wish->values));
    struct values values = values_choose(&of_values, wish->type, wish->to);
    must(values_append(&made->arena, expanded, &values, wish->to, &extended));
    return extended;
}

/* False if the border leaves an empty result. The shape becomes that of the last op's input. */
static bool bind_op(const struct gpu_wish *wish, swathe_shape *shape, struct gpu_case *made)
{
    struct op_options options = {.weights.kind = wish->premultiply ? WEIGHTS_ALPHA : WEIGHTS_NONE,
                                 .arithmetic = wish->arithmetic};
    struct op *ops;
    must(border_parse(wish->border, &options.border));
    if (wish->nodata)
        must(weights_parse(wish->nodata, &options.weights));
    const struct chain *chain = expand(wish, &options, made);
    options.own = chain->count - (wish->to != SWATHE_TYPE_DEFAULT);
    swathe_status status = op_bind(&made->arena, chain, shape, &options, &ops);
    if (status != SWATHE_OK && options.border.mode == BORDER_VALID)
        return false;
    must(status);
    made->op = &ops[chain->count - 1 - wish->back];
    shape->width = made->op->in_width;
    shape->height = made->op->in_height;
    shape->channels = made->op->channels;
    shape->type = made->op->in;
    return true;
}

/* Computes the reference's result of the whole image. */
static void make_expected(const struct gpu_wish *wish, const swathe_shape *shape,
                          struct gpu_case *made, swathe_image *source)
{
    struct rng rng = {wish->seed};
    const struct op *op = made->op;
    int64_t samples = shape->width * shape->height * shape->channels;
    swathe_shape whole = *shape;
    swathe_image result;
    void *data = must_have(samples * sample_size(op->in));
    fill_samples(&rng, op->in, data, samples);
    must(view_init(shape, SWATHE_PLANAR, data, source));
    whole.width = op->out_width;
    whole.height = op->out_height;
    whole.channels = op->out_channels;
    whole.type = op->out;
    made->expected = must_have(whole.width * whole.height * whole.channels * sample_size(op->out));
    must(view_init(&whole, SWATHE_PLANAR, made->expected, &result));
    must(reference_run(&memory_default, op, 1, source, &result));
}

static int64_t pitch_of(const struct gpu_case *made, swathe_type type, int32_t channels,
                        int64_t width)
{
    int64_t step = made->stage.planar ? 1 : channels;
    return round_up(width * step * sample_size(type), ROW_ALIGN) / sample_size(type);
}

/* The index of sample (x, y, c) in a device's image with this number of channels. */
static int64_t index_of(const struct gpu_case *made, int32_t channels, int64_t pitch, int64_t plane,
                        int64_t x, int64_t y, int64_t c)
{
    return made->stage.planar ? c * plane + y * pitch + x : y * pitch + x * channels + c;
}

/* A sample of the image or of its border. */
static void put_sample(const struct op *op, const swathe_image *source, int64_t x, int64_t y,
                       int32_t c, char *to)
{
    int64_t column = border_index(&op->border, x, op->in_width);
    int64_t row = border_index(&op->border, y, op->in_height);
    if (row == BORDER_OUTSIDE || column == BORDER_OUTSIDE)
        samples_fill(to, op->in, op->border.value, 1);
    else
        memcpy(to, view_at(source, column, row, c), (size_t)sample_size(op->in));
}

static void put_input(struct gpu_case *made, const swathe_image *source, struct interval columns,
                      struct interval rows)
{
    const struct op *op = made->op;
    int64_t size = sample_size(op->in), width = columns.last - columns.first;
    int64_t height = rows.last - rows.first;
    made->task.in_width = (int)width;
    made->task.in_height = (int)height;
    made->task.in_pitch = (int)pitch_of(made, op->in, op->channels, width);
    made->task.in_plane = (int)(made->task.in_pitch * height);
    made->in_bytes = made->task.in_plane * size * (made->stage.planar ? op->channels : 1);
    made->in = must_have(made->in_bytes);
    memset(made->in, 0xc3, (size_t)made->in_bytes);
    for (int32_t c = 0; c < op->channels; c++)
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++)
                put_sample(op, source, columns.first + x, rows.first + y, c,
                           (char *)made->in + size * index_of(made, op->channels,
                                                              made->task.in_pitch,
                                                              made->task.in_plane, x, y, c));
}

static int32_t *make_table(const struct op *op, enum interval_axis axis, struct interval out,
                           struct interval in, int64_t *count)
{
    struct interval reach = interval_reach(op, axis, out);
    int64_t extent = axis == INTERVAL_COLUMNS ? op->in_width : op->in_height;
    *count = reach.last - reach.first;
    int32_t *table = must_have(*count * (int64_t)sizeof *table);
    for (int64_t i = 0; i < *count; i++) {
        int64_t at = border_index(&op->border, reach.first + i, extent);
        table[i] = at == BORDER_OUTSIDE ? -1 : (int32_t)(at - in.first);
    }
    return table;
}

static void find_inner(const struct op *op, enum interval_axis axis, struct interval out,
                       struct interval in, int *first, int *last, int *base)
{
    struct interval reach = interval_reach(op, axis, out);
    int64_t extent = axis == INTERVAL_COLUMNS ? op->in_width : op->in_height;
    int64_t n = out.last - out.first;
    *first = (int)min64(max64(-reach.first, 0), n);
    *last = (int)max64(n - max64(reach.last - extent, 0), *first);
    *base = (int)(reach.first - in.first);
}

static void make_device_side(struct gpu_case *made, const swathe_image *source)
{
    const struct op *op = made->op;
    const swathe_rect *rect = &made->rect;
    struct interval out_x = {rect->x, rect->x + rect->width};
    struct interval out_y = {rect->y, rect->y + rect->height};
    bool padded = made->stage.strategy->reads == GPU_READS_PADDED;
    struct interval in_x = (padded ? interval_reach : interval_need)(op, INTERVAL_COLUMNS, out_x);
    struct interval in_y = (padded ? interval_reach : interval_need)(op, INTERVAL_ROWS, out_y);
    struct gpu_task *task = &made->task;
    *task = made->stage.task;
    task->width = (int)rect->width;
    task->height = task->last_y = (int)rect->height;
    put_input(made, source, in_x, in_y);
    task->out_pitch = (int)pitch_of(made, op->out, op->out_channels, rect->width);
    task->out_plane = (int)(task->out_pitch * rect->height);
    made->out_bytes =
        task->out_plane * sample_size(op->out) * (made->stage.planar ? op->out_channels : 1);
    made->out = must_have(made->out_bytes);
    memset(made->out, 0x3c, (size_t)made->out_bytes);
    made->columns = make_table(op, INTERVAL_COLUMNS, out_x, in_x, &made->column_count);
    made->rows = make_table(op, INTERVAL_ROWS, out_y, in_y, &made->row_count);
    find_inner(op, INTERVAL_COLUMNS, out_x, in_x, &task->inner_left, &task->inner_right,
               &task->column_base);
    find_inner(op, INTERVAL_ROWS, out_y, in_y, &task->inner_top, &task->inner_bottom,
               &task->row_base);
}

bool gpu_case_make(const struct gpu_wish *wish, const struct gpu_limits *limits,
                   struct gpu_case *made)
{
    swathe_shape shape = {0};
    swathe_image source;
    struct gpu_choice choice = {
        .block = wish->block, .planar = wish->planar, .runtime = wish->runtime};
    *made = (struct gpu_case){.arena = {.memory = &memory_default}, .rect = wish->rect};
    shape.width = wish->width;
    shape.height = wish->height;
    shape.channels = wish->channels;
    shape.type = wish->type;
    shape.alpha = wish->alpha;
    choice.strategy = wish->strategy ? gpu_strategy_named(wish->strategy) : NULL;
    if (!bind_op(wish, &shape, made) ||
        gpu_stage_make(&made->arena, made->op, &choice, limits, &made->stage) != SWATHE_OK) {
        gpu_case_free(made);
        return false;
    }
    if (made->rect.width == 0)
        made->rect = (swathe_rect){0, 0, made->op->out_width, made->op->out_height};
    make_expected(wish, &shape, made, &source);
    make_device_side(made, &source);
    free(source.data);
    return true;
}

void gpu_case_free(struct gpu_case *made)
{
    free(made->expected);
    free(made->in);
    free(made->out);
    free(made->rows);
    free(made->columns);
    arena_free(&made->arena);
    chain_free(made->chain);
}

static bool same(swathe_type type, const char *got, const char *want)
{
    return memcmp(got, want, (size_t)sample_size(type)) == 0 ||
           (isnan(sample_load(got, type)) && isnan(sample_load(want, type)));
}

static void report(const struct gpu_wish *wish, const struct gpu_case *made, int64_t x, int64_t y,
                   int64_t c)
{
    printf("FAILED %s %s: kernel %s, %s%s, arithmetic %d, type %d, %s, %" PRId64 " x %" PRId64
           " x %d, result %" PRId64 " x %" PRId64 " + %" PRId64 " + %" PRId64 ": first at %" PRId64
           ", %" PRId64 ", channel %" PRId64 "\n",
           wish->chain, wish->border, made->stage.kernel, made->stage.strategy->name,
           wish->runtime ? ":runtime" : "", (int)wish->arithmetic, wish->type,
           wish->planar ? "planar" : "interleaved", wish->width, wish->height, wish->channels,
           made->rect.width, made->rect.height, made->rect.x, made->rect.y, x, y, c);
}

bool gpu_case_check(const struct gpu_wish *wish, const struct gpu_case *made)
{
    const struct op *op = made->op;
    int64_t size = sample_size(op->out);
    for (int32_t c = 0; c < op->out_channels; c++)
        for (int64_t y = 0; y < made->rect.height; y++)
            for (int64_t x = 0; x < made->rect.width; x++) {
                int64_t at = index_of(made, op->out_channels, made->task.out_pitch,
                                      made->task.out_plane, x, y, c);
                int64_t whole = (c * op->out_height + made->rect.y + y) * op->out_width;
                if (same(op->out, (const char *)made->out + at * size,
                         (const char *)made->expected + (whole + made->rect.x + x) * size))
                    continue;
                report(wish, made, x, y, c);
                return false;
            }
    return true;
}
