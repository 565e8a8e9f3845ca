/* `swathe filters`: the list of filters, and the masks of a chain. */
#include "commands/known_words.h"
#include "commands/options.h"
#include "commands/request.h"
#include "terminal/json.h"
#include "terminal/message.h"
#include "terminal/print.h"
#include "terminal/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- Masks ---------------------------------------------------------------------------------- */

enum { LARGEST_DIVISOR = 65536, LARGEST_SHOWN = 17 };

static int64_t tap_count(const swathe_mask *mask)
{
    return (int64_t)mask->width * mask->height;
}

static bool all_whole(const swathe_mask *mask, int divisor)
{
    for (int64_t i = 0; i < tap_count(mask); i++) {
        double scaled = mask->taps[i] * divisor;
        if (fabs(scaled - round(scaled)) > 1e-9 || fabs(scaled) > 1e6)
            return false;
    }
    return true;
}

/* The smallest factor that makes every tap an integer; 0: none. */
static int filters_common_divisor(const swathe_mask *mask)
{
    if (tap_count(mask) > LARGEST_SHOWN * LARGEST_SHOWN)
        return 0;
    for (int divisor = 1; divisor <= LARGEST_DIVISOR; divisor++)
        if (all_whole(mask, divisor))
            return divisor;
    return 0;
}

/* Number of decimals that gives the largest tap four digits. */
static int filters_decimals(const swathe_mask *mask)
{
    double largest = 0;
    for (int64_t i = 0; i < tap_count(mask); i++)
        largest = fmax(largest, fabs(mask->taps[i]));
    double digits = largest > 0 ? 3 - floor(log10(largest)) : 0;
    return (int)fmin(fmax(digits, 0), 12);
}

/* Formats a tap: as an integer if there is a divisor, otherwise with `digits` decimals; "0" if all
 * digits are 0. */
static int tap_text(double tap, int divisor, int digits, char *text, size_t size)
{
    double shown = divisor ? round(tap * divisor) : tap;
    if (fabs(shown) < 0.5 * pow(10, divisor ? 0 : -digits))
        return snprintf(text, size, "0");
    return snprintf(text, size, "%.*f", divisor ? 0 : digits, shown);
}

static int filters_widest(const swathe_mask *mask, int divisor, int digits)
{
    char text[512];
    int width = 0;
    for (int64_t i = 0; i < tap_count(mask); i++) {
        int columns = tap_text(mask->taps[i], divisor, digits, text, sizeof text);
        width = columns > width ? columns : width;
    }
    return width;
}

static void print_matrix(const swathe_mask *mask, int divisor)
{
    char text[512];
    int digits = filters_decimals(mask), width = filters_widest(mask, divisor, digits);
    for (int64_t i = 0; i < tap_count(mask); i++) {
        tap_text(mask->taps[i], divisor, digits, text, sizeof text);
        printf("  %*s%s", width, text, (i + 1) % mask->width == 0 ? "\n" : "");
    }
}

static void print_extras(const swathe_mask *mask)
{
    if (mask->has_anchor &&
        (mask->anchor_x != mask->width / 2 || mask->anchor_y != mask->height / 2))
        printf(", anchor %dx%d", mask->anchor_x, mask->anchor_y);
    if (mask->dilate_x > 1 || mask->dilate_y > 1)
        printf(", dilated %dx%d", mask->dilate_x, mask->dilate_y);
    if (mask->bias != 0)
        printf(", bias %g", mask->bias);
}

/* Prints "5 x 5, divided by 256" and, unless the mask is too large, an aligned matrix. */
static void mask_print(const swathe_mask *mask, const char *title)
{
    int divisor = filters_common_divisor(mask);
    bool small = mask->width <= LARGEST_SHOWN && mask->height <= LARGEST_SHOWN;
    printf("\n%s: %d x %d", title, mask->width, mask->height);
    if (divisor > 1)
        printf(", divided by %d", divisor);
    print_extras(mask);
    printf(small ? "\n" : "; --json prints the taps\n");
    if (small)
        print_matrix(mask, divisor);
}

static void mask_json(struct json *json, const swathe_mask *mask)
{
    json_open(json, NULL, '{');
    json_integer(json, "width", mask->width);
    json_integer(json, "height", mask->height);
    json_integer(json, "anchor_x", mask->has_anchor ? mask->anchor_x : mask->width / 2);
    json_integer(json, "anchor_y", mask->has_anchor ? mask->anchor_y : mask->height / 2);
    json_integer(json, "dilate_x", mask->dilate_x ? mask->dilate_x : 1);
    json_integer(json, "dilate_y", mask->dilate_y ? mask->dilate_y : 1);
    json_number(json, "bias", mask->bias);
    json_open(json, "taps", '[');
    for (int64_t i = 0; i < tap_count(mask); i++)
        json_number(json, NULL, mask->taps[i]);
    json_close(json, ']');
    json_close(json, '}');
}

