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
            if (size->width * size->height + size->row_width > MASK_TAPS_MAX)
                return fail(SWATHE_ERROR_ARGUMENT, "mask: more than %d numbers", MASK_TAPS_MAX);
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

/* A file's text up to its end; refuses as soon as it cannot be one of a mask, because a device or
 * a pipe may have no end. */
static swathe_status read_text(const struct memory *memory, FILE *file, char **text)
{
    char *larger, *own = NULL;
    size_t got = 0, size = 0;
    swathe_status status = SWATHE_OK;
    do {
        if (got == size) { /* full: twice the room */
            size = size ? 2 * size : 4096;
            status = size > MASK_TEXT_MAX
                         ? fail(SWATHE_ERROR_LIMIT, "over %d MiB, too long for a mask",
                                MASK_TEXT_MAX >> 20)
                         : memory_new_raw(memory, (int64_t)size + 1, 1, "a mask", &larger);
            if (status != SWATHE_OK)
                break;
            if (own)
                memcpy(larger, own, got);
            memory_free(memory, own);
            own = larger;
        }
        size_t more = fread(own + got, 1, size - got, file);
        if (memchr(own + got, '\0', more))
            status = fail(SWATHE_ERROR_ARGUMENT, "not a text");
        got += more;
    } while (status == SWATHE_OK && !feof(file) && !ferror(file));
    if (status == SWATHE_OK && ferror(file))
        status = fail(SWATHE_ERROR_IO, "%s", strerror(errno));
    if (status != SWATHE_OK) {
        memory_free(memory, own);
        return status;
    }
    own[got] = '\0';
    *text = own;
    return SWATHE_OK;
}

swathe_status mask_read(struct arena *arena, const char *path, struct mask *mask)
{
    char *text;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(errno == ENOMEM ? SWATHE_ERROR_MEMORY : SWATHE_ERROR_IO, "mask file %s: %s",
                    path, strerror(errno));
    swathe_status status = read_text(arena->memory, file, &text);
    fclose(file);
    if (status != SWATHE_OK)
        return fail_within(status, "mask file %s: ", path);
    status = mask_parse(arena, text, mask);
    memory_free(arena->memory, text);
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
