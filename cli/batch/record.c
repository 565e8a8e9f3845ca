#include "batch/record.h"

#include "../../src/base/os_path.h"
#include "terminal/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 9 }; /* the checksum and its tab */

/* The CRC-32 of zlib and Ethernet. Four bits at a time are fast enough: records are short. */
static uint32_t batch_record_checksum(const char *bytes, size_t size)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned char)bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

static void batch_record_put(struct record *record, char c)
{
    if (record->size + 2 > record->room) {
        size_t room = record->room ? 2 * record->room : 1024;
        char *larger = realloc(record->text, room);
        if (!larger) {
            record->failed = true;
            return;
        }
        record->text = larger;
        record->room = room;
    }
    record->text[record->size++] = c;
}

static void put_field(struct record *record, const char *field)
{
    for (; *field && !record->failed; field++) {
        char letter = *field == '\t' ? 't' : *field == '\n' ? 'n' : *field == '\\' ? '\\' : '\0';
        if (letter)
            batch_record_put(record, '\\');
        batch_record_put(record, letter ? letter : *field);
    }
}

void record_begin(struct record *record, const char *word)
{
    record->size = 0;
    record->failed = false;
    for (int i = 0; i < HEAD && !record->failed; i++)
        batch_record_put(record, '\t');
    put_field(record, word);
}

void record_add(struct record *record, const char *field)
{
    batch_record_put(record, '\t');
    put_field(record, field);
}

void record_add_number(struct record *record, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    record_add(record, text);
}

bool record_end(struct record *record)
{
    char head[HEAD + 1];
    if (!record->failed)
        batch_record_put(record, '\n');
    if (record->failed)
        return false;
    snprintf(head, sizeof head, "%08" PRIx32 "\t",
             batch_record_checksum(record->text + HEAD, record->size - HEAD - 1));
    memcpy(record->text, head, HEAD);
    return true;
}

void record_free(struct record *record)
{
    free(record->text);
    *record = (struct record){0};
}

/* Unescapes in place, field by field: the text only gets shorter. */
static void batch_record_unescape(char *field)
{
    char *to = field;
    for (; *field; field++) {
        if (*field == '\\' && field[1]) {
            field++;
            *to++ = *field == 't' ? '\t' : *field == 'n' ? '\n' : *field;
        } else {
            *to++ = *field;
        }
    }
    *to = '\0';
}

int record_read(char *line, size_t size, char **fields, int most)
{
    char *end;
    if (size < HEAD + 2 || line[size - 1] != '\n' || line[HEAD - 1] != '\t')
        return 0;
    line[size - 1] = '\0';
    line[HEAD - 1] = '\0';
    uint32_t said = (uint32_t)strtoul(line, &end, 16);
    if (end != line + HEAD - 1 || said != batch_record_checksum(line + HEAD, size - HEAD - 1))
        return 0;
    int count = 0;
    for (char *at = line + HEAD; at && count < most;) {
        fields[count++] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
        batch_record_unescape(fields[count - 1]);
    }
    return count;
}

/* ---- The header of a journal ---------------------------------------------------------------- */

static const char magic[] = "swathe-batch", version[] = "1";

bool journal_header_starts(const char *bytes)
{
    size_t sum = strspn(bytes, "0123456789abcdef"), length = sizeof magic - 1;
    return sum == 8 && bytes[sum] == '\t' && strncmp(bytes + sum + 1, magic, length) == 0 &&
           bytes[sum + 1 + length] == '\t';
}

static void add_pair(struct record *record, const char *key, const char *value)
{
    size_t size = strlen(key) + strlen(value) + 2;
    char *text = malloc(size);
    if (text) {
        snprintf(text, size, "%s=%s", key, value);
        record_add(record, text);
    }
    record->failed |= !text;
    free(text);
}

static void add_chain(struct record *record, const swathe_chain *chain)
{
    size_t needed = 0;
    char *text = NULL;
    if (swathe_chain_text(chain, NULL, 0, &needed) == SWATHE_OK)
        text = malloc(needed);
    bool good = text && swathe_chain_text(chain, text, needed, NULL) == SWATHE_OK;
    if (good)
        add_pair(record, "chain", text);
    record->failed |= !good;
    free(text);
}

