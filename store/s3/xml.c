#include "s3/s3.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MOST_LEVELS = 8, PATH_BYTES = 256, TEXT_BYTES = 8192 };

struct walk {
    const char *at, *end;
    char path[PATH_BYTES];
    size_t starts[MOST_LEVELS]; /* of each open element's name in the path */
    int level;
    char text[TEXT_BYTES];
    size_t text_size;
    xml_visit *visit;
    void *user;
    swathe_status status;
};

static bool name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == ':';
}

static size_t name_size(const struct walk *walk)
{
    size_t size = 0;
    while (walk->at + size < walk->end && name_byte(walk->at[size]))
        size++;
    return size;
}

static bool xml_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(struct walk *walk)
{
    while (walk->at < walk->end && xml_space(*walk->at))
        walk->at++;
}

static bool xml_starts(const struct walk *walk, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(walk->end - walk->at) >= size && memcmp(walk->at, word, size) == 0;
}

static bool xml_add_text(struct walk *walk, const char *bytes, size_t size)
{
    if (size >= TEXT_BYTES - walk->text_size)
        return false;
    memcpy(walk->text + walk->text_size, bytes, size);
    walk->text_size += size;
    return true;
}

static bool add_character(struct walk *walk, uint32_t code)
{
    char bytes[4];
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    if (code < 0x80) {
        bytes[0] = (char)code;
        return xml_add_text(walk, bytes, 1);
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)((0xf00 >> size & 0xff) | code);
    return xml_add_text(walk, bytes, size);
}

/* "&#39;" or "&#x27;", from behind the '#' to the ';'. */
static bool xml_add_number(struct walk *walk, const char *text, size_t size)
{
    uint32_t base = size > 0 && text[0] == 'x' ? 16 : 10, code = 0;
    if (base == 16)
        text++, size--;
    if (size == 0 || size > 7)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        uint32_t digit = c >= '0' && c <= '9'                 ? (uint32_t)(c - '0')
                         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (uint32_t)((c | 32) - 'a' + 10)
                                                              : 99;
        if (digit >= base)
            return false;
        code = code * base + digit;
    }
    return add_character(walk, code);
}

static bool read_entity(struct walk *walk)
{
    static const struct {
        const char *name;
        char character;
    } known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (xml_starts(walk, known[i].name)) {
            walk->at += strlen(known[i].name);
            return xml_add_text(walk, &known[i].character, 1);
        }
    size_t left = (size_t)(walk->end - walk->at);
    const char *semicolon = memchr(walk->at, ';', left < 12 ? left : 12);
    if (!xml_starts(walk, "&#") || !semicolon ||
        !xml_add_number(walk, walk->at + 2, (size_t)(semicolon - walk->at) - 2))
        return false;
    walk->at = semicolon + 1;
    return true;
}

static bool read_text(struct walk *walk)
{
    while (walk->at < walk->end && *walk->at != '<') {
        if (*walk->at == '\0')
            return false;
        if (*walk->at == '&' ? !read_entity(walk) : !xml_add_text(walk, walk->at++, 1))
            return false;
    }
    return true;
}

/* Attributes are skipped: name="value". */
static bool skip_attributes(struct walk *walk)
{
    for (skip_space(walk); walk->at < walk->end && name_byte(*walk->at); skip_space(walk)) {
        walk->at += name_size(walk);
        if (walk->end - walk->at < 3 || *walk->at != '=' ||
            (walk->at[1] != '"' && walk->at[1] != '\''))
            return false;
        const char *from = walk->at + 2;
        const char *quote = memchr(from, walk->at[1], (size_t)(walk->end - from));
        if (!quote || memchr(from, '<', (size_t)(quote - from)))
            return false;
        walk->at = quote + 1;
    }
    return true;
}

static bool close_element(struct walk *walk)
{
    walk->text[walk->text_size] = '\0';
    walk->text_size = 0;
    walk->status = walk->visit(walk->user, walk->path, walk->text);
    size_t start = walk->starts[--walk->level];
    walk->path[start > 0 ? start - 1 : 0] = '\0';
    return walk->status == SWATHE_OK;
}

static bool read_end(struct walk *walk)
{
    walk->at += 2;
    size_t size = name_size(walk);
    const char *own = walk->level > 0 ? walk->path + walk->starts[walk->level - 1] : "";
    if (size == 0 || strlen(own) != size || memcmp(own, walk->at, size) != 0)
        return false;
    walk->at += size;
    skip_space(walk);
    if (walk->at == walk->end || *walk->at++ != '>')
        return false;
    return close_element(walk);
}

static bool read_start(struct walk *walk)
{
    walk->at++;
    size_t size = name_size(walk), used = strlen(walk->path), start = used > 0 ? used + 1 : 0;
    if (size == 0 || walk->level == MOST_LEVELS || start + size >= PATH_BYTES)
        return false;
    if (used > 0)
        walk->path[used] = '/';
    memcpy(walk->path + start, walk->at, size);
    walk->path[start + size] = '\0';
    walk->starts[walk->level++] = start;
    walk->text_size = 0;
    walk->at += size;
    if (!skip_attributes(walk))
        return false;
    bool empty = xml_starts(walk, "/>");
    if (!empty && !xml_starts(walk, ">"))
        return false;
    walk->at += empty ? 2 : 1;
    return !empty || close_element(walk);
}

/* One element and its inner ones. */
static bool read_element(struct walk *walk)
{
    if (!xml_starts(walk, "<") || !read_start(walk))
        return false;
    while (walk->level > 0)
        if (!read_text(walk) ||
            !(xml_starts(walk, "</") ? read_end(walk) : xml_starts(walk, "<") && read_start(walk)))
            return false;
    return true;
}

swathe_status store_xml_walk(const char *bytes, size_t size, xml_visit *visit, void *user)
{
    if (size == 0) /* there may be no pointer either */
        return SWATHE_ERROR_INPUT;
    struct walk walk = {.at = bytes, .end = bytes + size, .visit = visit, .user = user};
    skip_space(&walk);
    if (xml_starts(&walk, "<?xml")) {
        const char *end = memchr(walk.at, '>', (size_t)(walk.end - walk.at));
        if (!end || end[-1] != '?')
            return SWATHE_ERROR_INPUT;
        walk.at = end + 1;
        skip_space(&walk);
    }
    if (!read_element(&walk))
        return walk.status != SWATHE_OK ? walk.status : SWATHE_ERROR_INPUT;
    skip_space(&walk);
    return walk.at == walk.end ? SWATHE_OK : SWATHE_ERROR_INPUT;
}
