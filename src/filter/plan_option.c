#include "filter/plan_option.h"

#include "base/nearest_word.h"
#include "image/sample.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- Words ----------------------------------------------------------------------------------- */

enum word_option { ALPHA, LIGHT, VALUES };

static const struct word {
    enum word_option option;
    int32_t value;
    const char *name;
} words[] = {
#define PLAN_WORD(option, constant, name) {option, constant, name},
#include "filter/plan_word.def"
#undef PLAN_WORD
};
enum { WORDS = sizeof words / sizeof *words };

static const char *const option_names[] = {"alpha", "light", "values"};

static const char *word_name(enum word_option option, int32_t value)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].option == option && words[i].value == value)
            return words[i].name;
    return NULL;
}

static swathe_status plan_option_unknown_word(enum word_option option, const char *text)
{
    struct nearest nearest;
    struct text list;
    char hint[64], all[96];
    nearest_start(&nearest, text);
    text_init(&list, all, sizeof all);
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i].option != option)
            continue;
        bool last = i + 1 == WORDS || words[i + 1].option != option;
        nearest_offer(&nearest, words[i].name);
        text_add(&list, "%s%s%s",
                 list.needed == 0 ? ""
                 : last           ? " or "
                                  : ", ",
                 words[i].name,
                 words[i].value == SWATHE_VALUES_FIT && option == VALUES ? "(LO..HI)" : "");
    }
    return fail(SWATHE_ERROR_ARGUMENT, "no %s '%.40s'%s; it must be %s", option_names[option], text,
                nearest_hint(&nearest, "", hint, sizeof hint), all);
}

static swathe_status plan_option_parse_word(enum word_option option, const char *text,
                                            int32_t *value)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].option == option && strcmp(words[i].name, text) == 0) {
            *value = words[i].value;
            return SWATHE_OK;
        }
    return plan_option_unknown_word(option, text);
}

/* Parses "LO..HI" up to `end`. */
static bool plan_option_parse_range(const char *text, const char *end, double *from, double *to)
{
    char low[64], high[64];
    const char *dots = strstr(text, "..");
    if (!dots || dots > end || dots - text >= (int)sizeof low || end - dots - 2 < 1 ||
        end - dots - 2 >= (int)sizeof high)
        return false;
    memcpy(low, text, (size_t)(dots - text));
    low[dots - text] = '\0';
    memcpy(high, dots + 2, (size_t)(end - dots - 2));
    high[end - dots - 2] = '\0';
    return text_to_double(low, from) && text_to_double(high, to);
}

static swathe_status parse_values(swathe_plan_options *o, const char *text)
{
    size_t length = strlen(text);
    if (strcmp(text, "fit") == 0 || strncmp(text, "fit(", 4) != 0) {
        swathe_values values = SWATHE_VALUES_DEFAULT;
        TRY(plan_option_parse_word(VALUES, text, &values));
        if (values != SWATHE_VALUES_FIT) {
            o->values = values;
            return SWATHE_OK;
        }
    }
    double low, high;
    if (length < 5 || text[length - 1] != ')' ||
        !plan_option_parse_range(text + 4, text + length - 1, &low, &high))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "values '%.80s': needs two numbers LO <= HI with a finite difference, as in "
                    "fit(0..4095)",
                    text);
    o->values = SWATHE_VALUES_FIT;
    o->values_low = low;
    o->values_high = high;
    return SWATHE_OK;
}

const char *plan_option_values(swathe_values values)
{
    return word_name(VALUES, values);
}

/* ---- Setting --------------------------------------------------------------------------------- */

struct border plan_option_border(const swathe_plan_options *o)
{
    if (o->border == SWATHE_BORDER_DEFAULT)
        return (struct border){BORDER_REFLECT, 0.0};
    return (struct border){(enum border_mode)(o->border - 1),
                           o->border == SWATHE_BORDER_CONSTANT ? o->border_value : 0.0};
}

static swathe_status parse_border(swathe_plan_options *o, const char *text)
{
    struct border border;
    TRY(border_parse(text, &border));
    o->border = (swathe_border)border.mode + 1;
    o->border_value = border.value;
    return SWATHE_OK;
}

static swathe_status plan_option_parse_type(const char *name, const char *text, swathe_type *type)
{
    const struct sample_entry *entry = sample_entry_named(text);
    if (!entry)
        return fail(SWATHE_ERROR_ARGUMENT, "%s=%s is not a type", name, text);
    *type = entry->type;
    return SWATHE_OK;
}

static swathe_status parse_switch(const char *name, const char *text, int32_t *to)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return fail(SWATHE_ERROR_ARGUMENT, "%s=%s must be 0 or 1", name, text);
    *to = *text - '0';
    return SWATHE_OK;
}

static swathe_status plan_option_parse_number(const char *name, const char *text, double *number)
{
    return text_to_double(text, number)
               ? SWATHE_OK
               : fail(SWATHE_ERROR_ARGUMENT, "%s=%s is not a number", name, text);
}

