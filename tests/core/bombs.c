/* Short chains that could cost much: they are planned quickly and in little memory, or refused. */
#include "swathe/swathe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int passed, failed;
static size_t live, peak;

static void verdict(int good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

/* Each block has its size before it. */
static void *allocate(void *user, size_t size, size_t align)
{
    (void)user;
    size_t head = align > 16 ? align : 16;
    char *block = aligned_alloc(head, (size + head + head - 1) / head * head);
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
    free((char *)block - head);
}

/* Parses and plans within so many seconds of CPU time, and bytes. */
static void plan(swathe_context *context, const char *name, const char *text, swathe_status wanted,
                 double seconds, size_t bytes)
{
    swathe_shape shape = SWATHE_INIT(swathe_shape);
    shape.width = shape.height = 1000;
    shape.channels = 3;
    for (int type = SWATHE_U8; type <= SWATHE_F32; type++) {
        swathe_chain *chain = NULL;
        swathe_plan *made = NULL;
        clock_t start = clock();
        size_t before = live;
        peak = live;
        shape.type = (swathe_type)type;
        swathe_status status = swathe_chain_parse(context, text, &chain);
        if (status == SWATHE_OK)
            status = swathe_plan_create(context, chain, &shape, NULL, &made);
        double took = (double)(clock() - start) / CLOCKS_PER_SEC;
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

int main(void)
{
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
    plan(context, "a large stage, many times", text, SWATHE_OK, 2.0, much);
    text[0] = '\0';
    for (int i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%sdisk:49%d", i ? "," : "", i);
    plan(context, "more taps than a chain may have", text, SWATHE_ERROR_ARGUMENT, 5.0, much);
    plan(context, "a mask file without end", "mask:@/dev/zero", SWATHE_ERROR_ARGUMENT, 0.5, much);
    swathe_context_destroy(context);
    verdict(live == 0, "all memory was freed");
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
