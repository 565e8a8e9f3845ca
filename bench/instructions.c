/* Runs one kernel once on a small image, so that tools/instruction_guard.py can count its
 * instructions. Everything that depends on the machine is fixed: instruction set, algorithm, cells.
 *   instructions               lists the cases
 *   instructions --compiler    prints the compiler that built the program
 *   instructions CASE ISA      runs a case; prints samples, instruction set and algorithm */
#include "swathe/swathe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 512, HEIGHT = 64, CHANNELS = 3, SAMPLES = WIDTH * HEIGHT * CHANNELS };

struct count_case {
    const char *name, *chain, *algorithm;
    swathe_type type;
};

static const struct count_case cases[] = {
    {"u8-dense-3x3", "mask:(1 2 3; 4 5 -6; 7 -8 9)", "direct", SWATHE_U8},
    {"u8-gaussian-9", "gaussian:9", "two-pass", SWATHE_U8},
    {"u8-gaussian-33", "gaussian:33", "two-pass", SWATHE_U8},
    {"u8-box-31", "box:31", "mean", SWATHE_U8},
    {"f32-gaussian-7", "gaussian:7", "two-pass", SWATHE_F32},
    {"s16-dense-3x3", "mask:(1 2 3; 4 5 -6; 7 -8 9)", "direct", SWATHE_S16},
    {"f32-dense-5x5",
     "mask:(.1 .2 .3 .4 .5; .6 -.7 .8 .9 .1; .2 .3 .4 -.5 .6; .7 .8 .9 .1 .2; .3 .4 .5 .6 .7)",
     "direct", SWATHE_F32},
    {"f64-gaussian-7", "gaussian:7", "two-pass", SWATHE_F64},
    {"f64-dense-5x5",
     "mask:(.1 .2 .3 .4 .5; .6 -.7 .8 .9 .1; .2 .3 .4 -.5 .6; .7 .8 .9 .1 .2; .3 .4 .5 .6 .7)",
     "direct", SWATHE_F64},
    {"s16-box-9", "box:9", "mean", SWATHE_S16},
    {"u8-chain", "sharpen,gaussian:5,edge,gaussian:9", NULL, SWATHE_U8},
};
enum { CASES = sizeof cases / sizeof *cases };

static int complain(const char *what)
{
    fprintf(stderr, "instructions: %s: %s\n", what, swathe_error_text());
    return 1;
}

/* Counts of builds without optimisation, or with assertions, are not comparable. */
static int print_compiler(void)
{
#ifdef __clang__
    printf("clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    printf("gcc %s", __VERSION__);
#endif
#if !defined(NDEBUG) || !defined(__OPTIMIZE__)
    printf(", not a release build");
#endif
    printf("\n");
    return 0;
}

static swathe_shape shape_of(const struct count_case *c)
{
    swathe_shape shape = {0};
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = CHANNELS;
    shape.type = c->type;
    return shape;
}

static swathe_plan *make_plan(swathe_context *context, const struct count_case *c, const char *isa)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = shape_of(c);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    o.algorithm = c->algorithm;
    o.isa = isa;
    if (swathe_chain_parse(context, c->chain, &chain) != SWATHE_OK ||
        swathe_plan_create(context, chain, &shape, &o, &plan) != SWATHE_OK)
        complain(c->name);
    swathe_chain_destroy(chain);
    return plan;
}

static int run(swathe_context *context, const struct count_case *c, const char *isa)
{
    static double from_bytes[SAMPLES], to_bytes[SAMPLES];
    swathe_image from = SWATHE_INIT(swathe_image), to = from;
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    swathe_shape shape = shape_of(c);
    swathe_plan *plan = make_plan(context, c, isa);
    if (!plan)
        return 1;
    o.threads = 1;
    o.cell_rows = HEIGHT;
    o.span_columns = WIDTH;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, from_bytes, &from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to_bytes, &to);
    swathe_status status = swathe_run(context, plan, &from, &to, &o);
    swathe_plan_stage(plan, 0, &stage);
    printf("%d %s %s\n", SAMPLES, stage.isa, stage.algorithm);
    swathe_plan_destroy(plan);
    return status == SWATHE_OK ? 0 : complain(c->name);
}

static int run_named(const char *name, const char *isa)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    o.threads = 1;
    o.wisdom = "off";
    for (int i = 0; i < CASES; i++) {
        if (strcmp(cases[i].name, name) != 0)
            continue;
        if (swathe_context_create(&o, &context) != SWATHE_OK)
            return complain("start");
        int failed = run(context, &cases[i], isa);
        swathe_context_destroy(context);
        return failed;
    }
    fprintf(stderr, "instructions: unknown case %s; run without arguments to list the cases\n",
            name);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return run_named(argv[1], argv[2]);
    if (argc == 2 && strcmp(argv[1], "--compiler") == 0)
        return print_compiler();
    for (int i = 0; i < CASES; i++)
        printf("%s\n", cases[i].name);
    return argc > 1 ? 2 : 0;
}
