/* Measures the cost of recomputed halos: one thread runs the four-filter chain on 6000 x 4000 x 3
 * u8 in cells of several heights, interleaved. The first rows of a cell are computed twice. A
 * shared ring buffer would avoid that, but its threads would wait for each other at every row. */
#include "swathe/swathe.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 6000, HEIGHT = 4000, ROUNDS = 9 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static const int64_t heights[] = {HEIGHT, 500, 250, 125, 64, 32, 16};
    enum { COUNT = sizeof heights / sizeof *heights };
    static double times[COUNT][ROUNDS];
    swathe_shape shape = {0};
    swathe_image from = SWATHE_INIT(swathe_image), to = from;
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_context *context = NULL;
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 3;
    shape.type = SWATHE_U8;
    uint8_t *a = malloc((size_t)WIDTH * HEIGHT * 3), *b = calloc((size_t)WIDTH * HEIGHT, 3);
    for (int64_t i = 0; i < (int64_t)WIDTH * HEIGHT * 3; i++)
        a[i] = (uint8_t)(i * i >> 7);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, a, &from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, b, &to);
    if (swathe_context_create(NULL, &context) != SWATHE_OK ||
        swathe_chain_parse(context, "sharpen,gaussian:5,edge,gaussian:9", &chain) != SWATHE_OK ||
        swathe_plan_create(context, chain, &shape, NULL, &plan) != SWATHE_OK)
        return fprintf(stderr, "cell_rows: %s\n", swathe_error_text()), 1;
    o.threads = 1;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < COUNT; i++) {
            o.cell_rows = heights[i];
            double start = now_ms();
            if (swathe_run(context, plan, &from, &to, &o) != SWATHE_OK)
                return fprintf(stderr, "cell_rows: %s\n", swathe_error_text()), 1;
            times[i][r] = now_ms() - start;
        }
    for (int i = 0; i < COUNT; i++)
        qsort(times[i], ROUNDS, sizeof(double), by_value);
    printf("rows   best ms  median ms  median / whole\n");
    for (int i = 0; i < COUNT; i++)
        printf("%5d  %8.1f  %9.1f  %6.3f\n", (int)heights[i], times[i][0], times[i][ROUNDS / 2],
               times[i][ROUNDS / 2] / times[0][ROUNDS / 2]);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    swathe_context_destroy(context);
    free(b);
    free(a);
    return 0;
}
