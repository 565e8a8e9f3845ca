#include "io/metadata/ifd.h"

#include "base/checked.h"

#include <string.h>

/* Directories with more entries than this are damaged. */
enum { DISK_ENTRIES_MAX = 4096, LONGS_TO_ADD = 2, PADDING = 4 };
/* Entries that ifd_peek looks at: entries are sorted, and the requested tags have low numbers. */
enum { PEEK_ENTRIES = 16 };

/* Bytes of one value, and of the units whose byte order is swapped. */
static const struct {
    uint8_t size, unit;
} types[] = {{0, 0}, {1, 1}, {1, 1}, {2, 2}, {4, 4}, {8, 4}, {1, 1}, {1, 1}, {2, 2}, {4, 4},
             {8, 4}, {4, 4}, {8, 8}, {4, 4}, {0, 0}, {0, 0}, {8, 8}, {8, 8}, {8, 8}};

static uint32_t type_size(uint16_t type)
{
    return type < sizeof types / sizeof *types ? types[type].size : 0;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static bool fetch_block(void *user, uint64_t offset, void *bytes, size_t size)
{
    memcpy(bytes, (const uint8_t *)user + offset, size);
    return true;
}

struct ifd_source ifd_source_bytes(const void *bytes, size_t size)
{
    return (struct ifd_source){fetch_block, (void *)bytes, size, false, false};
}

static bool ifd_fetch(const struct ifd_source *source, uint64_t offset, void *bytes, uint64_t size)
{
    return size <= source->size && offset <= source->size - size &&
           (size == 0 || source->fetch(source->user, offset, bytes, (size_t)size));
}

static uint64_t _ifd_number(const uint8_t *bytes, int size, bool swapped)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * (swapped ? size - 1 - i : i);
    return value;
}

bool ifd_open(struct ifd_source *source, uint64_t *first)
{
    uint8_t head[16];
    if (!ifd_fetch(source, 0, head, 8))
        return false;
    source->swapped = head[0] == 'M';
    if (head[0] != head[1] || (head[0] != 'M' && head[0] != 'I'))
        return false;
    uint64_t version = _ifd_number(head + 2, 2, source->swapped);
    source->wide = version == 43;
    if ((version != 42 && version != 43) || (source->wide && !ifd_fetch(source, 8, head + 8, 8)))
        return false;
    *first = source->wide ? _ifd_number(head + 8, 8, source->swapped)
                          : _ifd_number(head + 4, 4, source->swapped);
    return true;
}

bool ifd_raw_read(const struct ifd_source *source, uint64_t offset, uint64_t index,
                  struct ifd_raw *raw)
{
    uint8_t bytes[20];
    int word = source->wide ? 8 : 4, entry = 4 + 2 * word;
    uint64_t at = offset + (source->wide ? 8 : 2) + index * (uint64_t)entry;
    if (!ifd_fetch(source, at, bytes, (uint64_t)entry))
        return false;
    raw->tag = (uint16_t)_ifd_number(bytes, 2, source->swapped);
    raw->type = (uint16_t)_ifd_number(bytes + 2, 2, source->swapped);
    raw->count = _ifd_number(bytes + 4, word, source->swapped);
    uint32_t size = type_size(raw->type);
    if (size == 0 || raw->count == 0 || raw->count > UINT32_MAX)
        return false;
    raw->bytes = raw->count * size;
    uint64_t inside = at + 4 + (uint64_t)word;
    raw->offset = raw->bytes <= (uint64_t)word
                      ? inside
                      : _ifd_number(bytes + 4 + word, word, source->swapped);
    return raw->bytes <= source->size && raw->offset <= source->size - raw->bytes;
}

uint64_t ifd_raw_count(const struct ifd_source *source, uint64_t offset)
{
    uint8_t bytes[8];
    int word = source->wide ? 8 : 2;
    if (offset == 0 || offset > source->size || !ifd_fetch(source, offset, bytes, (uint64_t)word))
        return 0;
    uint64_t count = _ifd_number(bytes, word, source->swapped);
    return count <= DISK_ENTRIES_MAX ? count : 0;
}

bool ifd_raw_value(const struct ifd_source *source, const struct ifd_raw *raw, void *bytes)
{
    return ifd_fetch(source, raw->offset, bytes, raw->bytes);
}

bool ifd_raw_integer(const struct ifd_source *source, const struct ifd_raw *raw, uint64_t *value)
{
    static const uint32_t with_sign = 1u << IFD_SBYTE | 1u << IFD_SSHORT | 1u << IFD_SLONG |
                                      1u << IFD_SLONG8,
                          integers = with_sign | 1u << IFD_BYTE | 1u << IFD_SHORT | 1u << IFD_LONG |
                                     1u << IFD_LONG8;
    uint8_t bytes[8];
    int size = (int)type_size(raw->type); /* 0: invalid type */
    if (size == 0 || !(integers >> raw->type & 1) ||
        !ifd_fetch(source, raw->offset, bytes, (uint64_t)size))
        return false;
    *value = _ifd_number(bytes, size, source->swapped);
    return !(with_sign >> raw->type & 1) || !(*value >> (8 * size - 1) & 1);
}

