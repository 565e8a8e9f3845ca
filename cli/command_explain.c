#include "message.h"
#include "options.h"
#include "request.h"
#include "value.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Reads IN as a shape, or the shape of the file IN. */
static int find_shape(swathe_context *context, const struct options *options, swathe_shape *shape)
{
    const char *in = options->arguments[1];
    if (value_shape(in, shape))
        return 0;
    if (*in >= '0' && *in <= '9' && access(in, F_OK) != 0)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "'%s' is neither a file nor a shape such as 6000x4000x3:u8", in);
    swathe_source *source;
    int code = request_source(context, options, in, &source);
    if (code != 0)
        return code;
    *shape = source->shape;
    swathe_source_destroy(source);
    return 0;
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

static int explain(swathe_context *context, const swathe_chain *chain,
                   const struct options *options)
{
    swathe_shape shape;
    int code = find_shape(context, options, &shape);
    if (code != 0)
        return code;
    swathe_plan_options wanted = request_plan(options);
    swathe_plan *plan;
    swathe_status status = swathe_plan_create(context, chain, &shape, &wanted, &plan);
    if (status != SWATHE_OK)
        return complain_library(status,
                                status == SWATHE_ERROR_ARGUMENT ? NULL : options->arguments[1]);
    code = print_plan(plan, text_format(options));
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
    int code = request_chain(context, options->arguments[0], &chain);
    if (code == 0) {
        code = explain(context, chain, options);
        swathe_chain_destroy(chain);
    }
    swathe_context_destroy(context);
    return code;
}
