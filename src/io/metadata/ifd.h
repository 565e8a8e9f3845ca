/* Directories of tags in TIFF files and EXIF blocks. The input is untrusted: a damaged entry is
 * dropped, a damaged directory counts as empty. */
#ifndef SWATHE_IO_METADATA_IFD_H
#define SWATHE_IO_METADATA_IFD_H

#include "base/memory.h"
#include "io/limits.h"

#include <stdbool.h>

enum { IFD_ENTRIES_MAX = 256 };

enum ifd_type {
    IFD_BYTE = 1,
    IFD_ASCII = 2,
    IFD_SHORT = 3,
    IFD_LONG = 4,
    IFD_RATIONAL = 5,
    IFD_SBYTE = 6,
    IFD_SSHORT = 8,
    IFD_SLONG = 9,
    IFD_LONG8 = 16,
    IFD_SLONG8 = 17
};

/* The bytes that contain the directories. */
struct ifd_source {
    bool (*fetch)(void *user, uint64_t offset, void *bytes, size_t size);
    void *user;
    uint64_t size;
    bool wide;    /* BigTIFF: 64-bit offsets */
    bool swapped; /* most significant byte first */
};

struct ifd_entry {
    uint16_t tag, type;
    uint32_t count;
    int64_t at; /* offset of its value in `values`: least significant byte first, then zeros */
};

struct ifd {
    int32_t count;
    int64_t used, capacity;
    uint8_t *values;
    struct ifd_entry entries[IFD_ENTRIES_MAX]; /* ascending tags, each once */
};

/* Memory as a source; its `user` is `bytes`. */
struct ifd_source ifd_source_bytes(const void *bytes, size_t size);
/* Reads "II" or "MM" and the version; false if there is no such header. */
bool ifd_open(struct ifd_source *source, uint64_t *first);

/* An entry as stored in the file, with a value inside the file. */
struct ifd_raw {
    uint16_t tag, type;
    uint64_t count, bytes, offset;
};

/* Entries of a directory in the file; 0: none, or damaged. */
uint64_t ifd_raw_count(const struct ifd_source *source, uint64_t directory);
/* Reads entry `index`; false if it is invalid. The tag is set even for invalid entries, if the file
 * contains it. */
bool ifd_raw_read(const struct ifd_source *source, uint64_t directory, uint64_t index,
                  struct ifd_raw *raw);
/* Its value as stored in the file. */
bool ifd_raw_value(const struct ifd_source *source, const struct ifd_raw *raw, void *bytes);
/* Its first value; false if it has no integer type or is negative. */
bool ifd_raw_integer(const struct ifd_source *source, const struct ifd_raw *raw, uint64_t *value);
/* Converts `size` bytes in the file's byte order to a number, and back. */
uint64_t ifd_get_number(const struct ifd_source *source, const uint8_t *bytes, int size);
void ifd_put_number(const struct ifd_source *source, uint64_t value, int size, uint8_t *bytes);

/* The first value of a SHORT or LONG tag of a directory in the file; 0 if there is none. */
uint64_t ifd_peek(const struct ifd_source *source, uint64_t offset, uint16_t tag);
/* The offset of the next directory; 0 if this is the last, or damaged. */
uint64_t ifd_next(const struct ifd_source *source, uint64_t offset);
/* The same, with few reads. Sets *low to false if ifd_peek would find neither this tag nor a lower
 * one. */
uint64_t ifd_step(const struct ifd_source *source, uint64_t offset, uint16_t tag, bool *low);

/* Reads the entries that `wanted` accepts. All of their values together count as one metadata
 * block; `what` is its name in messages. */
swathe_status ifd_read(const struct ifd_source *source, uint64_t offset, bool (*wanted)(uint16_t),
                       const char *what, const struct memory *memory, const struct limits *limits,
                       struct ifd *ifd);
void ifd_free(const struct memory *memory, struct ifd *ifd);

/* Finds the offset of a tag's value, which must be a single one of this type. Starts at entry
 * *next, and sets it to the entry after the tag. */
bool ifd_locate(const struct ifd_source *source, uint64_t offset, uint16_t tag, uint16_t type,
                uint64_t *next, uint64_t *at);

/* NULL if absent. */
const struct ifd_entry *ifd_find(const struct ifd *ifd, uint16_t tag);
/* The first value of a SHORT, LONG or offset; 0 for other types. */
uint64_t ifd_number(const struct ifd *ifd, const struct ifd_entry *entry);
/* The bits of value `index` of an entry. */
uint64_t ifd_bits(const struct ifd *ifd, const struct ifd_entry *entry, uint32_t index);
/* The first value of a RATIONAL; 0 for other types. */
double ifd_rational(const struct ifd *ifd, const struct ifd_entry *entry);
void ifd_remove(struct ifd *ifd, uint16_t tag);
/* Adds a LONG. At most twice, because ifd_read reserves space for two. */
void ifd_add_long(struct ifd *ifd, uint16_t tag, uint32_t value);

/* The size of the directory with its values, and its bytes if stored at offset `at` of a
 * little-endian file. */
int64_t ifd_size(const struct ifd *ifd, bool wide);
void ifd_write(const struct ifd *ifd, bool wide, uint64_t at, uint8_t *bytes);

#endif
