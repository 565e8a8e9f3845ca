/* Decodes image files for corpus.py. Each line of standard input names a file and a raw file to
 * write, separated by a tab; each answer is one line on standard output:
 *     ok WIDTH HEIGHT CHANNELS TYPE COLOUR ALPHA ICC-CHECKSUM FORMAT
 *     refused STATUS TEXT
 *     wrong TEXT
 * "wrong": the file was decoded, but differently when read in other parts, when written and read
 * again, or when filtered from file to file instead of in memory. */
#include "../core/shorthand.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 37, LINE_MAX_BYTES = 4096 };

static const char chain[] = "sharpen,gaussian:5";
static const int64_t free_memory = (int64_t)1 << 30;
static swathe_context *context;
static char scratch[LINE_MAX_BYTES];

/* A dense image of a source's shape; the caller frees data. */
static swathe_status make_image(const swathe_shape *shape, swathe_image *image)
{
    int64_t bytes;
    TRY(shape_bytes(shape, &bytes));
    if (bytes > free_memory)
        return fail(SWATHE_ERROR_LIMIT, "an image of %" PRId64 " bytes", bytes);
    void *data = calloc(1, (size_t)bytes);
    if (!data)
        return fail(SWATHE_ERROR_MEMORY, "no memory for %" PRId64 " bytes", bytes);
    return view_init(shape, SWATHE_INTERLEAVED, data, image);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Reads parts of at most width x height, row by row of parts. */
static swathe_status read_parts(const swathe_source *source, int64_t width, int64_t height,
                                const swathe_image *into)
{
    for (int64_t y = 0; y < into->height; y += height)
        for (int64_t x = 0; x < into->width; x += width) {
            swathe_image part;
            swathe_rect rect = {x, y, smaller(width, into->width - x),
                                smaller(height, into->height - y)};
            TRY(view_crop(into, &rect, &part));
            TRY(source->read(source->user, &part));
        }
    return SWATHE_OK;
}

static bool same(const swathe_image *a, const swathe_image *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->type == b->type && memcmp(a->data, b->data, (size_t)(a->height * a->row_stride)) == 0;
}

/* Reads the whole image in strips; sources with random access also in small parts, and twice at
 * once. */
static swathe_status read_image(const swathe_source *source, swathe_image *image, bool *differs)
{
    swathe_image again;
    TRY(read_parts(source, source->shape.width, STRIP, image));
    if (source->flags & SWATHE_FORWARD)
        return SWATHE_OK;
    TRY(make_image(&source->shape, &again));
    swathe_status status = read_parts(source, 50, 41, &again);
    *differs = status != SWATHE_OK || !same(image, &again);
    for (int i = 0; i < 2 && status == SWATHE_OK; i++) {
        status = read_parts(source, source->shape.width, source->shape.height, &again);
        *differs = *differs || status != SWATHE_OK || !same(image, &again);
    }
    free(again.data);
    return status;
}

static swathe_status read_path(const char *path, swathe_image *image)
{
    swathe_source *source;
    bool differs = false;
    TRY(file_open(&memory_default, free_memory, path, NULL, &source));
    swathe_status status = make_image(&source->shape, image);
    if (status == SWATHE_OK && (status = read_image(source, image, &differs)) != SWATHE_OK)
        free(image->data);
    file_close(source);
    return status;
}

/* ---- Written and read again ----------------------------------------------------------------- */

static swathe_status write_path(const char *path, const swathe_source *source,
                                const swathe_image *image, const char *format)
{
    swathe_sink *sink;
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.format = format;
    options.overwrite = 1;
    TRY(file_create(&memory_default, free_memory, path, &source->shape, source->metadata, &options,
                    &sink));
    swathe_status status = sink->write(sink->user, image);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    return status;
}

/* Writes every lossless format that can store the image; reading must return the same samples. */
static bool survives(const swathe_source *source, const swathe_image *image, const char **format)
{
    static const char *const lossless[] = {"tiff", "png", "pnm", "pfm"};
    for (size_t i = 0; i < sizeof lossless / sizeof *lossless; i++) {
        const struct codec *codec = codec_named(lossless[i]);
        swathe_image again;
        if (!codec || !codec->built || !codec_holds(codec, &source->shape))
            continue;
        *format = lossless[i];
        swathe_status status = write_path(scratch, source, image, lossless[i]);
        if (status == SWATHE_ERROR_UNSUPPORTED && strcmp(lossless[i], "tiff") != 0)
            continue;
        if (status != SWATHE_OK || read_path(scratch, &again) != SWATHE_OK)
            return false;
        bool equal = same(image, &again);
        free(again.data);
        if (!equal)
            return fail(false, "the samples differ");
    }
    return true;
}

/* ---- Filtered ------------------------------------------------------------------------------- */

/* From file to file, never whole in memory. */
static swathe_status stream_file(const char *path, const swathe_plan_options *plan_options,
                                 const swathe_write_options *write_options)
{
    swathe_chain *parsed = NULL;
    swathe_source *source = NULL;
    swathe_plan *plan = NULL;
    swathe_sink *sink = NULL;
    swathe_shape shape;
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_status status = swathe_chain_parse(context, chain, &parsed);
    if (status == SWATHE_OK)
        status = swathe_file_open(context, path, NULL, &source);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, parsed, &source->shape, plan_options, &plan);
    if (status == SWATHE_OK)
        status = swathe_plan_output(plan, source, NULL, &shape, &metadata);
    if (status == SWATHE_OK)
        status = swathe_file_create(context, scratch, &shape, &metadata, write_options, &sink);
    if (status == SWATHE_OK)
        status = swathe_run_stream(context, plan, source, sink, NULL);
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink);
    swathe_sink_destroy(sink);
    swathe_plan_destroy(plan);
    swathe_source_destroy(source);
    swathe_chain_destroy(parsed);
    return status;
}

