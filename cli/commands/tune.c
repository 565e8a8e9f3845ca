#include "commands/options.h"
#include "commands/request.h"
#include "terminal/message.h"
#include "terminal/text_print.h"

static int tune(swathe_context *context, const struct options *options)
{
    swathe_tune_options wanted = SWATHE_INIT(swathe_tune_options);
    wanted.isa = options_text(options, OPTION_ISA);
    swathe_status status =
        options_has(options, OPTION_SHOW) ? SWATHE_OK : swathe_tune(context, &wanted);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    return text_print(context, swathe_tune_text,
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
