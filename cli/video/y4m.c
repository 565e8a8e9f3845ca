#include "video/y4m.h"

#include "terminal/message.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { WORD = 32, MOST_EDGE = 1 << 30 };

/* ---- Kinds ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int across, down;
} layouts[] = {
    {"420", 2, 2}, {"422", 2, 1}, {"444", 1, 1}, {"411", 4, 1}, {"440", 1, 2}, {"410", 4, 4},
};

/* "p10" or "10"; 8 bits if nothing follows. */
static bool parse_bits(const char *text, const char *prefix, int *bits)
{
    size_t skip = strlen(prefix);
    *bits = 8;
    if (*text == '\0')
        return true;
    if (strncmp(text, prefix, skip) != 0)
        return false;
    text += skip;
    if (strcmp(text, "8") == 0 || strcmp(text, "9") == 0)
        *bits = *text - '0';
    else if (text[0] == '1' && text[1] >= '0' && text[1] <= '6' && text[2] == '\0')
        *bits = 10 + (text[1] - '0');
    else
        return false;
    return true;
}

/* Where the chroma samples of 420 lie does not change how they are filtered. */
static bool is_position(const char *text)
{
    return strcmp(text, "jpeg") == 0 || strcmp(text, "mpeg2") == 0 || strcmp(text, "paldv") == 0;
}

static bool y4m_find_kind(const char *name, struct y4m_kind *kind)
{
    *kind = (struct y4m_kind){1, 1, 1, 8};
    if (strncmp(name, "mono", 4) == 0)
        return parse_bits(name + 4, "", &kind->bits);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (strncmp(name, layouts[i].name, 3) != 0)
            continue;
        *kind = (struct y4m_kind){3, layouts[i].across, layouts[i].down, 8};
        if (i == 0 && is_position(name + 3))
            return true;
        if (strcmp(name, "444alpha") == 0) {
            kind->planes = 4;
            return true;
        }
        return parse_bits(name + 3, "p", &kind->bits);
    }
    return false;
}

/* ---- The first line ------------------------------------------------------------------------- */

/* Parameters as they were found; empty: not given. */
struct found {
    char width[WORD], height[WORD], kind[WORD], fields[WORD];
    char old_kind[WORD]; /* XYSCSS=, where some programs write the kind */
};

static int copy_word(const char *text, size_t length, const char *name, char word[WORD])
{
    if (*word)
        return complain(SWATHE_ERROR_INPUT, "%s: the parameter %c is given twice", name, text[-1]);
    if (length == 0 || length >= WORD)
        return complain(SWATHE_ERROR_INPUT, "%s: the parameter %c has %zu characters, not 1 to %d",
                        name, text[-1], length, WORD - 1);
    memcpy(word, text, length);
    word[length] = '\0';
    return 0;
}

/* Unknown parameters are allowed by the format; all are copied to the output. */
static int y4m_take(const char *text, size_t length, const char *name, struct found *found)
{
    static const char old[] = "XYSCSS=";
    size_t prefix = sizeof old - 1;
    if (length > prefix && length - prefix < WORD && memcmp(text, old, prefix) == 0) {
        for (size_t i = 0; i < length - prefix; i++)
            found->old_kind[i] = (char)tolower((unsigned char)text[prefix + i]);
        found->old_kind[length - prefix] = '\0';
        return 0;
    }
    char *word = text[0] == 'W'   ? found->width
                 : text[0] == 'H' ? found->height
                 : text[0] == 'C' ? found->kind
                 : text[0] == 'I' ? found->fields
                                  : NULL;
    return word ? copy_word(text + 1, length - 1, name, word) : 0;
}

static int y4m_split(const char *line, size_t length, const char *name, struct found *found)
{
    int code = 0;
    size_t magic = strlen(Y4M_MAGIC);
    if (length < magic || memcmp(line, Y4M_MAGIC, magic) != 0 ||
        (length > magic && line[magic] != ' '))
        return complain(SWATHE_ERROR_INPUT, "%s: does not start with " Y4M_MAGIC, name);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            return complain(SWATHE_ERROR_INPUT, "%s: its first line has a control character", name);
    for (size_t at = magic; code == 0 && at < length;) {
        size_t end = at;
        while (end < length && line[end] != ' ')
            end++;
        if (end > at)
            code = y4m_take(line + at, end - at, name, found);
        at = end + 1;
    }
    return code;
}