static swathe_status parse_bytes(const char *name, const char *text, int64_t *bytes)
{
    return text_to_int(text, bytes)
               ? SWATHE_OK
               : fail(SWATHE_ERROR_ARGUMENT, "%s=%s is not a number of bytes", name, text);
}

/* Options that are texts, in the order of a problem string. */
static const struct text_option {
    const char *name;
    size_t at;
} texts[] = {{"nodata", offsetof(swathe_plan_options, nodata)},
             {"algorithm", offsetof(swathe_plan_options, algorithm)},
             {"isa", offsetof(swathe_plan_options, isa)},
             {"device", offsetof(swathe_plan_options, device)},
             {"strategy", offsetof(swathe_plan_options, strategy)},
             {"arithmetic", offsetof(swathe_plan_options, arithmetic)}};
enum { TEXTS = sizeof texts / sizeof *texts };

swathe_status plan_option_set(swathe_plan_options *o, const char *name, const char *text)
{
    if (strcmp(name, "border") == 0)
        return parse_border(o, text);
    if (strcmp(name, "type") == 0)
        return plan_option_parse_type(name, text, &o->type);
    if (strcmp(name, "intermediate") == 0)
        return plan_option_parse_type(name, text, &o->intermediate);
    if (strcmp(name, "exact") == 0)
        return parse_switch(name, text, &o->exact);
    if (strcmp(name, "tune") == 0)
        return parse_switch(name, text, &o->tune);
    if (strcmp(name, "accuracy") == 0)
        return plan_option_parse_number(name, text, &o->accuracy);
    if (strcmp(name, "values") == 0)
        return parse_values(o, text);
    if (strcmp(name, "alpha") == 0)
        return plan_option_parse_word(ALPHA, text, &o->alpha);
    if (strcmp(name, "light") == 0)
        return plan_option_parse_word(LIGHT, text, &o->light);
    if (strcmp(name, "max_memory") == 0)
        return parse_bytes(name, text, &o->max_memory);
    if (strcmp(name, "device_memory") == 0)
        return parse_bytes(name, text, &o->device_memory);
    for (size_t i = 0; i < TEXTS; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *(const char **)((char *)o + texts[i].at) = text;
            return SWATHE_OK;
        }
    return fail(SWATHE_ERROR_ARGUMENT, "no option '%s'", name);
}

static swathe_status plan_option_check_range(const char *name, int32_t value, int32_t most)
{
    if (value >= 0 && value <= most)
        return SWATHE_OK;
    return fail_about(SWATHE_ERROR_ARGUMENT, name, "%s is %d; it must be 0 to %d", name, (int)value,
                      (int)most);
}

swathe_status plan_option_check(const swathe_plan_options *o)
{
    TRY(plan_option_check_range("border", o->border, SWATHE_BORDER_VALID));
    TRY(plan_option_check_range("alpha", o->alpha, SWATHE_ALPHA_FILTER));
    TRY(plan_option_check_range("light", o->light, SWATHE_LIGHT_SRGB));
    TRY(plan_option_check_range("tune", o->tune, 1));
    TRY(plan_option_check_range("values", o->values, SWATHE_VALUES_FIT));
    if (o->values == SWATHE_VALUES_FIT &&
        (!isfinite(o->values_high - o->values_low) || o->values_low > o->values_high))
        return fail(SWATHE_ERROR_ARGUMENT,
                    "values 'fit(%.17g..%.17g)': needs two numbers LO <= HI with a finite "
                    "difference, as in fit(0..4095)",
                    o->values_low, o->values_high);
    return plan_option_check_range("exact", o->exact, SWATHE_EXACT);
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void add_word(struct text *out, const char *name, const char *value)
{
    if (value)
        text_add(out, strpbrk(value, " {}") ? " %s={%s}" : " %s=%s", name, value);
}

static void plan_option_add_type(struct text *out, const char *name, swathe_type type)
{
    if (type)
        add_word(out, name, sample_entry(type)->name);
}

static void add_values(struct text *out, const swathe_plan_options *o)
{
    add_word(out, "values", plan_option_values(o->values));
    if (o->values != SWATHE_VALUES_FIT)
        return;
    text_add(out, "(");
    text_add_double(out, o->values_low);
    text_add(out, "..");
    text_add_double(out, o->values_high);
    text_add(out, ")");
}

void plan_option_print(const swathe_plan_options *o, struct text *out)
{
    struct border border = plan_option_border(o);
    char text[64];
    add_word(out, "border", o->border ? border_text(&border, text, sizeof text) : NULL);
    plan_option_add_type(out, "type", o->type);
    plan_option_add_type(out, "intermediate", o->intermediate);
    if (o->exact)
        add_word(out, "exact", "1");
    if (o->accuracy > 0.0) {
        text_add(out, " accuracy=");
        text_add_double(out, o->accuracy);
    }
    add_values(out, o);
    add_word(out, "alpha", word_name(ALPHA, o->alpha));
    add_word(out, "light", word_name(LIGHT, o->light));
    for (size_t i = 0; i < TEXTS; i++)
        add_word(out, texts[i].name, *(const char *const *)((const char *)o + texts[i].at));
}
