#include "batch/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 9 }; /* the checksum and its tab */

/* The CRC-32 of zlib and Ethernet. Four bits at a time are fast enough: records are short. */
static uint32_t checksum(const char *bytes, size_t size)
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

static void put(struct record *record, char c)
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
            put(record, '\\');
        put(record, letter ? letter : *field);
    }
}

void record_begin(struct record *record, const char *word)
{
    record->size = 0;
    record->failed = false;
    for (int i = 0; i < HEAD && !record->failed; i++)
        put(record, '\t');
    put_field(record, word);
}

void record_add(struct record *record, const char *field)
{
    put(record, '\t');
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
        put(record, '\n');
    if (record->failed)
        return false;
    snprintf(head, sizeof head, "%08" PRIx32 "\t",
             checksum(record->text + HEAD, record->size - HEAD - 1));
    memcpy(record->text, head, HEAD);
    return true;
}

void record_free(struct record *record)
{
    free(record->text);
    *record = (struct record){0};
}

/* Unescapes in place, field by field: the text only gets shorter. */
static void unescape(char *field)
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
    if (end != line + HEAD - 1 || said != checksum(line + HEAD, size - HEAD - 1))
        return 0;
    int count = 0;
    for (char *at = line + HEAD; at && count < most;) {
        fields[count++] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
        unescape(fields[count - 1]);
    }
    return count;
}
