/* A call that succeeds leaves the text of the last failure unchanged, as swathe_error_text
 * promises, even if the library tried something internally that failed. */
#include "shorthand.h"
#include "swathe/unstable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char kept[] = "the failure that a program is about to print";
static int passed, failed;

static void verdict(swathe_status status, const char *what)
{
    int good = status == SWATHE_OK && strcmp(swathe_error_text(), kept) == 0;
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: status %d, the text is '%s'\n", what, (int)status, swathe_error_text());
    swathe_error_set(SWATHE_OK, kept);
}

/* Threads of a caller: work on them must leave their error texts unchanged, too. */
static void lent(void *user, int32_t count, void (*work)(void *work_user, int32_t i),
                 void *work_user)
{
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        work(work_user, i);
        verdict(SWATHE_OK, "work on a caller's thread");
    }
}

static int32_t progress(void *user, int64_t done, int64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return 0;
}

static uint8_t pixels[3 * 64 * 48], result[3 * 64 * 48];

static swathe_status read_pixels(void *user, const swathe_image *into)
{
    (void)user;
    for (int64_t y = 0; y < into->height; y++)
        memset((char *)into->data + y * into->row_stride, 7, (size_t)(into->width * 3));
    return SWATHE_OK;
}

static swathe_status write_nothing(void *user, const swathe_image *from)
{
    (void)user;
    (void)from;
    return SWATHE_OK;
}

static swathe_shape shape_of(void)
{
    swathe_shape shape = {0};
    shape.width = 64;
    shape.height = 48;
    shape.channels = 3;
    shape.type = SWATHE_U8;
    return shape;
}

static void plans(swathe_context *context, const swathe_chain *chain)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = shape_of();
    swathe_plan *plan = NULL, *again = NULL;
    char text[1 << 14];
    static const char *const devices[] = {NULL, "cpu", "auto"};
    for (int d = 0; d < 3; d++) {
        o.device = devices[d];
        verdict(swathe_plan_create(context, chain, &shape, &o, &plan), "swathe_plan_create");
        swathe_plan_destroy(plan);
    }
    o.device = NULL;
    o.tune = 1; /* the wisdom file cannot be written */
    verdict(swathe_plan_create(context, chain, &shape, &o, &plan), "swathe_plan_create, tuned");
    for (int format = 0; format < 3; format++)
        verdict(swathe_plan_text(plan, (swathe_text)format, text, sizeof text, NULL),
                "swathe_plan_text");
    verdict(swathe_plan_parse(context, text, &again), "swathe_plan_parse");
    swathe_plan_destroy(again);
    swathe_plan_destroy(plan);
}

static void runs(swathe_context *context, const swathe_chain *chain)
{
    swathe_shape shape = shape_of();
    swathe_image from = SWATHE_INIT(swathe_image), to = SWATHE_INIT(swathe_image);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_difference difference = SWATHE_INIT(swathe_difference);
    swathe_plan *plan = NULL;
    o.progress = progress;
    swathe_source *source = wrapped_source(context, &shape, 0, read_pixels, NULL);
    verdict(source ? SWATHE_OK : SWATHE_ERROR_INTERNAL, "swathe_source_wrap");
    swathe_sink *sink = wrapped_sink(context, &shape, 0, write_nothing, NULL);
    verdict(sink ? SWATHE_OK : SWATHE_ERROR_INTERNAL, "swathe_sink_wrap");
    verdict(swathe_image_init(&shape, SWATHE_INTERLEAVED, pixels, &from), "swathe_image_init");
    verdict(swathe_image_init(&shape, SWATHE_PLANAR, result, &to), "swathe_image_init");
    verdict(swathe_plan_create(context, chain, &shape, NULL, &plan), "swathe_plan_create");
    verdict(swathe_run(context, plan, &from, &to, &o), "swathe_run");
    verdict(swathe_filter(context, "gaussian:5", &from, &to), "swathe_filter");
    verdict(swathe_run_stream(context, plan, source, sink, &o), "swathe_run_stream");
    verdict(swathe_compare(context, source, source, &difference), "swathe_compare");
    verdict(swathe_source_read(source, &from), "swathe_source_read");
    swathe_source_destroy(source);
    swathe_sink_destroy(sink);
    verdict(SWATHE_OK, "destroy");
    swathe_plan_destroy(plan);
}

