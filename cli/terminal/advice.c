#include "terminal/advice.h"

#include "terminal/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is appended to an error of the library with this status and subject, a limit or option. $ is
 * replaced by the command's option of that name, with a sufficient value if the library reports
 * one. */
static const struct {
    swathe_status status;
    const char *subject, *words;
} ways[] = {
    {SWATHE_ERROR_LIMIT, "max_pixels", "; raise it with $"},
    {SWATHE_ERROR_LIMIT, "max_memory", "; raise it with $"},
    {SWATHE_ERROR_LIMIT, "max_metadata", "; raise it with $"},
    {SWATHE_ERROR_LIMIT, "max_spool", ", or raise the limit with $"},
    {SWATHE_ERROR_LIMIT, "device_memory",
     ", or, if the device has more memory, raise the limit with $"},
    {SWATHE_ERROR_ARGUMENT, "overwrite", "; replace it with $"},
    {SWATHE_ERROR_ARGUMENT, "format", "; name one with $"},
    {SWATHE_ERROR_ARGUMENT, "quality", "; leave out $"},
    {SWATHE_ERROR_ARGUMENT, "lossless", "; leave out $"},
    {SWATHE_ERROR_ARGUMENT, "subsampling", "; leave out $"},
    {SWATHE_ERROR_ARGUMENT, "compression", "; leave out $"},
    {SWATHE_ERROR_ARGUMENT, "tile", "; leave out $"},
    {SWATHE_ERROR_UNSUPPORTED, "tile", " with $"},
    {SWATHE_ERROR_UNSUPPORTED, "type", "; convert with $, or for looking with --values fit"},
    {SWATHE_ERROR_UNSUPPORTED, "alpha", ", or put a colour behind it, as in --background white"},
    {SWATHE_ERROR_UNSUPPORTED, "light", "; $ srgb takes sRGB's curve"},
    {SWATHE_ERROR_ARGUMENT, "nodata", "; $ none ignores missing data"},
    {SWATHE_ERROR_ARGUMENT, "device", ", as in $ gpu"},
    {SWATHE_ERROR_ARGUMENT, "strategy", "; 'swathe devices --strategies' lists them"},
    {SWATHE_ERROR_ARGUMENT, "algorithm", "; $ fourier forces them"},
};

static const struct command *current;
static int32_t sharing = 1;

/* Formats a number for options of KIND_SIZE, rounded up: "4G". */
static void as_size(uint64_t number, char *text, size_t size)
{
    static const char units[] = "KMGTPE";
    int unit = -1;
    while (number >= 1024) {
        number = number / 1024 + (number % 1024 != 0);
        unit++;
    }
    snprintf(text, size, "%" PRIu64 "%.*s", number, unit >= 0, &units[unit >= 0 ? unit : 0]);
}

/* The option of the current command for a field: --max-memory for max_memory. */
static const struct option *find_option(const char *subject)
{
    const struct option *option;
    char name[64];
    snprintf(name, sizeof name, "%s", subject);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? '-' : *c;
    for (int i = 0; (option = option_at(i)); i++)
        if (strcmp(option->name, name) == 0 && option_fits(option, current))
            return option;
    return NULL;
}

/* Writes an option with its value, as in "--max-memory 4G". Pixels are printed as a plain number,
 * as in the error's text. */
static void spell(const struct option *option, const swathe_error *error, char *text, size_t size)
{
    char value[32] = "";
    if (error->needed > 0 && strcmp(error->subject, "max_pixels") == 0)
        snprintf(value, sizeof value, "%" PRId64, error->needed);
    else if (error->needed > 0 && strcmp(error->subject, "max_memory") == 0)
        as_size((uint64_t)error->needed * (uint64_t)sharing, value, sizeof value);
    else if (error->needed > 0)
        as_size((uint64_t)error->needed, value, sizeof value);
    snprintf(text, size, "--%s%s%s", option->name, *value ? " " : "", value);
}

static void advice(const swathe_error *error, char *text, size_t size)
{
    const struct option *option = NULL;
    char spelled[96];
    *text = '\0';
    if (error->subject) /* lossless is a value of --quality */
        option = find_option(strcmp(error->subject, "lossless") == 0 ? "quality" : error->subject);
    if (!option)
        return;
    spell(option, error, spelled, sizeof spelled);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].status == error->status && strcmp(ways[i].subject, error->subject) == 0) {
            int before = (int)strcspn(ways[i].words, "$");
            const char *after = ways[i].words + before;
            snprintf(text, size, "%.*s%s%s", before, ways[i].words, *after ? spelled : "",
                     *after ? after + 1 : "");
        }
}

void advice_share(int32_t images)
{
    sharing = images;
}

void advice_for(const struct command *command)
{
    current = command;
    message_advice(advice);
}
