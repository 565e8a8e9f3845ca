/* The programs that tools/gpu_figures.py measures: one JSON line per program, with the task of a
 * launch over a large image. `stage_list --source` prints the kernels' text instead. */
#include "base/checked.h"
#include "filter/op.h"
#include "filter/problem.h"
#include "gpu/stages/device_stage.h"
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

enum { SIDE = 4096, ROW_ALIGN = 64 };

/* Limits of typical cards of the last ten years. */
static const struct gpu_limits typical = {.memory = INT64_C(8) << 30,
                                          .largest = INT64_C(2) << 30,
                                          .local = 48 << 10,
                                          .constant = 64 << 10,
                                          .group = 1024,
                                          .group_side = {1024, 1024, 64},
                                          .grid = {INT32_MAX, 65535, 65535},
                                          .fma = true,
                                          .denormals = true,
                                          .doubles = true,
                                          .dot4 = true};

struct wanted {
    const char *strategy, *chain, *type;
    bool planar, runtime;
    enum op_arithmetic arithmetic;
};

static const struct wanted production[] = {
    {"best", "gaussian:3:dense", "f32", false, false, ARITHMETIC_contract},
    {"best", "gaussian:5:dense", "f32", false, false, ARITHMETIC_contract},
    {"best", "gaussian:9:dense", "f32", false, false, ARITHMETIC_contract},
    {"best", "gaussian:3:dense", "u8", false, false, ARITHMETIC_contract},
    {"best", "gaussian:5:dense", "u8", false, false, ARITHMETIC_contract},
    {"best", "gaussian:9:dense", "u8", false, false, ARITHMETIC_contract},
    {"best", "gaussian:3:dense", "s16", false, false, ARITHMETIC_contract},
    {"best", "gaussian:5:dense", "s16", false, false, ARITHMETIC_contract},
    {"best", "gaussian:9:dense", "s16", false, false, ARITHMETIC_contract},
    {"best", "gaussian:5", "f32", false, false, ARITHMETIC_contract},
    {"best", "gaussian:9", "f32", false, false, ARITHMETIC_contract},
    {"best", "gaussian:5", "u8", false, false, ARITHMETIC_contract},
    {"best", "gaussian:9", "u8", false, false, ARITHMETIC_contract},
    {"best", "box:9", "u8", false, false, ARITHMETIC_contract},
    {"best", "box:9", "f32", false, false, ARITHMETIC_contract},
    {"best", "gaussian:3:dense", "f32", true, false, ARITHMETIC_contract},
    {"best", "gaussian:5:dense", "f32", true, false, ARITHMETIC_contract},
    {"best", "gaussian:5:dense", "u8", true, false, ARITHMETIC_contract},
    {"best", "gaussian:5", "u8", true, false, ARITHMETIC_contract},
    {"best", "gradient:join=stack:type=s16", "u8", true, false, ARITHMETIC_contract},
    {"best", "abs", "s16", false, false, ARITHMETIC_contract},
    {"best", "abs", "f32", false, false, ARITHMETIC_contract},
    {"best", "grey", "u8", true, false, ARITHMETIC_contract},
    {"best", "grey", "f32", true, false, ARITHMETIC_contract},
};

/* As the programs of reports are: compiled without the size of the mask, and with their sums. */
static const struct wanted as_reported[] = {
    {"naive", "gaussian:5:dense", "f32", false, true, ARITHMETIC_contract},
    {"naive-down", "gaussian:5:dense", "f32", false, true, ARITHMETIC_contract},
    {"shared", "gaussian:5:dense", "f32", false, true, ARITHMETIC_contract},
    {"shared-constant", "gaussian:5:dense", "f32", false, true, ARITHMETIC_contract},
    {"cached-down", "gaussian:5:dense", "f32", false, true, ARITHMETIC_contract},
    {"tiled", "gaussian:5:dense", "f32", false, true, ARITHMETIC_contract},
    {"1channel-noconst", "gaussian:5:dense", "s16", true, true, ARITHMETIC_report_001},
    {"1channel", "gaussian:5:dense", "s16", true, true, ARITHMETIC_report_001},
    {"3channel", "gaussian:5:dense", "s16", true, true, ARITHMETIC_report_001},
    {"3channel-grid", "gaussian:5:dense", "s16", true, true, ARITHMETIC_report_001},
    {"3channel-3", "gaussian:5:dense", "s16", true, true, ARITHMETIC_report_001},
};

/* ---- The task ----------------------------------------------------------------------------------
 */

static int pitch_of(const struct gpu_stage *stage, swathe_type type, int32_t channels,
                    int64_t width)
{
    int64_t size = sample_size(type), step = stage->planar ? 1 : channels;
    return (int)(round_up(width * step * size, ROW_ALIGN) / size);
}

