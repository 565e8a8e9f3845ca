/* Strategies refuse devices with too few resources, and the way out in the message works. Needs no
 * device. */
#include "gpu_case.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

static int failed;

static const struct row {
    const char *strategy, *refusal; /* NULL: not refused */
    int32_t block, mask, channels, group;
} rows[] = {
    /* Rows of 1024 threads, and devices with smaller work groups. */
    {"1channel", "1024 x 1 threads per group, the device allows 256", 0, 5, 3, 256},
    {"1channel", "use a block that fits, as in 1channel:16", 0, 5, 3, 256},
    {"1channel", NULL, 16, 5, 3, 256},
    {"1channel", "the device allows 32 (32 x 32); no block fits: use strategy best", 8, 5, 3, 32},
    {"1channel", NULL, 0, 5, 3, 1024},
    {"3channel", "1024 x 1 threads per group, the device allows 512", 0, 5, 3, 512},
    {"3channel-grid", "32 x 32 threads per group, the device allows 512", 0, 5, 3, 512},
    {"3channel-grid", NULL, 16, 5, 3, 512},
    {"3channel-3", "as in 3channel-3:16", 0, 5, 3, 512},
    /* Each plane is an argument. */
    {"3channel-3", "at most 4 channels, this image has 5; use strategy 3channel", 0, 5, 5, 1024},
    {"3channel-3", NULL, 0, 5, 4, 1024},
    {"3channel", NULL, 0, 5, 5, 1024},
    /* Products are kept in an array. */
    {"global", "289 products, a thread keeps at most 256; use strategy naive", 0, 17, 3, 1024},
    {"global-constant", NULL, 0, 15, 3, 1024},
    {"naive", NULL, 0, 17, 3, 1024},
    /* Tiles. */
    {"gemm", "a tile of 68224 bytes, local memory has 49152; use a block that fits, as in gemm:24",
     32, 5, 3, 1024},
    {"gemm", NULL, 24, 5, 3, 1024},
    {"tiled", "no block fits: use strategy naive", 8, 801, 3, 1024},
    {"naive", NULL, 0, 801, 3, 1024},
    /* Halos. */
    {"shared", "the mask spans 17 pixels, a block of 16 holds 16", 16, 17, 3, 1024},
    {"shared", "as in shared:32", 16, 17, 3, 1024},
    {"shared", NULL, 32, 17, 3, 1024},
    {"shared", "as in shared:22", 16, 17, 3, 500},
    {"shared", NULL, 22, 17, 3, 500},
    {"shared", "no block fits: use strategy naive", 32, 41, 3, 1024},
    {"quad", "no block fits: use strategy naive", 32, 41, 1, 1024},
    {"gemm", NULL, 8, 121, 3, 1024},
};

/* The same with sizes that are known at run time, and in the arithmetic of reports. */
static const struct form {
    struct row row;
    bool runtime;
    swathe_type type;
    enum op_arithmetic arithmetic;
} forms[] = {
    {{"tiled", NULL, 16, 5, 3, 1024}, true, SWATHE_S16, ARITHMETIC_contract},
    {{"shared", "as in shared:22", 16, 17, 3, 500}, true, SWATHE_S16, ARITHMETIC_contract},
    {{"1channel", NULL, 0, 121, 3, 1024}, true, SWATHE_S16, ARITHMETIC_contract},
    {{"1channel", "66564 bytes of taps, constant memory has 65536", 0, 129, 3, 1024},
     true,
     SWATHE_S16,
     ARITHMETIC_contract},
    {{"global", "must know the size of the mask", 0, 5, 3, 1024},
     true,
     SWATHE_S16,
     ARITHMETIC_contract},
    {{"gemm", "must know the size of the mask", 8, 5, 3, 1024},
     true,
     SWATHE_S16,
     ARITHMETIC_contract},
    {{"best", "no form for sizes that are known at run time", 0, 5, 3, 1024},
     true,
     SWATHE_S16,
     ARITHMETIC_contract},
    {{"global", "choose that for f32 images, or use strategy naive", 0, 5, 3, 1024},
     false,
     SWATHE_F32,
     ARITHMETIC_contract},
    {{"global", NULL, 0, 5, 3, 1024}, false, SWATHE_F32, ARITHMETIC_report_002},
    {{"naive", "needs strategy global", 0, 5, 3, 1024}, false, SWATHE_F32, ARITHMETIC_report_002},
    {{"global-constant", "use strategy constant", 0, 5, 3, 1024},
     false,
     SWATHE_S16,
     ARITHMETIC_report_001},
    {{"tiled", NULL, 0, 5, 3, 1024}, false, SWATHE_S16, ARITHMETIC_report_001},
    {{"best", "no form for the arithmetic of a report", 0, 5, 3, 1024},
     false,
     SWATHE_S16,
     ARITHMETIC_report_001},
};

static void check(const struct form *form)
{
    const struct row *row = &form->row;
    char chain[32];
    struct gpu_limits limits = {.local = 48 << 10,
                                .constant = 64 << 10,
                                .group = row->group,
                                .group_side = {row->group, row->group, 64},
                                .grid = {INT32_MAX, 65535, 65535},
                                .fma = true,
                                .denormals = true,
                                .doubles = true};
    struct gpu_wish wish = {.chain = chain,
                            .width = 9,
                            .height = 7,
                            .channels = row->channels,
                            .type = form->type,
                            .runtime = form->runtime,
                            .arithmetic = form->arithmetic,
                            .border = "zero",
                            .strategy = row->strategy,
                            .block = row->block,
                            .planar = true};
    struct gpu_case made;
    snprintf(chain, sizeof chain, "gaussian:%d:dense", row->mask);
    bool is_made = gpu_case_make(&wish, &limits, &made);
    bool good = row->refusal ? !is_made && strstr(fail_text(), row->refusal) : is_made;
    if (!good)
        printf("FAILED: %s:%d, %d x %d, %d channels, %d threads: %s\n", row->strategy, row->block,
               row->mask, row->mask, row->channels, row->group, is_made ? "made" : fail_text());
    failed += !good;
    if (is_made)
        gpu_case_free(&made);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&(struct form){.row = rows[i], .type = SWATHE_S16});
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check(&forms[i]);
    printf("%zu rows, %d failed\n", (sizeof rows / sizeof *rows) + (sizeof forms / sizeof *forms),
           failed);
    return failed > 0;
}
