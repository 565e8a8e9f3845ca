/* Short chains that could be expensive are planned quickly and in little memory, or refused. */
#include "base/memory.h"
#include "base/os_clock.h"
#include "base/sanitizers.h"
#include "swathe/swathe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOWER = SANITIZED ? 4 : 1 }; /* checks of each access take their time */

static int passed, failed;
static size_t live, peak;

static void verdict(int good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

/* Each allocation is preceded by its size. */
static void *allocate(void *user, size_t size, size_t align)
{
    (void)user;
    size_t head = align > 16 ? align : 16;
    char *block = memory_default.allocate(NULL, size + head, head);
    if (!block)
        return NULL;
    memcpy(block + head - 2 * sizeof size, &head, sizeof head);
    memcpy(block + head - sizeof size, &size, sizeof size);
    live += size;
    peak = live > peak ? live : peak;
    return block + head;
}

static void release(void *user, void *block)
{
    size_t head, size;
    (void)user;
    if (!block)
        return;
    memcpy(&head, (char *)block - 2 * sizeof head, sizeof head);
    memcpy(&size, (char *)block - sizeof size, sizeof size);
    live -= size;
    memory_default.release(NULL, (char *)block - head);
}

/* Parsing and planning must stay within these limits of CPU seconds and bytes. */
static void plan(swathe_context *context, const char *name, const char *text, swathe_status wanted,
                 double seconds, size_t bytes)
{
    swathe_shape shape = {0};
    shape.width = shape.height = 1000;
    shape.channels = 3;
    for (int type = SWATHE_U8; type <= SWATHE_F64; type++) {
        swathe_chain *chain = NULL;
        swathe_plan *made = NULL;
        double start = clock_used();
        size_t before = live;
        peak = live;
        shape.type = (swathe_type)type;
        swathe_status status = swathe_chain_parse(context, text, &chain);
        if (status == SWATHE_OK)
            status = swathe_plan_create(context, chain, &shape, NULL, &made);
        double took = (clock_used() - start) / SLOWER;
        if (status != wanted || took > seconds || peak - before > bytes)
            printf("%s: type %d: status %d, %.3f s, %zu bytes\n", name, type, (int)status, took,
                   peak - before);
        verdict(status == wanted && took <= seconds && peak - before <= bytes, name);
        swathe_plan_destroy(made);
        swathe_chain_destroy(chain);
    }
}

static void repeat(char *text, size_t size, const char *stage, int count)
{
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? "," : "", stage);
}

enum { SIDE = 2048, BYTES_EACH = 26 }; /* 2^22 taps as "%.18e" prints them */

/* A mask file: `text` repeated `count` times, then `end`. */
static void mask_file(const char *path, const char *text, int64_t count, const char *end)
{
    FILE *file = fopen(path, "wb");
    size_t length = strlen(text);
    for (int64_t i = 0; file && i < count; i++)
        if (fwrite(text, 1, length, file) != length)
            verdict(0, "a mask file could not be written");
    if (!file || fputs(end, file) < 0 || fclose(file) != 0)
        verdict(0, "a mask file could not be written");
}

/* Text that never completes a mask and is longer than the limit of what is read. */
static void endless_text(swathe_context *context, const char *path)
{
    static const struct {
        const char *name, *text;
        swathe_status status;
    } cases[] = {{"endless rows", "1\n", SWATHE_ERROR_ARGUMENT},
                 {"an endless row", "1 ", SWATHE_ERROR_ARGUMENT},
                 {"an endless number", "11", SWATHE_ERROR_ARGUMENT},
                 {"endless spaces", "  ", SWATHE_ERROR_LIMIT},
                 {"an endless comment", "##", SWATHE_ERROR_LIMIT}};
    char chain[300], piece[1 << 10];
    snprintf(chain, sizeof chain, "mask:@%s", path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t at = 0; at < sizeof piece - 1; at++)
            piece[at] = cases[i].text[at % 2];
        piece[sizeof piece - 1] = '\0';
        bool limit = cases[i].status == SWATHE_ERROR_LIMIT;
        mask_file(path, piece, (limit ? 17 : 1) << 10, "\n");
        plan(context, cases[i].name, chain, cases[i].status, 0.5, (size_t)1 << 20);
    }
}

/* The largest documented number of taps, with all digits. */
static void largest_file(swathe_context *context, const char *path)
{
    static char row[SIDE * BYTES_EACH + 1];
    char chain[300];
    swathe_chain *read = NULL;
    for (int i = 0; i < SIDE; i++)
        memcpy(row + (ptrdiff_t)i * BYTES_EACH, "-1.000000000000000000e+00 ", BYTES_EACH);
    row[sizeof row - 2] = '\n';
    mask_file(path, row, SIDE, "");
    snprintf(chain, sizeof chain, "mask:@%s", path);
    verdict(swathe_chain_parse(context, chain, &read) == SWATHE_OK, "2^22 taps in a file");
    swathe_chain_destroy(read);
}

static swathe_status append(swathe_context *context, swathe_chain *chain, const double *taps,
                            int32_t side, int32_t count)
{
    swathe_mask masks[2] = {SWATHE_INIT(swathe_mask), SWATHE_INIT(swathe_mask)};
    for (int i = 0; i < 2; i++) {
        masks[i].width = masks[i].height = side;
        masks[i].taps = taps;
    }
    return swathe_chain_append_mask(context, chain, masks, count, NULL);
}

/* Masks from arrays: a refused mask leaves the chain unchanged. */
static void appended(swathe_context *context)
{
    swathe_chain *chain = NULL;
    double *taps = calloc((size_t)SIDE * SIDE, sizeof *taps);
    if (!taps || swathe_chain_parse(context, "disk:500,disk:499,disk:498,disk:497", &chain)) {
        verdict(0, "a chain of 3984036 taps");
        free(taps);
        return;
    }
    verdict(append(context, chain, taps, SIDE, 2) == SWATHE_ERROR_ARGUMENT &&
                strstr(swathe_error_text(), "2 masks of one stage have 8388608 taps"),
            "two masks of one stage with too many taps");
    verdict(append(context, chain, taps, 500, 1) == SWATHE_ERROR_ARGUMENT &&
                strstr(swathe_error_text(), "the masks of the chain have 4234036 taps"),
            "one mask too many");
    verdict(append(context, chain, taps, 400, 1) == SWATHE_OK, "a mask after a refused one");
    swathe_chain_destroy(chain);
    free(taps);
}

int main(int argc, char **argv)
{
    char path[256];
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    static char text[1 << 14];
    const size_t much = (size_t)64 << 20;
    o.threads = 1;
    o.allocate = allocate;
    o.release = release;
    if (swathe_context_create(&o, &context) != SWATHE_OK)
        return 1;
    repeat(text, sizeof text, "disk:100", 256);
    plan(context, "a large stage, repeated", text, SWATHE_OK, 2.0, much);
    text[0] = '\0';
    for (int i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%sdisk:49%d", i ? "," : "", i);
    plan(context, "more taps than a chain may have", text, SWATHE_ERROR_ARGUMENT, 5.0, much);
    plan(context, "an endless mask file", "mask:@/dev/zero", SWATHE_ERROR_ARGUMENT, 0.5, much);
    snprintf(path, sizeof path, "%s/bombs.mask", argc > 1 ? argv[1] : ".");
    endless_text(context, path);
    largest_file(context, path);
    remove(path);
    appended(context);
    swathe_context_destroy(context);
    verdict(live == 0, "all memory is freed");
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
