#include "filter/mask.h"

#include "base/checked.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

swathe_status mask_new(struct arena *arena, int64_t width, int64_t height, struct mask *mask)
{
    if (width < 1 || height < 1 || width > MASK_SIDE_MAX || height > MASK_SIDE_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "a mask of %" PRId64 " x %" PRId64 " taps; each side must be 1 to %d", width,
                    height, MASK_SIDE_MAX);
    if (width * height > MASK_TAPS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "a mask of %" PRId64 " x %" PRId64 " taps; at most %d in all", width, height,
                    MASK_TAPS_MAX);
    *mask = (struct mask){(int32_t)width, (int32_t)height, (int32_t)width / 2, (int32_t)height / 2,
                          NULL};
    return arena_new(arena, width * height, sizeof(double), "a mask", &mask->k);
}

/* What stands between the numbers of a row. */
static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

static bool is_row_end(char c)
{
    return c == ';' || c == '\n' || c == '\0';
}

/* One number or fraction; moves past it. */
static swathe_status parse_number(const char **at, double *value)
{
    char word[64];
    size_t length = 0;
    while (!is_space((*at)[length]) && !is_row_end((*at)[length]) && (*at)[length] != '#')
        length++;
    if (length >= sizeof word)
        return fail(SWATHE_ERROR_ARGUMENT, "mask: '%.40s…' is not a number", *at);
    memcpy(word, *at, length);
    word[length] = '\0';
    char *slash = strchr(word, '/');
    double under = 1.0;
    if (slash)
        *slash = '\0';
    if (!text_to_double(word, value) || (slash && !text_to_double(slash + 1, &under)) ||
        under == 0.0)
        return fail(SWATHE_ERROR_ARGUMENT, "mask: '%.*s' is not a number", (int)length, *at);
    *value /= under;
    if (!isfinite(*value))
        return fail(SWATHE_ERROR_ARGUMENT, "mask: '%.*s' is not a finite number", (int)length, *at);
    *at += length;
    return SWATHE_OK;
}

struct mask_size {
    int64_t width, height, row_width;
};

/* A row ended: remember its width, or compare with the first one's. Empty rows do not count. */
static swathe_status end_row(struct mask_size *size)
{
    if (size->row_width == 0)
        return SWATHE_OK;
    size->height++;
    if (size->height == 1)
        size->width = size->row_width;
    if (size->row_width != size->width)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "mask: row %" PRId64 " has %" PRId64 " numbers, the first row %" PRId64,
                    size->height, size->row_width, size->width);
    size->row_width = 0;
    return SWATHE_OK;
}

/* Walks the text; stores the numbers where `k` is given, else only counts them. */
static swathe_status scan(const char *text, double *k, struct mask_size *size)
{
    *size = (struct mask_size){0, 0, 0};
    for (const char *at = text;; at++) {
        while (is_space(*at))
            at++;
        if (*at == '#')
            at += strcspn(at, "\n");
        if (!is_row_end(*at)) {
            double value;
            TRY(parse_number(&at, &value));
            if (k)
                *k++ = value;
            size->row_width++;
            at--;
            continue;
        }
        TRY(end_row(size));
        if (*at == '\0')
            return SWATHE_OK;
    }
}

swathe_status mask_parse(struct arena *arena, const char *text, struct mask *mask)
{
    struct mask_size size;
    TRY(scan(text, NULL, &size));
    if (size.height == 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "mask: no numbers; write rows as in mask:(0 -1 0; -1 5 -1; 0 -1 0)");
    TRY(mask_new(arena, size.width, size.height, mask));
    return scan(text, mask->k, &size);
}

swathe_status mask_read(struct arena *arena, const char *path, struct mask *mask)
{
    enum { TEXT_MAX = 1 << 27 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(SWATHE_ERROR_IO, "mask file %s: %s", path, strerror(errno));
    swathe_status status = SWATHE_OK;
    char *text = NULL;
    size_t got = 0, size = 0;
    do {
        if (got == size) { /* full: twice the room */
            char *larger;
            size = size ? 2 * size : 4096;
            status = size > TEXT_MAX ? fail(SWATHE_ERROR_LIMIT, "mask file %s: over 128 MiB", path)
                                     : arena_new(arena, (int64_t)size + 1, 1, "mask", &larger);
            if (status != SWATHE_OK)
                break;
            if (text)
                memcpy(larger, text, got);
            text = larger;
        }
        got += fread(text + got, 1, size - got, file);
    } while (!feof(file) && !ferror(file));
    if (status == SWATHE_OK && ferror(file))
        status = fail(SWATHE_ERROR_IO, "mask file %s: %s", path, strerror(errno));
    fclose(file);
    TRY(status);
    text[got] = '\0';
    if (strlen(text) != got)
        return fail(SWATHE_ERROR_ARGUMENT, "mask file %s: not a text", path);
    status = mask_parse(arena, text, mask);
    return status == SWATHE_OK ? status : fail_within(status, "%s: ", path);
}

double mask_sum(const double *k, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += k[i];
    return sum;
}

swathe_status mask_normalise(struct mask *mask)
{
    int64_t count = (int64_t)mask->width * mask->height;
    double sum = mask_sum(mask->k, count), largest = 0.0;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(mask->k[i]));
    if (fabs(sum) <= largest * 1e-12)
        return fail(SWATHE_ERROR_ARGUMENT, "normalise: the taps add up to 0");
    for (int64_t i = 0; i < count; i++)
        mask->k[i] /= sum;
    return SWATHE_OK;
}

void mask_flip(struct mask *mask)
{
    int64_t count = (int64_t)mask->width * mask->height;
    for (int64_t i = 0; mask->k && i < count / 2; i++) {
        double k = mask->k[i];
        mask->k[i] = mask->k[count - 1 - i];
        mask->k[count - 1 - i] = k;
    }
    mask->anchor_x = mask->width - 1 - mask->anchor_x;
    mask->anchor_y = mask->height - 1 - mask->anchor_y;
}
