#include "io/tiff/nodata.h"

#include "base/text.h"
#include "image/sample.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Do the reader's samples have the numbers of the file, or those that map_value gives? */
static bool keeps_numbers(const struct tiff_form *form)
{
    return !form->palette && !form->by_rgba && !form->signed_lab && !form->premultiplied &&
           form->unpack != TIFF_UNPACK_SCALED;
}

/* A file in which 0 is white is read with 0 as black. */
static double map_value(const struct tiff_form *form, double value)
{
    return form->invert ? ldexp(1.0, form->bits) - 1.0 - value : value;
}

/* Can a sample be the value? Floats are compared after rounding: writers print f32 in many ways. */
static bool occurs(double value, swathe_type type)
{
    const struct sample_entry *entry = sample_entry(type);
    if (type == SWATHE_F32)
        return fabs(value) < 0x1.ffffffp127; /* rounds to a finite one */
    return type == SWATHE_F64 ||
           (value >= entry->lowest && value <= entry->highest && value == floor(value));
}

/* Copies the text without the spaces around it. False if it is too long. */
static bool trim(const char *text, char *to, size_t size)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    if (length >= size)
        return false;
    memcpy(to, text, length);
    to[length] = '\0';
    return true;
}

void tiff_nodata_set(struct image_reader *reader, const struct tiff_form *form, const char *text)
{
    char word[NODATA_SIZE];
    double value;
    struct text out;
    swathe_type type = form->shape.type;
    if (!keeps_numbers(form)) {
        reader->metadata.nodata = ""; /* it describes no sample of ours */
        return;
    }
    if (!trim(text, word, sizeof word))
        return;
    bool number = text_to_double(word, &value);
    if (!number && (strcasecmp(word, "nan") != 0 || !sample_is_float(type)))
        return;
    text_init(&out, reader->nodata, sizeof reader->nodata);
    if (number && !occurs(map_value(form, value), type))
        return;
    if (number)
        text_add_double(&out, map_value(form, value));
    else
        text_add(&out, "nan");
    text_finish(&out, NULL);
    reader->metadata.nodata = reader->nodata;
}
