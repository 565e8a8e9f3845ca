#include "commands/options.h"
#include "commands/request.h"
#include "devices/device_check.h"
#include "terminal/message.h"
#include "terminal/print.h"
#include "terminal/text.h"

#include <stdio.h>

static int print_strategies(bool json)
{
    if (json) {
        table_json(SWATHE_TABLE_STRATEGIES);
        return 0;
    }
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int width = table_names_width(SWATHE_TABLE_STRATEGIES) + 2;
    printf("Strategies for dense masks on a GPU (--strategy NAME, or NAME:BLOCK):\n");
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_STRATEGIES, i, &entry) == SWATHE_OK; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", entry.summary, i == 0 ? " (default)" : "");
        paragraph_entry(stdout, width, entry.name, text);
        paragraph_entry(stdout, width, "", entry.detail);
    }
    return 0;
}

static int cli_devices_check(swathe_context *context, const struct options *options)
{
    struct device_check wanted = {.context = context,
                                  .device = options_text(options, OPTION_DEVICE),
                                  .strategy = options_text(options, OPTION_STRATEGY),
                                  .problems = options_count(options, OPTION_PROBLEMS),
                                  .seed = options_count(options, OPTION_SEED),
                                  .repeat = options_text(options, OPTION_REPEAT)};
    wanted.device = wanted.device ? wanted.device : "gpu";
    wanted.problems = wanted.problems > 0 ? wanted.problems : 500;
    wanted.seed = wanted.seed > 0 ? wanted.seed : 1;
    return device_check(&wanted);
}

int command_devices(const struct options *options)
{
    swathe_context *context;
    bool json = options_has(options, OPTION_JSON);
    if (options_has(options, OPTION_STRATEGIES))
        return print_strategies(json);
    swathe_status status = request_context(options, &context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = 0;
    if (options_has(options, OPTION_CHECK))
        code = cli_devices_check(context, options);
    else if (json)
        devices_json(context, &(struct json){0}, NULL);
    else
        devices_print(context);
    swathe_context_destroy(context);
    return code;
}