/* In memory into `result`, and from file to file. */
static swathe_status filter(const char *path, const swathe_image *image, const swathe_image *result)
{
    swathe_plan_options plan = SWATHE_INIT(swathe_plan_options);
    swathe_write_options file = SWATHE_INIT(swathe_write_options);
    swathe_image again;
    plan.exact = 1;
    file.format = "tiff";
    file.overwrite = 1;
    TRY(filter_with(context, chain, image, result, &plan));
    TRY(stream_file(path, &plan, &file));
    TRY(read_path(scratch, &again));
    bool equal = same(result, &again);
    free(again.data);
    return equal ? SWATHE_OK : fail(SWATHE_ERROR_INTERNAL, "the samples differ");
}

static swathe_status check_filter(const char *path, const swathe_shape *shape,
                                  const swathe_image *image)
{
    swathe_image result;
    TRY(make_image(shape, &result));
    swathe_status status = filter(path, image, &result);
    free(result.data);
    return status;
}

/* ---- Answers -------------------------------------------------------------------------------- */

static uint64_t checksum(const void *bytes, size_t size)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
    return size ? sum : 0;
}

static bool dump(const char *path, const swathe_image *image)
{
    FILE *file = fopen(path, "wb");
    size_t size = (size_t)(image->height * image->row_stride);
    bool done = file && fwrite(image->data, 1, size, file) == size;
    return file && fclose(file) == 0 && done;
}

static void refused(swathe_status status)
{
    printf("refused %d %s\n", (int)status, fail_text());
}

static void answer(const char *path, const swathe_source *source, const swathe_image *image,
                   const char *raw)
{
    const swathe_shape *s = &source->shape;
    const swathe_metadata *m = source->metadata;
    const char *format = "";
    if (!survives(source, image, &format))
        printf("wrong after writing %s: %s\n", format, fail_text());
    else if (check_filter(path, s, image) != SWATHE_OK)
        printf("wrong after filtering: %s\n", fail_text());
    else if (!dump(raw, image))
        printf("wrong: cannot write %s\n", raw);
    else
        printf("ok %" PRId64 " %" PRId64 " %d %s %d %d %" PRIu64 " %s\n", s->width, s->height,
               s->channels, sample_entry(s->type)->name, (int)s->color, s->alpha,
               m ? checksum(m->icc, m->icc_size) : 0, source->format);
}

static void decode(const char *path, const char *raw)
{
    swathe_source *source;
    swathe_image image;
    bool differs = false;
    swathe_status status = file_open(&memory_default, free_memory, path, NULL, &source);
    if (status != SWATHE_OK) {
        refused(status);
        return;
    }
    status = make_image(&source->shape, &image);
    if (status == SWATHE_OK) {
        status = read_image(source, &image, &differs);
        if (differs)
            printf("wrong: parts differ from strips\n");
        else if (status == SWATHE_OK)
            answer(path, source, &image, raw);
        free(image.data);
    }
    if (status != SWATHE_OK && !differs)
        refused(status);
    file_close(source);
}

int main(void)
{
    char line[2 * LINE_MAX_BYTES];
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    options.threads = 2;
    if (swathe_context_create(&options, &context) != SWATHE_OK)
        return 2;
    while (fgets(line, sizeof line, stdin)) {
        char *tab = strchr(line, '\t');
        if (!tab)
            return 2;
        *tab = '\0';
        tab[1 + strcspn(tab + 1, "\n")] = '\0';
        snprintf(scratch, sizeof scratch, "%s.again", tab + 1);
        decode(line, tab + 1);
        remove(scratch);
        fflush(stdout);
    }
    swathe_context_destroy(context);
    return 0;
}