/* ---- The command ---------------------------------------------------------------------------- */

static int filters_list(const struct options *options)
{
    if (options_has(options, OPTION_JSON)) {
        table_json(SWATHE_TABLE_FILTERS);
        return 0;
    }
    printf("Filters ('swathe filters NAME' defines one):\n");
    table_names(SWATHE_TABLE_FILTERS);
    printf("\nArguments that every filter takes, as in gaussian:9:border=wrap:\n");
    table_syntax(SWATHE_TABLE_OPTIONS);
    return 0;
}

static bool filters_find_entry(const char *stage, swathe_table_entry *entry)
{
    char name[WORD_SIZE] = "";
    size_t length = strcspn(stage, ":");
    if (length >= sizeof name)
        return false;
    memcpy(name, stage, length);
    return known_words_entry(SWATHE_TABLE_FILTERS, name, entry);
}

/* Gets mask `index` of a stage; false past the last. A stage with one mask returns it for any
 * channel. */
static bool mask_at(const swathe_chain *chain, int32_t index, swathe_mask *mask)
{
    swathe_mask first = SWATHE_INIT(swathe_mask);
    if (swathe_chain_mask(chain, 0, index, mask) != SWATHE_OK)
        return false;
    return index == 0 ||
           (swathe_chain_mask(chain, 0, 0, &first) == SWATHE_OK && first.taps != mask->taps);
}

static void print_masks(const swathe_chain *chain, const char *stage)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask), other = SWATHE_INIT(swathe_mask);
    bool several = mask_at(chain, 1, &other);
    if (!mask_at(chain, 0, &mask))
        printf("\n%s\n", swathe_error_text());
    for (int32_t i = 0; mask_at(chain, i, &mask); i++) {
        char title[256];
        snprintf(title, sizeof title, several ? "Mask of %.200s for channel %d" : "Mask of %.200s",
                 stage, i);
        mask_print(&mask, title);
    }
}

static void filters_define(const swathe_chain *chain, const char *stage,
                           const swathe_table_entry *entry)
{
    char example[256];
    const char *quote = strpbrk(entry->example, " ();") ? "'" : ""; /* quotes it for the shell */
    snprintf(example, sizeof example, "swathe apply %s%s%s in.png out.png", quote, entry->example,
             quote);
    printf("%s: %s\n", entry->name, entry->summary);
    paragraph_entry(stdout, 10, "syntax", entry->syntax);
    if (entry->detail[0])
        paragraph_entry(stdout, 10, "meaning", entry->detail);
    if (entry->example[0])
        paragraph_entry(stdout, 10, "example", example);
    if (chain)
        print_masks(chain, stage);
}

static void define_json(struct json *json, const swathe_chain *chain, const char *stage,
                        const swathe_table_entry *entry)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    json_open(json, NULL, '{');
    table_json_members(json, entry);
    json_text(json, "stage", stage);
    json_open(json, "masks", '[');
    for (int32_t i = 0; chain && mask_at(chain, i, &mask); i++)
        mask_json(json, &mask);
    json_close(json, ']');
    json_close(json, '}');
}

/* Prints the definition of a filter. A name without its required arguments, such as `mask`, is
 * described without a mask. */
static int define_stage(swathe_context *context, const char *stage, struct json *json)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    swathe_chain *chain = NULL;
    bool found = filters_find_entry(stage, &entry);
    swathe_status status = swathe_chain_parse(context, stage, &chain);
    if (status != SWATHE_OK && (!found || strchr(stage, ':')))
        return complain_library(status, NULL);
    int code = 0;
    if (!found || (chain && swathe_chain_stages(chain) != 1))
        code = complain(SWATHE_ERROR_ARGUMENT,
                        "filters takes one filter per name, not the chain '%s'", stage);
    else if (json)
        define_json(json, chain, stage, &entry);
    else
        filters_define(chain, stage, &entry);
    swathe_chain_destroy(chain);
    return code;
}

static int define_all(swathe_context *context, const struct options *options)
{
    struct json json = {0};
    bool as_json = options_has(options, OPTION_JSON);
    int code = 0;
    if (as_json)
        json_open(&json, NULL, '[');
    for (int i = 0; i < options->argument_count && code == 0; i++) {
        if (i > 0 && !as_json)
            printf("\n");
        code = define_stage(context, options->arguments[i], as_json ? &json : NULL);
    }
    if (as_json)
        json_close(&json, ']');
    return code;
}

int command_filters(const struct options *options)
{
    swathe_context *context;
    if (options->argument_count == 0)
        return filters_list(options);
    swathe_status status = request_context(options, &context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = define_all(context, options);
    swathe_context_destroy(context);
    return code;
}
