#include "video/chain.h"

#include "../../src/base/os_file.h"
#include "commands/value.h"
#include "terminal/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stage of the text of a chain. */
struct piece {
    const char *text;
    size_t length;
};

/* The part of `text` before `stop` outside of parentheses, which the library has checked. */
static size_t piece_length(const char *text, size_t length, char stop)
{
    int depth = 0;
    for (size_t i = 0; i < length; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (depth == 0 && text[i] == stop)
            return i;
    }
    return length;
}

/* The argument key=... of a stage; its length is 0 if there is none. */
static struct piece find_argument(struct piece stage, const char *key)
{
    size_t skip = strlen(key);
    for (size_t at = 0; at < stage.length;) {
        size_t length = piece_length(stage.text + at, stage.length - at, ':');
        if (length > skip && strncmp(stage.text + at, key, skip) == 0)
            return (struct piece){stage.text + at, length};
        at += length + 1;
    }
    return (struct piece){stage.text, 0};
}

/* Copies the value of an argument, without parentheses around it. */
static void copy_value(struct piece argument, const char *key, char *value, size_t size)
{
    size_t skip = strlen(key);
    snprintf(value, size, "%.*s", (int)(argument.length - skip), argument.text + skip);
    size_t length = strlen(value);
    if (length < 2 || value[0] != '(' || value[length - 1] != ')')
        return;
    memmove(value, value + 1, length - 2);
    value[length - 2] = '\0';
}

/* Does the stage give u16? `before`: the stage before it did. With --intermediate only the last
 * stage has the source's type by itself. */
static bool gives_u16(struct piece stage, bool last, bool intermediate, bool before)
{
    char value[8];
    struct piece type = find_argument(stage, "type=");
    if (type.length == 0)
        return intermediate ? last : before;
    copy_value(type, "type=", value, sizeof value);
    return strcmp(value, "u16") == 0;
}

static bool parse_clamp(struct piece clamp, double *low, double *high)
{
    char value[80];
    copy_value(clamp, "clamp=", value, sizeof value);
    char *dots = strstr(value, "..");
    if (!dots)
        return false;
    *dots = '\0';
    return value_number(value, low) && value_number(dots + 2, high);
}

/* Writes the stage with the narrower clamp. */
static int write_limited(FILE *to, struct piece stage, int highest)
{
    struct piece clamp = find_argument(stage, "clamp=");
    double low = 0, high = highest;
    if (clamp.length == 0) {
        fprintf(to, "%.*s:clamp=0..%d", (int)stage.length, stage.text, highest);
        return 0;
    }
    if (!parse_clamp(clamp, &low, &high) || low > highest || high < 0)
        return complain(SWATHE_ERROR_ARGUMENT, "%.*s: the range of the samples is 0..%d",
                        (int)clamp.length, clamp.text, highest);
    const char *end = clamp.text + clamp.length;
    fprintf(to, "%.*sclamp=%.17g..%.17g%.*s", (int)(clamp.text - stage.text), stage.text,
            fmax(low, 0), fmin(high, highest), (int)(stage.text + stage.length - end), end);
    return 0;
}

static int write_stages(FILE *to, const char *text, const struct options *options, int highest)
{
    bool intermediate = options_has(options, OPTION_INTERMEDIATE), u16 = true;
    int code = 0;
    for (size_t left = strlen(text); code == 0 && left > 0;) {
        struct piece stage = {text, piece_length(text, left, ',')};
        bool last = stage.length == left;
        u16 = gives_u16(stage, last, intermediate, u16);
        if (u16)
            code = write_limited(to, stage, highest);
        else
            fprintf(to, "%.*s", (int)stage.length, stage.text);
        if (!last)
            putc(',', to);
        text += stage.length + !last;
        left -= stage.length + (size_t)!last;
    }
    return code;
}

static int parse_text(swathe_context *context, const struct options *options, const char *text,
                      int highest, swathe_chain **limited)
{
    struct os_memory_file made;
    os_memory_open(&made);
    if (!made.to)
        return complain(SWATHE_ERROR_MEMORY, "out of memory");
    int code = write_stages(made.to, text, options, highest);
    bool complete = os_memory_close(&made);
    if (!complete && code == 0)
        code = complain(SWATHE_ERROR_MEMORY, "out of memory");
    if (code == 0) {
        swathe_status status = swathe_chain_parse(context, made.text, limited);
        code = status == SWATHE_OK ? 0 : complain_library(status, NULL);
    }
    free(made.text);
    return code;
}

int video_chain_limit(swathe_context *context, const struct options *options,
                      const swathe_chain *chain, int highest, swathe_chain **limited)
{
    size_t size = 0;
    swathe_chain_text(chain, NULL, 0, &size);
    char *text = malloc(size);
    if (!text)
        return complain(SWATHE_ERROR_MEMORY, "out of memory");
    swathe_status status = swathe_chain_text(chain, text, size, NULL);
    int code = status == SWATHE_OK ? parse_text(context, options, text, highest, limited)
                                   : complain_library(status, NULL);
    free(text);
    return code;
}
