#include "../../src/base/os_path.h"
#include "commands/options.h"
#include "commands/request.h"
#include "commands/value.h"
#include "file/nodata.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>

/* Reads IN as a shape, or opens the file IN, and finds what is missing in it. */
static int find_shape(swathe_context *context, const struct options *options, swathe_shape *shape,
                      struct nodata *nodata, swathe_source **source)
{
    const char *in = options->arguments[1];
    if (value_shape(in, shape))
        return nodata_find(options, NULL, nodata);
    if (*in >= '0' && *in <= '9' && !os_exists(in))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "'%s' is neither a file nor a shape such as 6000x4000x3:u8", in);
    int code = request_source(context, options, in, source);
    if (code != 0)
        return code;
    *shape = swathe_source_properties(*source).shape;
    return nodata_find(options, *source, nodata);
}

static int print_plan(const swathe_plan *plan, swathe_text format)
{
    size_t needed = 0;
    swathe_status status = swathe_plan_text(plan, format, NULL, 0, &needed);
    char *text = status == SWATHE_OK ? malloc(needed + 1) : NULL;
    if (status == SWATHE_OK && !text)
        return complain(SWATHE_ERROR_MEMORY, "no memory for %zu bytes of text", needed);
    if (status == SWATHE_OK)
        status = swathe_plan_text(plan, format, text, needed, NULL);
    if (status == SWATHE_OK)
        printf("%s%s", text, needed > 1 && text[needed - 2] == '\n' ? "" : "\n");
    free(text);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

static swathe_text text_format(const struct options *options)
{
    if (options_has(options, OPTION_PROBLEM))
        return SWATHE_TEXT_PROBLEM;
    return options_has(options, OPTION_JSON) ? SWATHE_TEXT_JSON : SWATHE_TEXT_PEOPLE;
}

static int cli_explain(swathe_context *context, const swathe_chain *chain,
                       const struct options *options, swathe_source **source)
{
    swathe_shape shape;
    struct nodata nodata;
    swathe_curves curves;
    int code = find_shape(context, options, &shape, &nodata, source);
    if (code != 0)
        return code;
    swathe_plan_options wanted;
    code = request_plan(options, &wanted);
    if (code != 0)
        return code;
    wanted.nodata = nodata_text(&nodata);
    wanted.curves = request_curves(options, *source, &curves);
    double shares[2];
    if (request_shares(options, shares))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "explain does not read the samples that --values fit measures; give the "
                        "range, as in --values 'fit(0..4095)'");
    swathe_plan *plan;
    swathe_status status = swathe_plan_create(context, chain, &shape, &wanted, &plan);
    if (status != SWATHE_OK)
        return complain_library(status,
                                status == SWATHE_ERROR_ARGUMENT ? NULL : options->arguments[1]);
    code = print_plan(plan, text_format(options));
    if (nodata.from_tag && text_format(options) == SWATHE_TEXT_PEOPLE)
        printf("tag      nodata %s from the file's GDAL tag; --nodata none ignores it\n",
               nodata.text);
    swathe_plan_destroy(plan);
    return code;
}

int command_explain(const struct options *options)
{
    swathe_context *context;
    swathe_chain *chain;
    swathe_status status = request_context(options, &context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = request_chain(context, options, &chain);
    if (code == 0) {
        swathe_source *source = NULL;
        code = cli_explain(context, chain, options, &source);
        swathe_source_destroy(source);
        swathe_chain_destroy(chain);
    }
    swathe_context_destroy(context);
    return code;
}
