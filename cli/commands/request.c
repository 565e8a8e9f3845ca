#include "commands/request.h"

#include "../../src/base/os_file.h"
#include "../../src/base/os_machine.h"
#include "../../src/base/os_path.h"
#include "commands/value.h"
#include "file/remote.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"

#include <string.h>

swathe_status request_context(const struct options *options, swathe_context **context)
{
    swathe_context_options wanted = SWATHE_INIT(swathe_context_options);
    wanted.threads = (int32_t)options_count(options, OPTION_THREADS);
    wanted.max_memory = options_size(options, OPTION_MAX_MEMORY);
    return swathe_context_create(&wanted, context);
}

int32_t request_threads(const struct options *options)
{
    int32_t threads = (int32_t)options_count(options, OPTION_THREADS);
    return threads > 0 ? threads : os_cpu_count();
}

int64_t request_memory(const struct options *options)
{
    int64_t memory = options_size(options, OPTION_MAX_MEMORY);
    return memory > 0 ? memory : os_memory_default();
}

bool request_shares(const struct options *options, double shares[2])
{
    const char *values = options_text(options, OPTION_VALUES);
    return values && value_shares(values, shares);
}

int request_plan(const struct options *options, swathe_plan_options *plan)
{
    static const struct {
        int option;
        const char *field;
    } texts[] = {{OPTION_BORDER, "border"},
                 {OPTION_TYPE, "type"},
                 {OPTION_INTERMEDIATE, "intermediate"},
                 {OPTION_VALUES, "values"},
                 {OPTION_ALPHA, "alpha"},
                 {OPTION_LIGHT, "light"},
                 {OPTION_ALGORITHM, "algorithm"},
                 {OPTION_ISA, "isa"},
                 {OPTION_DEVICE, "device"},
                 {OPTION_STRATEGY, "strategy"}};
    double shares[2];
    *plan = SWATHE_INIT(swathe_plan_options);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = options_text(options, texts[i].option);
        if (!text || (texts[i].option == OPTION_VALUES && request_shares(options, shares)))
            continue;
        swathe_status status = swathe_plan_options_set(plan, texts[i].field, text);
        if (status != SWATHE_OK)
            return complain_library(status, NULL);
    }
    plan->cancelled = interrupt_asked;
    plan->exact = options_has(options, OPTION_EXACT) ? SWATHE_EXACT : SWATHE_FAST;
    plan->accuracy = options_number(options, OPTION_ACCURACY);
    plan->tune = options_has(options, OPTION_TUNE);
    plan->max_memory = options_size(options, OPTION_MAX_MEMORY);
    plan->device_memory = options_size(options, OPTION_DEVICE_MEMORY);
    return 0;
}

bool request_weighs_alpha(const struct options *options)
{
    const char *alpha = options_text(options, OPTION_ALPHA);
    return !alpha || strcmp(alpha, "premultiply") == 0;
}

/* Parses "420" or "4:2:0", one of the option's words, or "keep". */
static int32_t cli_request_subsampling(const char *text)
{
    char plain[4];
    int64_t number = 0;
    return text && value_count(value_subsampling(text, plain), &number) ? (int32_t)number : 0;
}

swathe_read_options request_read(const struct options *options)
{
    swathe_read_options read = SWATHE_INIT(swathe_read_options);
    read.orient = options_has(options, OPTION_ORIENT);
    read.max_pixels = options_size(options, OPTION_MAX_PIXELS);
    read.max_memory = options_size(options, OPTION_MAX_MEMORY);
    read.max_metadata = options_size(options, OPTION_MAX_METADATA);
    read.max_spool = options_size(options, OPTION_MAX_SPOOL);
    read.cancelled = interrupt_asked;
    return read;
}

swathe_write_options request_write(const struct options *options)
{
    swathe_write_options write = SWATHE_INIT(swathe_write_options);
    int64_t quality = 0;
    if (options_has(options, OPTION_QUALITY)) {
        value_quality(options_text(options, OPTION_QUALITY), &quality);
        write.lossless = quality == 0;
    }
    write.format = options_text(options, OPTION_FORMAT);
    write.overwrite = options_has(options, OPTION_OVERWRITE);
    write.quality = (int32_t)quality;
    write.subsampling = cli_request_subsampling(options_text(options, OPTION_SUBSAMPLING));
    write.compression = options_text(options, OPTION_COMPRESSION);
    write.tile = options_count(options, OPTION_TILE);
    if (options_has(options, OPTION_TILE) && write.tile == 0)
        write.tile = -1; /* strips, even if the source has tiles */
    write.max_pixels = options_size(options, OPTION_MAX_PIXELS);
    write.max_memory = options_size(options, OPTION_MAX_MEMORY);
    write.max_metadata = options_size(options, OPTION_MAX_METADATA);
    write.cancelled = interrupt_asked;
    return write;
}

int request_chain(swathe_context *context, const struct options *options, swathe_chain **chain)
{
    const char *text = options->arguments[0];
    if (text[strspn(text, " \t\n")] == '\0')
        return complain(SWATHE_ERROR_ARGUMENT,
                        "the chain is empty; 'identity' would copy the image");
    swathe_status status = swathe_chain_parse(context, text, chain);
    if (status == SWATHE_OK)
        return 0;
    if (os_exists(text))
        return options_complain_chain(options);
    return complain_library(status, NULL);
}

static int64_t asked_page(const struct options *options)
{
    int64_t page = options_count(options, OPTION_ONE_PAGE);
    if (options_has(options, OPTION_PAGE))
        value_page(options_text(options, OPTION_PAGE), &page);
    return page;
}

static int open_source(swathe_context *context, const swathe_read_options *read, const char *path,
                       swathe_source **source)
{
    if (strcmp(path, "-") == 0 && os_is_terminal(STANDARD_INPUT))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "standard input is a terminal; name a file, or pipe an image in");
    swathe_status status =
        (remote_is(path) ? remote_open : swathe_file_open)(context, path, read, source);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

int request_source(swathe_context *context, const struct options *options, const char *path,
                   swathe_source **source)
{
    return request_page(context, options, path, asked_page(options), NULL, source);
}

int request_started(swathe_context *context, const struct options *options, const char *path,
                    const void *head, size_t head_size, swathe_source **source)
{
    swathe_read_options read = request_read(options);
    read.page = asked_page(options);
    read.head = head;
    read.head_size = head_size;
    return open_source(context, &read, path, source);
}

int request_page(swathe_context *context, const struct options *options, const char *path,
                 int64_t page, const swathe_source *same_file, swathe_source **source)
{
    swathe_read_options read = request_read(options);
    read.page = page;
    read.same_file = same_file;
    return open_source(context, &read, path, source);
}

const swathe_curves *request_curves(const struct options *options, const swathe_source *source,
                                    swathe_curves *curves)
{
    const char *light = options_text(options, OPTION_LIGHT);
    const swathe_metadata *metadata = swathe_source_properties(source).metadata;
    if (!light || strcmp(light, "linear") != 0 || !metadata || metadata->icc_size == 0)
        return NULL;
    *curves = SWATHE_INIT(swathe_curves);
    curves->profile = metadata->icc;
    curves->profile_size = metadata->icc_size;
    return curves;
}