uint64_t ifd_get_number(const struct ifd_source *source, const uint8_t *bytes, int size)
{
    return _ifd_number(bytes, size, source->swapped);
}

void ifd_put_number(const struct ifd_source *source, uint64_t value, int size, uint8_t *bytes)
{
    for (int i = 0; i < size; i++)
        bytes[source->swapped ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

uint64_t ifd_peek(const struct ifd_source *source, uint64_t offset, uint16_t tag)
{
    struct ifd_raw raw;
    uint64_t count = ifd_raw_count(source, offset);
    for (uint64_t i = 0; i < count && i < PEEK_ENTRIES; i++) {
        uint8_t bytes[4];
        if (!ifd_raw_read(source, offset, i, &raw) || raw.tag != tag)
            continue;
        int size = raw.type == IFD_SHORT ? 2 : raw.type == IFD_LONG ? 4 : 0;
        return ifd_fetch(source, raw.offset, bytes, (uint64_t)size)
                   ? _ifd_number(bytes, size, source->swapped)
                   : 0;
    }
    return 0;
}

uint64_t ifd_next(const struct ifd_source *source, uint64_t offset)
{
    uint8_t bytes[8];
    int word = source->wide ? 8 : 4;
    uint64_t count = ifd_raw_count(source, offset);
    uint64_t at = offset + (source->wide ? 8 + 20 * count : 2 + 12 * count);
    return count > 0 && ifd_fetch(source, at, bytes, (uint64_t)word)
               ? _ifd_number(bytes, word, source->swapped)
               : 0;
}

uint64_t ifd_step(const struct ifd_source *source, uint64_t offset, uint16_t tag, bool *low)
{
    uint8_t bytes[PEEK_ENTRIES * 20];
    uint64_t word = source->wide ? 8 : 4, entry = 4 + 2 * word;
    uint64_t at = offset + (source->wide ? 8 : 2), count = ifd_raw_count(source, offset);
    uint64_t peeked = count < PEEK_ENTRIES ? count : PEEK_ENTRIES;
    *low = !ifd_fetch(source, at, bytes, peeked * entry);
    for (uint64_t i = 0; i < peeked && !*low; i++)
        *low = _ifd_number(bytes + i * entry, 2, source->swapped) <= tag;
    return count > 0 && ifd_fetch(source, at + count * entry, bytes, word)
               ? _ifd_number(bytes, (int)word, source->swapped)
               : 0;
}

/* Reverses the bytes of each unit. */
static void ifd_swap_bytes(uint8_t *bytes, uint64_t size, int unit)
{
    for (uint64_t i = 0; i + (uint64_t)unit <= size; i += (uint64_t)unit)
        for (int a = 0, b = unit - 1; a < b; a++, b--) {
            uint8_t byte = bytes[i + (uint64_t)a];
            bytes[i + (uint64_t)a] = bytes[i + (uint64_t)b];
            bytes[i + (uint64_t)b] = byte;
        }
}

/* The position of a tag, or the position at which to insert it. */
static int32_t ifd_position(const struct ifd *ifd, uint16_t tag)
{
    int32_t i = 0;
    while (i < ifd->count && ifd->entries[i].tag < tag)
        i++;
    return i;
}

static void ifd_insert(struct ifd *ifd, const struct ifd_entry *entry)
{
    int32_t at = ifd_position(ifd, entry->tag);
    memmove(&ifd->entries[at + 1], &ifd->entries[at],
            (size_t)(ifd->count - at) * sizeof *ifd->entries);
    ifd->entries[at] = *entry;
    ifd->count++;
}

static void ifd_take(const struct ifd_source *source, const struct ifd_raw *raw, struct ifd *ifd)
{
    struct ifd_entry entry = {raw->tag, raw->type, (uint32_t)raw->count, ifd->used};
    uint8_t *value = ifd->values + ifd->used;
    /* The file may have changed since its entries were counted. */
    int64_t left = ifd->capacity - LONGS_TO_ADD * (4 + PADDING) - ifd->used;
    if ((int64_t)raw->bytes + PADDING > left || ifd->count >= IFD_ENTRIES_MAX - LONGS_TO_ADD ||
        ifd_find(ifd, raw->tag) || !ifd_fetch(source, raw->offset, value, raw->bytes))
        return;
    if (source->swapped)
        ifd_swap_bytes(value, raw->bytes, types[raw->type].unit);
    memset(value + raw->bytes, 0, PADDING);
    ifd->used += (int64_t)raw->bytes + PADDING;
    ifd_insert(ifd, &entry);
}

swathe_status ifd_read(const struct ifd_source *source, uint64_t offset, bool (*wanted)(uint16_t),
                       const char *what, const struct memory *memory, const struct limits *limits,
                       struct ifd *ifd)
{
    uint64_t count = ifd_raw_count(source, offset), bytes = 0;
    struct ifd_raw raw;
    for (uint64_t i = 0; i < count; i++)
        if (ifd_raw_read(source, offset, i, &raw) && wanted(raw.tag))
            bytes += raw.bytes;
    TRY(limits_check_metadata(limits, bytes, what));
    *ifd = (struct ifd){.capacity = (int64_t)(bytes + count * PADDING)};
    ifd->capacity += LONGS_TO_ADD * (4 + PADDING);
    TRY(memory_new_raw(memory, ifd->capacity, 1, what, &ifd->values));
    for (uint64_t i = 0; i < count; i++)
        if (ifd_raw_read(source, offset, i, &raw) && wanted(raw.tag))
            ifd_take(source, &raw, ifd);
    return SWATHE_OK;
}

bool ifd_locate(const struct ifd_source *source, uint64_t offset, uint16_t tag, uint16_t type,
                uint64_t *next, uint64_t *at)
{
    uint64_t count = ifd_raw_count(source, offset);
    struct ifd_raw raw;
    while (*next < count)
        if (ifd_raw_read(source, offset, (*next)++, &raw) && raw.tag == tag && raw.type == type &&
            raw.count == 1) {
            *at = raw.offset;
            return true;
        }
    return false;
}

void ifd_free(const struct memory *memory, struct ifd *ifd)
{
    memory_free(memory, ifd->values);
    ifd->values = NULL;
    ifd->count = 0;
}

/* ---- Entries -------------------------------------------------------------------------------- */

const struct ifd_entry *ifd_find(const struct ifd *ifd, uint16_t tag)
{
    int32_t at = ifd_position(ifd, tag);
    return at < ifd->count && ifd->entries[at].tag == tag ? &ifd->entries[at] : NULL;
}

uint64_t ifd_number(const struct ifd *ifd, const struct ifd_entry *entry)
{
    if (!entry || entry->type == IFD_ASCII || entry->type == IFD_RATIONAL)
        return 0;
    return _ifd_number(ifd->values + entry->at, (int)type_size(entry->type), false);
}

uint64_t ifd_bits(const struct ifd *ifd, const struct ifd_entry *entry, uint32_t index)
{
    int64_t size = type_size(entry->type);
    return _ifd_number(ifd->values + entry->at + index * size, (int)size, false);
}

double ifd_rational(const struct ifd *ifd, const struct ifd_entry *entry)
{
    if (!entry || entry->type != IFD_RATIONAL)
        return 0.0;
    uint64_t above = _ifd_number(ifd->values + entry->at, 4, false);
    uint64_t below = _ifd_number(ifd->values + entry->at + 4, 4, false);
    return below ? (double)above / (double)below : 0.0;
}

void ifd_remove(struct ifd *ifd, uint16_t tag)
{
    int32_t at = ifd_position(ifd, tag);
    if (at == ifd->count || ifd->entries[at].tag != tag)
        return;
    ifd->count--;
    memmove(&ifd->entries[at], &ifd->entries[at + 1],
            (size_t)(ifd->count - at) * sizeof *ifd->entries);
}

static void ifd_put(uint8_t *bytes, int size, uint64_t value)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

void ifd_add_long(struct ifd *ifd, uint16_t tag, uint32_t value)
{
    struct ifd_entry entry = {tag, IFD_LONG, 1, ifd->used};
    ifd_put(ifd->values + ifd->used, 4, value);
    ifd->used += 4 + PADDING;
    ifd_insert(ifd, &entry);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static int64_t value_bytes(const struct ifd_entry *entry)
{
    return (int64_t)entry->count * type_size(entry->type);
}

/* The count, the entries and the offset of the next directory. */
static int64_t head_size(const struct ifd *ifd, bool wide)
{
    return wide ? 8 + 20 * (int64_t)ifd->count + 8 : 2 + 12 * (int64_t)ifd->count + 4;
}

int64_t ifd_size(const struct ifd *ifd, bool wide)
{
    int64_t size = head_size(ifd, wide);
    for (int32_t i = 0; i < ifd->count; i++)
        if (value_bytes(&ifd->entries[i]) > (wide ? 8 : 4))
            size += round_up(value_bytes(&ifd->entries[i]), 2);
    return size;
}

void ifd_write(const struct ifd *ifd, bool wide, uint64_t at, uint8_t *bytes)
{
    int word = wide ? 8 : 4;
    int64_t value_at = head_size(ifd, wide);
    memset(bytes, 0, (size_t)ifd_size(ifd, wide));
    ifd_put(bytes, wide ? 8 : 2, (uint64_t)ifd->count);
    for (int32_t i = 0; i < ifd->count; i++) {
        const struct ifd_entry *entry = &ifd->entries[i];
        uint8_t *to = bytes + (wide ? 8 : 2) + (int64_t)i * (4 + 2 * word);
        int64_t size = value_bytes(entry);
        ifd_put(to, 2, entry->tag);
        ifd_put(to + 2, 2, entry->type);
        ifd_put(to + 4, word, entry->count);
        uint8_t *value = to + 4 + word;
        if (size > word) {
            ifd_put(value, word, at + (uint64_t)value_at);
            value = bytes + value_at;
            value_at += round_up(size, 2);
        }
        memcpy(value, ifd->values + entry->at, (size_t)size);
    }
}