static bool lies_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' &&
           !strchr(path + length + 1, '/');
}

/* Adds the directory of the results, unless the journal is in it, as by default: then both may be
 * moved together. */
static void batch_record_add_folder(struct record *record, const struct options *options)
{
    const char *out = options_text(options, OPTION_OUT);
    const char *journal = options_text(options, OPTION_JOURNAL);
    char folder[OS_PATH], path[OS_PATH];
    bool found = os_real_path(out, folder);
    if (journal && !(found && os_real_path(journal, path) && lies_in(folder, path)))
        add_pair(record, "--out", found ? folder : out);
}

/* Options of these groups determine the results and files. The other options never change integer
 * results, and change float results only within their error bound. */
static bool batch_record_decides(const struct option *option)
{
    return option->group == GROUP_RESULT || option->group == GROUP_FILE;
}

void journal_header_write(const struct options *options, const swathe_chain *chain,
                          struct record *record)
{
    char contract[16];
    snprintf(contract, sizeof contract, "%d", (int)swathe_contract());
    record_begin(record, magic);
    record_add(record, version);
    add_pair(record, "contract", contract);
    add_chain(record, chain);
    batch_record_add_folder(record, options);
    for (int i = 0; i < OPTION_COUNT; i++) {
        char key[64];
        if (!options->values[i] || !batch_record_decides(option_at(i)))
            continue;
        snprintf(key, sizeof key, "--%s", option_at(i)->name);
        add_pair(record, key, options->values[i]);
    }
}

/* The field with the same key as `field`; NULL: there is none. */
static const char *same_key(char *const *fields, int count, const char *field)
{
    size_t key = strcspn(field, "=") + 1;
    for (int i = 2; i < count; i++)
        if (strncmp(fields[i], field, key) == 0)
            return fields[i];
    return NULL;
}

/* Describes a difference: "with --border=wrap", "with --exact", "without --border". */
static void batch_record_describe(const char *field, const char *key, char *text, size_t size)
{
    size_t length = field ? strlen(field) : 0;
    if (field)
        snprintf(text, size, "with %.*s", (int)(length - (field[length - 1] == '=')), field);
    else
        snprintf(text, size, "without %.*s", (int)strcspn(key, "="), key);
}

static int complain_difference(const char *path, const char *before, const char *now)
{
    char was[1024], is[1024];
    batch_record_describe(before, now, was, sizeof was);
    batch_record_describe(now, before, is, sizeof is);
    return complain(
        SWATHE_ERROR_ARGUMENT,
        "%s was started %s, but this command is %s; repeat that command, or start over with "
        "--overwrite",
        path, was, is);
}

static int batch_record_compare(const char *path, char *const *fields, int count, char *const *own,
                                int own_count)
{
    for (int i = 2; i < own_count; i++) {
        const char *before = same_key(fields, count, own[i]);
        if (!before || strcmp(before, own[i]) != 0)
            return complain_difference(path, before, own[i]);
    }
    for (int i = 2; i < count; i++)
        if (!same_key(own, own_count, fields[i]))
            return complain_difference(path, fields[i], NULL);
    return 0;
}

int journal_header_check(const char *path, char *const *fields, int count,
                         const struct options *options, const swathe_chain *chain)
{
    char *own[JOURNAL_HEADER_FIELDS];
    struct record record = {0};
    if (count < 2 || strcmp(fields[0], magic) != 0 || strcmp(fields[1], version) != 0)
        return complain(SWATHE_ERROR_INPUT,
                        "%s is not a journal that this version can read; start over with "
                        "--overwrite, or name another file with --journal FILE",
                        path);
    int code = SWATHE_ERROR_MEMORY;
    journal_header_write(options, chain, &record);
    if (record_end(&record)) {
        int own_count = record_read(record.text, record.size, own, JOURNAL_HEADER_FIELDS);
        code = batch_record_compare(path, fields, count, own, own_count);
    } else {
        complain(code, "%s: no memory", path);
    }
    record_free(&record);
    return code;
}
