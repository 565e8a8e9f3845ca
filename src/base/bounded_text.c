#include "base/bounded_text.h"

#include "base/c_locale.h"

void text_init(struct text *text, char *buffer, size_t size)
{
    *text = (struct text){buffer, size, 0};
    if (size > 0)
        buffer[0] = '\0';
}

void text_add_list(struct text *text, const char *format, va_list args)
{
    size_t left = text->needed < text->size ? text->size - text->needed : 0;
    int wrote = c_locale_format_list(left ? text->at + text->needed : NULL, left, format, args);
    text->needed += wrote > 0 ? (size_t)wrote : 0;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_add_list(text, format, args);
    va_end(args);
}

void text_add_plain(struct text *text, const char *string)
{
    text_add(text, "%s", string);
}

size_t text_length(const struct text *text)
{
    return text->needed < text->size || text->size == 0 ? text->needed : text->size - 1;
}

void text_cut(struct text *text, size_t length)
{
    text->needed = length;
    if (length < text->size)
        text->at[length] = '\0';
}
