#include "image/border.h"

#include "base/nearest_word.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const struct border_entry entries[] = {
#define BORDER(constant, name, map, far, syntax, summary, picture)                                 \
    {name, syntax, summary, picture, map, far},
#include "image/border.def"
#undef BORDER
};

/* i modulo n, in 0..n-1 */
static int64_t border_modulo(int64_t i, int64_t n)
{
    int64_t r = i % n;
    return r < 0 ? r + n : r;
}

int64_t border_map_reflect(int64_t i, int64_t n)
{
    int64_t r = border_modulo(i, 2 * n);
    return r < n ? r : 2 * n - 1 - r;
}

int64_t border_map_reflect101(int64_t i, int64_t n)
{
    if (n == 1)
        return 0;
    int64_t period = 2 * (n - 1), r = border_modulo(i, period);
    return r < n ? r : period - r;
}

int64_t border_map_replicate(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

int64_t border_map_wrap(int64_t i, int64_t n)
{
    return border_modulo(i, n);
}

int64_t border_map_outside(int64_t i, int64_t n)
{
    return i >= 0 && i < n ? i : BORDER_OUTSIDE;
}

const struct border_entry *border_entry(int mode)
{
    return mode >= 0 && mode < BORDER_COUNT ? &entries[mode] : NULL;
}

static swathe_status unknown_border(const char *word)
{
    char hint[64], all[256];
    struct nearest nearest;
    struct text list;
    nearest_start(&nearest, word);
    text_init(&list, all, sizeof all);
    for (int i = 0; i < BORDER_COUNT; i++) {
        nearest_offer(&nearest, entries[i].name);
        text_add(&list, "%s%s", i ? ", " : "", entries[i].syntax);
    }
    return fail(SWATHE_ERROR_ARGUMENT, "no border '%.60s'%s (%s)", word,
                nearest_hint(&nearest, "", hint, sizeof hint), all);
}

/* Parses constant(V), where V is a number. */
static swathe_status parse_constant(const char *text, struct border *border)
{
    char digits[64];
    size_t length = strlen(text);
    if (length < 3 || length - 2 >= sizeof digits || text[0] != '(' || text[length - 1] != ')')
        return fail(SWATHE_ERROR_ARGUMENT, "border constant needs its value, as in constant(7)");
    memcpy(digits, text + 1, length - 2);
    digits[length - 2] = '\0';
    if (!text_to_double(digits, &border->value))
        return fail(SWATHE_ERROR_ARGUMENT, "border constant(%s): '%s' is not a number", digits,
                    digits);
    border->mode = BORDER_CONSTANT;
    return SWATHE_OK;
}

swathe_status border_parse(const char *text, struct border *border)
{
    size_t constant = strlen(entries[BORDER_CONSTANT].name);
    if (strncmp(text, entries[BORDER_CONSTANT].name, constant) == 0)
        return parse_constant(text + constant, border);
    for (int i = 0; i < BORDER_COUNT; i++)
        if (strcmp(text, entries[i].name) == 0) {
            *border = (struct border){(enum border_mode)i, 0.0};
            return SWATHE_OK;
        }
    return unknown_border(text);
}

const char *border_text(const struct border *border, char *text, size_t size)
{
    struct text out;
    text_init(&out, text, size);
    text_add(&out, "%s", entries[border->mode].name);
    if (border->mode == BORDER_CONSTANT) {
        text_add(&out, "(");
        text_add_double(&out, border->value);
        text_add(&out, ")");
    }
    return text;
}
