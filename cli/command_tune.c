#include "message.h"
#include "options.h"
#include "request.h"

#include <stdio.h>
#include <stdlib.h>

static int print_wisdom(swathe_context *context, swathe_text format)
{
    size_t needed = 0;
    swathe_status status = swathe_tune_text(context, format, NULL, 0, &needed);
    char *text = status == SWATHE_OK ? malloc(needed) : NULL;
    if (status == SWATHE_OK && !text)
        return complain(SWATHE_ERROR_MEMORY, "no memory for %zu bytes of text", needed);
    if (status == SWATHE_OK)
        status = swathe_tune_text(context, format, text, needed, NULL);
    if (status == SWATHE_OK)
        printf("%s%s", text, format == SWATHE_TEXT_JSON ? "\n" : "");
    free(text);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

static int tune(swathe_context *context, const struct options *options)
{
    swathe_tune_options wanted = SWATHE_INIT(swathe_tune_options);
    wanted.isa = options_text(options, OPTION_ISA);
    swathe_status status =
        options_has(options, OPTION_SHOW) ? SWATHE_OK : swathe_tune(context, &wanted);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    return print_wisdom(context,
                        options_has(options, OPTION_JSON) ? SWATHE_TEXT_JSON : SWATHE_TEXT_PEOPLE);
}

int command_tune(const struct options *options)
{
    swathe_context *context;
    swathe_status status = request_context(options, &context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = tune(context, options);
    swathe_context_destroy(context);
    return code;
}
