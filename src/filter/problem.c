#include "filter/problem.h"

#include "base/text.h"
#include "filter/plan_option.h"
#include "image/sample.h"
#include "image/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void filter_problem_print(struct text *out, const swathe_shape *source,
                                 const swathe_plan_options *o, int32_t contract)
{
    text_add(out, "contract=%d shape=%" PRId64 "x%" PRId64 "x%d:%s", contract, source->width,
             source->height, source->channels, sample_entry(source->type)->name);
    if (source->alpha)
        text_add(out, " alpha-channel=%d", source->alpha);
    if (source->color)
        text_add(out, " color=%d", (int)source->color);
    plan_option_print(o, out);
}

swathe_status problem_print(struct arena *arena, const swathe_shape *source,
                            const swathe_plan_options *options, int32_t contract, char **text)
{
    char buffer[512];
    struct text out;
    text_init(&out, buffer, sizeof buffer);
    filter_problem_print(&out, source, options, contract);
    if (out.needed >= sizeof buffer)
        return fail(SWATHE_ERROR_ARGUMENT, "the plan's options are too long");
    return arena_copy(arena, buffer, out.needed, text);
}

/* Parses one key=value or key={value}. At the end, `key` is NULL. */
static swathe_status problem_next_word(struct arena *arena, const char **at, char **key,
                                       char **value)
{
    *at += strspn(*at, " \n");
    *key = NULL;
    if (**at == '\0')
        return SWATHE_OK;
    size_t length = strcspn(*at, "= ");
    if ((*at)[length] != '=')
        return fail(SWATHE_ERROR_ARGUMENT, "problem: '%.40s' is not key=value", *at);
    TRY(arena_copy(arena, *at, length, key));
    *at += length + 1;
    if (**at != '{') {
        length = strcspn(*at, " \n");
        TRY(arena_copy(arena, *at, length, value));
        *at += length;
        return SWATHE_OK;
    }
    ++*at;
    length = strcspn(*at, "}");
    if ((*at)[length] != '}')
        return fail(SWATHE_ERROR_ARGUMENT, "problem: %s={ without }", *key);
    TRY(arena_copy(arena, *at, length, value));
    *at += length + 1;
    return SWATHE_OK;
}

static swathe_status parse_shape(const char *text, swathe_shape *shape)
{
    char type[8];
    int end = 0;
    if (sscanf(text, "%" SCNd64 "x%" SCNd64 "x%d:%7[a-z0-9]%n", &shape->width, &shape->height,
               &shape->channels, type, &end) != 4 ||
        text[end] != '\0' || !sample_entry_named(type))
        return fail(SWATHE_ERROR_ARGUMENT, "problem: shape=%s must be WxHxC:TYPE", text);
    shape->type = sample_entry_named(type)->type;
    return SWATHE_OK;
}

static swathe_status parse_contract(const char *value, int32_t contract)
{
    int64_t number;
    if (!text_to_int(value, &number) || number != contract)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "problem: contract %s; this library implements contract %d", value, contract);
    return SWATHE_OK;
}

static swathe_status problem_parse_number(const char *key, const char *value, int32_t *number)
{
    int64_t got;
    if (!text_to_int(value, &got) || got < 0 || got > VIEW_CHANNELS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "problem: %s=%s is not a count", key, value);
    *number = (int32_t)got;
    return SWATHE_OK;
}

/* Curves are written as a mask is: rows of numbers. */
static swathe_status parse_curves(struct problem *problem, const char *value)
{
    struct mask rows;
    TRY(mask_parse(&problem->arena, value, &rows));
    problem->curves = SWATHE_INIT(swathe_curves);
    problem->curves.values = rows.k;
    problem->curves.count = rows.height;
    problem->curves.size = rows.width;
    problem->options.curves = &problem->curves;
    return SWATHE_OK;
}

static swathe_status problem_take_word(struct problem *problem, const char *key, const char *value,
                                       int32_t contract)
{
    int32_t number = 0;
    if (strcmp(key, "contract") == 0)
        return parse_contract(value, contract);
    if (strcmp(key, "shape") == 0)
        return parse_shape(value, &problem->source);
    if (strcmp(key, "chain") == 0)
        return problem->chain ? fail(SWATHE_ERROR_ARGUMENT, "problem: chain= is given twice")
                              : chain_parse(problem->arena.memory, value, &problem->chain);
    if (strcmp(key, "curves") == 0)
        return parse_curves(problem, value);
    if (strcmp(key, "alpha-channel") == 0)
        return problem_parse_number(key, value, &problem->source.alpha);
    if (strcmp(key, "color") == 0) {
        TRY(problem_parse_number(key, value, &number));
        problem->source.color = (swathe_color)number;
        return SWATHE_OK;
    }
    swathe_status status = plan_option_set(&problem->options, key, value);
    return status == SWATHE_OK ? status : fail_within(status, "problem: ");
}

static swathe_status parse_words(struct problem *problem, const char *text, int32_t contract)
{
    char *key, *value;
    for (;;) {
        TRY(problem_next_word(&problem->arena, &text, &key, &value));
        if (!key)
            break;
        TRY(problem_take_word(problem, key, value, contract));
    }
    if (!problem->chain || problem->source.channels == 0)
        return fail(SWATHE_ERROR_ARGUMENT, "problem: it needs shape= and chain=");
    return SWATHE_OK;
}

swathe_status problem_parse(const struct memory *memory, const char *text, int32_t contract,
                            struct problem *problem)
{
    *problem = (struct problem){.arena = {.memory = memory}};
    problem->source = (swathe_shape){0};
    problem->options = SWATHE_INIT(swathe_plan_options);
    swathe_status status = parse_words(problem, text, contract);
    if (status != SWATHE_OK)
        problem_free(problem);
    return status;
}

void problem_free(struct problem *problem)
{
    chain_free(problem->chain);
    arena_free(&problem->arena);
}