/* The whole image in one launch. */
static struct gpu_task whole_job(const struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    struct gpu_task task = stage->task;
    task.width = (int)op->out_width;
    task.height = (int)op->out_height;
    task.last_y = task.height;
    bool padded = stage->strategy->reads == GPU_READS_PADDED;
    task.in_width = SIDE + (padded ? op->left + op->right : 0);
    task.in_height = SIDE + (padded ? op->above + op->below : 0);
    task.in_pitch = pitch_of(stage, op->in, op->channels, task.in_width);
    task.out_pitch = pitch_of(stage, op->out, op->out_channels, SIDE);
    task.in_plane = task.in_pitch * task.in_height;
    task.out_plane = task.out_pitch * SIDE;
    task.inner_left = op->left;
    task.inner_right = task.width - op->right;
    task.inner_top = op->above;
    task.inner_bottom = task.height - op->below;
    task.column_base = padded ? 0 : -op->left;
    task.row_base = padded ? 0 : -op->above;
    return task;
}

/* ---- Printing -----------------------------------------------------------------------------------
 */

static void print_three(const char *name, const int32_t three[3])
{
    printf(",\"%s\":[%d,%d,%d]", name, (int)three[0], (int)three[1], (int)three[2]);
}

static void print_stage(const struct wanted *wanted, const struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    struct gpu_task task = whole_job(stage);
    int32_t grid[3];
    gpu_stage_grid(stage, task.width, task.height, grid);
    printf("{\"program\":\"%s%s %s %s%s%s\",\"kernel\":\"%s\"", wanted->strategy,
           wanted->runtime ? ":runtime" : "", wanted->chain, wanted->type,
           wanted->planar ? " planar" : "",
           wanted->arithmetic == ARITHMETIC_contract ? "" : ", sums of the report", stage->kernel);
    print_three("group", stage->group);
    print_three("grid", grid);
    printf(",\"in_size\":%d,\"out_size\":%d,\"given\":%d", (int)sample_size(op->in),
           (int)sample_size(op->out), (int)stage->given_bytes);
    printf(",\"task\":\"");
    for (size_t i = 0; i < sizeof task; i++)
        printf("%02x", ((const uint8_t *)&task)[i]);
    printf("\",\"options\":[");
    for (int32_t i = 0; i < stage->option_count; i++)
        printf("%s\"%s\"", i > 0 ? "," : "", stage->options[i]);
    printf("]}\n");
}

static swathe_status list_one(const struct wanted *wanted)
{
    char text[256];
    struct problem problem = {0};
    struct op *ops;
    struct op_options options = {.arithmetic = wanted->arithmetic};
    struct gpu_stage stage;
    struct gpu_choice choice = {.strategy = gpu_strategy_named(wanted->strategy),
                                .planar = wanted->planar,
                                .runtime = wanted->runtime};
    snprintf(text, sizeof text, "contract=%d shape=%dx%dx3:%s chain={%s}", SWATHE_CONTRACT, SIDE,
             SIDE, wanted->type, wanted->chain);
    TRY(problem_parse(&memory_default, text, SWATHE_CONTRACT, &problem));
    swathe_status status = border_parse("reflect", &options.border);
    if (status == SWATHE_OK)
        status = op_bind(&problem.arena, problem.chain, &problem.source, &options, &ops);
    if (status == SWATHE_OK)
        status = gpu_stage_make(&problem.arena, &ops[0], &choice, &typical, &stage);
    if (status == SWATHE_OK)
        print_stage(wanted, &stage);
    problem_free(&problem);
    return status;
}

static swathe_status list_all(void)
{
    static const char *const types[] = {"f32", "u8"};
    for (size_t i = 0; i < sizeof production / sizeof *production; i++)
        TRY(list_one(&production[i]));
    for (int i = 1; gpu_strategy_at(i); i++)
        for (int k = 0; k < 2; k++) {
            const struct gpu_strategy *strategy = gpu_strategy_at(i);
            struct wanted wanted = {strategy->name, "gaussian:5:dense",
                                    types[k],       strategy->planar == 1,
                                    false,          ARITHMETIC_contract};
            if (strategy->shape == GPU_SHAPE_PRODUCTS && k == 0)
                wanted.arithmetic = ARITHMETIC_report_002;
            TRY(list_one(&wanted));
        }
    for (size_t i = 0; i < sizeof as_reported / sizeof *as_reported; i++)
        TRY(list_one(&as_reported[i]));
    return SWATHE_OK;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--source") == 0)
        return fputs(gpu_source(), stdout) < 0;
    if (list_all() == SWATHE_OK)
        return 0;
    fprintf(stderr, "%s\n", swathe_error_text());
    return 1;
}
