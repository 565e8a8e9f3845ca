#include "commands/options.h"
#include "commands/request.h"
#include "terminal/json.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct pair {
    const struct options *options;
    swathe_source *a, *b;
    swathe_difference difference;
    bool accepted; /* equal, or within --max-difference */
};

static int64_t cli_compare_samples(const swathe_source *source)
{
    swathe_shape shape = swathe_source_properties(source).shape;
    return shape.width * shape.height * shape.channels;
}

static void print_size(const char *path, const swathe_source *source)
{
    swathe_shape shape = swathe_source_properties(source).shape;
    printf(" %s is %" PRId64 "x%" PRId64 " with %d channel%s", path_read(path), shape.width,
           shape.height, shape.channels, shape.channels == 1 ? "" : "s");
}

static void print_sizes(const struct pair *pair)
{
    printf("different:");
    print_size(pair->options->arguments[0], pair->a);
    printf(",");
    print_size(pair->options->arguments[1], pair->b);
    printf("\n");
}

/* Differences of integers have all their digits. */
static void print_maximum(const swathe_difference *found)
{
    bool whole = found->maximum == floor(found->maximum) && found->maximum < 0x1p53;
    printf("largest difference  %.*g at x %" PRId64 ", y %" PRId64 ", channel %d\n", whole ? 16 : 6,
           found->maximum, found->x, found->y, found->channel);
}

static void cli_compare_print_people(const struct pair *pair)
{
    const swathe_difference *found = &pair->difference;
    if (!found->comparable) {
        print_sizes(pair);
        return;
    }
    if (found->equal) {
        printf("equal\n");
        return;
    }
    printf("%s: %" PRId64 " of %" PRId64 " samples\n",
           pair->accepted ? "different, but within --max-difference" : "different", found->samples,
           cli_compare_samples(pair->a));
    print_maximum(found);
    printf("mean difference     %.6g\n", found->mean);
    printf("PSNR                %.2f dB\n", found->psnr);
}

static void cli_compare_print_json(const struct pair *pair)
{
    const swathe_difference *found = &pair->difference;
    struct json json = {0};
    json_open(&json, NULL, '{');
    json_bool(&json, "equal", found->equal);
    json_bool(&json, "comparable", found->comparable);
    json_bool(&json, "accepted", pair->accepted);
    if (found->comparable) {
        json_integer(&json, "samples", cli_compare_samples(pair->a));
        json_integer(&json, "different", found->samples);
        json_number(&json, "maximum", found->maximum);
        json_integer(&json, "x", found->x);
        json_integer(&json, "y", found->y);
        json_integer(&json, "channel", found->channel);
        json_number(&json, "mean", found->mean);
        json_number(&json, "psnr", found->psnr);
    }
    json_close(&json, '}');
}

static int cli_compare(swathe_context *context, struct pair *pair)
{
    pair->difference = SWATHE_INIT(swathe_difference);
    swathe_status status = swathe_compare(context, pair->a, pair->b, &pair->difference);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    const swathe_difference *found = &pair->difference;
    pair->accepted =
        found->equal || (found->comparable && options_has(pair->options, OPTION_MAX_DIFFERENCE) &&
                         found->maximum <= options_number(pair->options, OPTION_MAX_DIFFERENCE));
    if (options_has(pair->options, OPTION_JSON))
        cli_compare_print_json(pair);
    else if (!options_has(pair->options, OPTION_QUIET))
        cli_compare_print_people(pair);
    return pair->accepted ? 0 : EXIT_DIFFERENT;
}

static int cli_compare_steps(swathe_context *context, struct pair *pair)
{
    const char *a = pair->options->arguments[0], *b = pair->options->arguments[1];
    if (strcmp(a, "-") == 0 && strcmp(b, "-") == 0)
        return complain(SWATHE_ERROR_ARGUMENT, "only one of the two can be standard input");
    int code = request_source(context, pair->options, a, &pair->a);
    if (code == 0)
        code = request_source(context, pair->options, b, &pair->b);
    return code == 0 ? cli_compare(context, pair) : code;
}

int command_compare(const struct options *options)
{
    swathe_context *context;
    swathe_status status = request_context(options, &context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    struct pair pair = {.options = options};
    int code = cli_compare_steps(context, &pair);
    swathe_source_destroy(pair.b);
    swathe_source_destroy(pair.a);
    swathe_context_destroy(context);
    return code;
}