static void files(swathe_context *context, const char *folder)
{
    swathe_shape shape = shape_of();
    swathe_table_entry format = SWATHE_INIT(swathe_table_entry);
    swathe_write_options o = SWATHE_INIT(swathe_write_options);
    char path[500], out[520];
    o.overwrite = 1;
    for (int i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &format) == SWATHE_OK; i++) {
        swathe_sink *sink = NULL;
        swathe_source *source = NULL;
        swathe_image view = SWATHE_INIT(swathe_image);
        if (!format.available)
            continue;
        if (strcmp(format.name, "pfm") == 0) /* floats only */
            continue;
        snprintf(path, sizeof path, "%s/error_text.%.*s", folder, (int)strcspn(format.syntax, " ,"),
                 format.syntax);
        snprintf(out, sizeof out, "%s.%.*s", path, (int)strcspn(format.syntax, " ,"),
                 format.syntax);
        if (strstr(path, "pgm"))
            continue; /* grey only */
        swathe_image_init(&shape, SWATHE_INTERLEAVED, pixels, &view);
        verdict(swathe_file_create(context, path, &shape, NULL, &o, &sink), path);
        if (sink)
            verdict(swathe_sink_write(sink, &view), "write");
        verdict(swathe_sink_commit(sink), "swathe_sink_commit");
        swathe_sink_destroy(sink);
        verdict(swathe_file_open(context, path, NULL, &source), "swathe_file_open");
        swathe_source_destroy(source);
        verdict(SWATHE_OK, "destroy");
        swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
        verdict(swathe_load(context, path, NULL, &view, &metadata), "swathe_load");
        verdict(swathe_save(context, &view, &metadata, out, &o), "swathe_save");
        swathe_free(context, view.data);
        remove(path);
        remove(out);
    }
    swathe_error_set(SWATHE_OK, kept);
}

static void texts(swathe_context *context)
{
    static char text[1 << 16];
    swathe_chain *chain = NULL;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    swathe_device_info device = SWATHE_INIT(swathe_device_info);
    verdict(swathe_chain_parse(context, "mask:(1 2; 3 4):normalise,gaussian:7", &chain), "parse");
    verdict(swathe_chain_text(chain, NULL, 0, NULL), "swathe_chain_text");
    verdict(swathe_chain_mask(chain, 0, 0, &mask), "swathe_chain_mask");
    verdict(swathe_chain_append_mask(context, chain, &mask, 1, "border=wrap"), "append_mask");
    verdict(swathe_tune_text(context, SWATHE_TEXT_JSON, text, sizeof text, NULL), "tune_text");
    verdict(swathe_device_get(context, 0, &device), "swathe_device_get");
    swathe_chain_destroy(chain);
}

int main(int argc, char **argv)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    char wisdom[500];
    if (argc != 2)
        return 2;
    /* A directory, which can be neither read as a file nor replaced by one. */
    snprintf(wisdom, sizeof wisdom, "%s", argv[1]);
    o.wisdom = wisdom;
    o.threads = 2;
    swathe_error_set(SWATHE_OK, kept);
    for (int own = 0; own < 2; own++) {
        swathe_context *context = NULL;
        swathe_chain *chain = NULL;
        o.parallel_for = own ? NULL : lent;
        verdict(swathe_context_create(&o, &context), "swathe_context_create");
        verdict(swathe_chain_parse(context, "gaussian:5,edge", &chain), "swathe_chain_parse");
        texts(context);
        runs(context, chain);
        if (own)
            plans(context, chain);
        files(context, argv[1]);
        swathe_chain_destroy(chain);
        swathe_context_destroy(context);
        verdict(SWATHE_OK, "destroyed");
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