static int parse_edge(const char *text, char letter, const char *name, int64_t *edge)
{
    int64_t value = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9' && value <= MOST_EDGE; c++)
        value = 10 * value + (*c - '0');
    if (*text == '\0')
        return complain(SWATHE_ERROR_INPUT, "%s: its first line lacks the parameter %c", name,
                        letter);
    if ((*c && value <= MOST_EDGE) || value < 1)
        return complain(SWATHE_ERROR_INPUT, "%s: the parameter %c%s is not a size", name, letter,
                        text);
    if (value > MOST_EDGE)
        return complain(SWATHE_ERROR_LIMIT, "%s: the parameter %c%s exceeds %d", name, letter, text,
                        MOST_EDGE);
    *edge = value;
    return 0;
}

static int parse_kind(const struct found *found, const char *name, struct y4m_kind *kind)
{
    const char *text = *found->kind ? found->kind : *found->old_kind ? found->old_kind : "420";
    if (y4m_find_kind(text, kind))
        return 0;
    return complain(SWATHE_ERROR_UNSUPPORTED,
                    "%s: samples of the kind C%s are not supported; known are 420, 422, 444, 411, "
                    "440 and 410, with p9 to p16 for more bits, 444alpha, and mono to mono16; "
                    "ffmpeg -pix_fmt converts to one of them",
                    name, text);
}

static int parse_fields(const char *text, const char *name, char *fields)
{
    *fields = *text ? *text : '?';
    if (*text && (text[1] || !strchr("p?tbm", *text)))
        return complain(SWATHE_ERROR_INPUT,
                        "%s: the parameter I%s is none of Ip, It, Ib, Im and I?", name, text);
    return 0;
}

/* Sizes are below 2^60 and samples at most 8 bytes in all planes, so sums stay below 2^63. */
static void place_planes(struct y4m *y4m)
{
    int64_t offset = 0, sample = y4m->kind.bits > 8 ? 2 : 1;
    for (int i = 0; i < y4m->kind.planes; i++) {
        bool chroma = i == 1 || i == 2;
        int64_t across = chroma ? y4m->kind.across : 1, down = chroma ? y4m->kind.down : 1;
        struct y4m_plane *plane = &y4m->planes[i];
        plane->width = (y4m->width + across - 1) / across;
        plane->height = (y4m->height + down - 1) / down;
        plane->offset = offset;
        plane->bytes = plane->width * plane->height * sample;
        offset += plane->bytes;
    }
    y4m->frame_bytes = offset;
}

bool y4m_is_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".y4m") == 0;
}

int y4m_parse(const char *line, size_t length, const char *name, struct y4m *y4m)
{
    struct found found = {.width = ""};
    struct y4m made = {.width = 0};
    int code = y4m_split(line, length, name, &found);
    if (code == 0)
        code = parse_edge(found.width, 'W', name, &made.width);
    if (code == 0)
        code = parse_edge(found.height, 'H', name, &made.height);
    if (code == 0)
        code = parse_kind(&found, name, &made.kind);
    if (code == 0)
        code = parse_fields(found.fields, name, &made.fields);
    if (code != 0)
        return code;
    place_planes(&made);
    *y4m = made;
    return 0;
}

int y4m_check_frame(const char *line, size_t length, const char *name, int64_t number)
{
    static const char word[] = "FRAME";
    size_t size = sizeof word - 1;
    if (length >= size && memcmp(line, word, size) == 0 && (length == size || line[size] == ' '))
        return 0;
    return complain(SWATHE_ERROR_INPUT,
                    "%s: frame %" PRId64 " does not start with FRAME; the data are damaged, or "
                    "frames have another size than the first line says",
                    name, number);
}

/* ---- Samples of two bytes ------------------------------------------------------------------- */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static uint16_t y4m_order(uint16_t sample)
{
    return (uint16_t)(sample << 8 | sample >> 8);
}
#else
static uint16_t y4m_order(uint16_t sample)
{
    return sample;
}
#endif

int frame_samples_highest(const void *samples, int64_t bytes)
{
    const uint16_t *from = samples;
    uint16_t highest = 0;
    for (int64_t i = 0; i < bytes / 2; i++)
        highest = y4m_order(from[i]) > highest ? y4m_order(from[i]) : highest;
    return highest;
}

void frame_samples_order(void *samples, int64_t bytes)
{
    uint16_t *all = samples;
    if (y4m_order(1) == 1)
        return;
    for (int64_t i = 0; i < bytes / 2; i++)
        all[i] = y4m_order(all[i]);
}
