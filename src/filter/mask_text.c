/* Parses masks in text. Numbers are parsed while they are read, because a device or a pipe may have
 * no end. */
#include "filter/mask.h"

#include "base/checked.h"
#include "base/os_file.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 16, WORD_MAX = 64 };

struct reading {
    const struct memory *memory;
    char word[WORD_MAX]; /* the number so far */
    size_t length;
    bool in_comment;
    int64_t width, height, row_width; /* of the complete rows, and of the current row */
    double *k;
    int64_t capacity; /* of k */
};

/* True for characters that separate the numbers of a row. */
static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

static bool is_row_end(char c)
{
    return c == ';' || c == '\n';
}

/* Parses a number or a fraction. */
static swathe_status mask_text_parse_number(char *word, double *value)
{
    double under = 1.0;
    char *slash = strchr(word, '/');
    if (slash)
        *slash = '\0';
    bool good = text_to_double(word, value) && (!slash || text_to_double(slash + 1, &under));
    if (slash)
        *slash = '/';
    if (!good || under == 0.0)
        return fail(SWATHE_ERROR_ARGUMENT, "mask: '%s' is not a number", word);
    *value /= under;
    if (!isfinite(*value))
        return fail(SWATHE_ERROR_ARGUMENT, "mask: '%s' is not a finite number", word);
    return SWATHE_OK;
}

static int64_t number_count(const struct reading *r)
{
    return r->width * r->height + r->row_width;
}

/* Refuses a mask as soon as it is too large, without reading to its end. */
static swathe_status mask_text_check_size(const struct reading *r)
{
    if (r->row_width > MASK_SIDE_MAX || r->height > MASK_SIDE_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "mask: more than %d %s; each side must be 1 to %d: use a smaller mask",
                    MASK_SIDE_MAX, r->height > MASK_SIDE_MAX ? "rows" : "numbers in a row",
                    MASK_SIDE_MAX);
    if (number_count(r) > MASK_TAPS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "mask: more than %d numbers; use a smaller mask",
                    MASK_TAPS_MAX);
    return SWATHE_OK;
}

static swathe_status mask_text_append(struct reading *r, double value)
{
    int64_t count = number_count(r);
    if (count == r->capacity) { /* full: double the capacity */
        int64_t capacity = max64(2 * r->capacity, 64);
        double *larger;
        TRY(memory_new_raw(r->memory, capacity, sizeof *larger, "a mask", &larger));
        if (count > 0)
            memcpy(larger, r->k, sizeof *larger * (size_t)count);
        memory_free(r->memory, r->k);
        r->k = larger;
        r->capacity = capacity;
    }
    r->k[count] = value;
    return SWATHE_OK;
}

static swathe_status end_word(struct reading *r)
{
    double value;
    if (r->length == 0)
        return SWATHE_OK;
    r->word[r->length] = '\0';
    r->length = 0;
    TRY(mask_text_parse_number(r->word, &value));
    TRY(mask_text_append(r, value));
    r->row_width++;
    return mask_text_check_size(r);
}

/* Ends a row: stores its width, or compares it with the width of the first row. Empty rows do not
 * count. */
static swathe_status end_row(struct reading *r)
{
    if (r->row_width == 0)
        return SWATHE_OK;
    if (r->height == 0)
        r->width = r->row_width;
    r->height++;
    if (r->row_width != r->width)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "mask: row %" PRId64 " has %" PRId64 " number%s, row 1 has %" PRId64, r->height,
                    r->row_width, r->row_width == 1 ? "" : "s", r->width);
    r->row_width = 0;
    return mask_text_check_size(r);
}

static swathe_status add_to_word(struct reading *r, char c)
{
    r->word[r->length++] = c;
    if (r->length == WORD_MAX)
        return fail(SWATHE_ERROR_ARGUMENT, "mask: '%.40s…' is not a number", r->word);
    return SWATHE_OK;
}

static swathe_status read_piece(struct reading *r, const char *at, size_t length)
{
    for (const char *end = at + length; at < end; at++) {
        if (r->in_comment && !(at = memchr(at, '\n', (size_t)(end - at))))
            return SWATHE_OK;
        r->in_comment = *at == '#';
        if (!is_space(*at) && !is_row_end(*at) && *at != '#') {
            TRY(add_to_word(r, *at));
            continue;
        }
        TRY(end_word(r));
        if (is_row_end(*at))
            TRY(end_row(r));
    }
    return SWATHE_OK;
}

static swathe_status mask_text_finish(struct reading *r, struct arena *arena, struct mask *mask)
{
    TRY(end_word(r));
    TRY(end_row(r));
    if (r->height == 0)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "mask: no numbers; write rows as in mask:(0 -1 0; -1 5 -1; 0 -1 0)");
    TRY(mask_new(arena, r->width, r->height, mask));
    memcpy(mask->k, r->k, sizeof *r->k * (size_t)(r->width * r->height));
    return SWATHE_OK;
}

swathe_status mask_parse(struct arena *arena, const char *text, struct mask *mask)
{
    struct reading r = {.memory = arena->memory};
    swathe_status status = read_piece(&r, text, strlen(text));
    if (status == SWATHE_OK)
        status = mask_text_finish(&r, arena, mask);
    memory_free(r.memory, r.k);
    return status;
}

static swathe_status mask_text_read_file(struct reading *r, FILE *file, char *chunk)
{
    for (int64_t total = 0; !feof(file);) {
        size_t got = fread(chunk, 1, CHUNK, file);
        total += (int64_t)got;
        if (ferror(file))
            return fail_system(errno, "cannot read");
        if (memchr(chunk, '\0', got))
            return fail(SWATHE_ERROR_ARGUMENT,
                        "not a text file; write the taps as numbers, one row per line");
        TRY(read_piece(r, chunk, got));
        if (total > MASK_BLANK_MAX + MASK_TAP_TEXT * number_count(r))
            return fail(SWATHE_ERROR_LIMIT,
                        "larger than %d MiB plus %d bytes per number; write fewer digits and "
                        "shorter comments",
                        MASK_BLANK_MAX >> 20, MASK_TAP_TEXT);
    }
    return SWATHE_OK;
}

static swathe_status mask_text_read_open(struct arena *arena, FILE *file, struct mask *mask)
{
    struct reading r = {.memory = arena->memory};
    char *chunk;
    TRY(memory_new_raw(r.memory, CHUNK, 1, "a mask", &chunk));
    swathe_status status = mask_text_read_file(&r, file, chunk);
    if (status == SWATHE_OK)
        status = mask_text_finish(&r, arena, mask);
    memory_free(r.memory, r.k);
    memory_free(r.memory, chunk);
    return status;
}

swathe_status mask_read(struct arena *arena, const char *path, struct mask *mask)
{
    FILE *file = os_fopen(path, "rb");
    if (!file)
        return errno == ENOMEM ? fail(SWATHE_ERROR_MEMORY, "mask file %s: out of memory", path)
                               : fail_system(errno, "mask file %s", path);
    swathe_status status = mask_text_read_open(arena, file, mask);
    fclose(file);
    return status == SWATHE_OK ? status : fail_within(status, "mask file %s: ", path);
}
