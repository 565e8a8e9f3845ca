#include "io/metadata/metadata.h"

#include <string.h>

enum { HEADER = 8, LONG_ENTRY = 12, EXIF_INTEROPERABILITY = 40965 };

/* True for Description, Make, Model, Orientation, Software, DateTime, Artist, HostComputer,
 * Copyright and the two directories. All other tags of the top directory describe how pixels are
 * stored. */
static bool wanted_in_top(uint16_t tag)
{
    static const uint16_t tags[] = {270, 271, 272,   EXIF_ORIENTATION, 305,     306,
                                    315, 316, 33432, EXIF_PHOTO,       EXIF_GPS};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i] == tag)
            return true;
    return false;
}

/* Nested directories beyond the second level are dropped; they hold only private data. */
static bool wanted_in_photo(uint16_t tag)
{
    return tag != EXIF_INTEROPERABILITY;
}

static bool exif_wanted_resolution(uint16_t tag)
{
    return tag == EXIF_X_RESOLUTION || tag == EXIF_Y_RESOLUTION || tag == EXIF_RESOLUTION_UNIT;
}

/* Drops entries with 64-bit types, which EXIF does not have. */
static void drop_wide(struct ifd *ifd)
{
    for (int32_t i = ifd->count - 1; i >= 0; i--)
        if (ifd->entries[i].type >= IFD_LONG8)
            ifd_remove(ifd, ifd->entries[i].tag);
}

/* Loads the directory that a tag of the top one points to, and removes the tag. */
static swathe_status load_below(const struct memory *memory, const struct limits *limits,
                                const struct ifd_source *source, struct ifd *top, uint16_t tag,
                                struct ifd *below)
{
    uint64_t offset = ifd_number(top, ifd_find(top, tag));
    ifd_remove(top, tag);
    TRY(ifd_read(source, offset, wanted_in_photo, "EXIF tags", memory, limits, below));
    drop_wide(below);
    return SWATHE_OK;
}

swathe_status exif_load(const struct memory *memory, const struct limits *limits,
                        const struct ifd_source *source, uint64_t directory, struct exif *exif)
{
    memset(exif, 0, sizeof *exif);
    TRY(ifd_read(source, directory, wanted_in_top, "EXIF tags", memory, limits, &exif->top));
    TRY(load_below(memory, limits, source, &exif->top, EXIF_PHOTO, &exif->photo));
    TRY(load_below(memory, limits, source, &exif->top, EXIF_GPS, &exif->gps));
    drop_wide(&exif->top);
    return SWATHE_OK;
}

swathe_status exif_parse(const struct memory *memory, const struct limits *limits,
                         const void *block, size_t size, struct exif *exif)
{
    struct ifd_source source = ifd_source_bytes(block, size);
    uint64_t first;
    memset(exif, 0, sizeof *exif);
    return ifd_open(&source, &first) ? exif_load(memory, limits, &source, first, exif) : SWATHE_OK;
}

void exif_free(const struct memory *memory, struct exif *exif)
{
    ifd_free(memory, &exif->gps);
    ifd_free(memory, &exif->photo);
    ifd_free(memory, &exif->top);
}

/* Drops the orientation if it is upright, which is the default. */
static void drop_upright(struct ifd *top)
{
    if (ifd_number(top, ifd_find(top, EXIF_ORIENTATION)) == 1)
        ifd_remove(top, EXIF_ORIENTATION);
}

/* Stores the offsets of the lower directories in the top one; returns the size of the block. */
static int64_t exif_lay_out(struct exif *exif)
{
    struct ifd *top = &exif->top;
    bool photo = exif->photo.count > 0, gps = exif->gps.count > 0;
    int64_t after_top = HEADER + ifd_size(top, false) + LONG_ENTRY * (photo + gps);
    int64_t after_photo = after_top + (photo ? ifd_size(&exif->photo, false) : 0);
    if (photo)
        ifd_add_long(top, EXIF_PHOTO, (uint32_t)after_top);
    if (gps)
        ifd_add_long(top, EXIF_GPS, (uint32_t)after_photo);
    return after_photo + (gps ? ifd_size(&exif->gps, false) : 0);
}

static void write_below(const struct exif *exif, uint16_t tag, const struct ifd *below,
                        uint8_t *block)
{
    uint64_t at = ifd_number(&exif->top, ifd_find(&exif->top, tag));
    if (at > 0)
        ifd_write(below, false, at, block + at);
}

swathe_status exif_keep(struct image_reader *reader, struct exif *exif)
{
    drop_upright(&exif->top);
    int64_t size = exif_lay_out(exif);
    uint8_t *block;
    if (exif->top.count == 0)
        return SWATHE_OK;
    TRY(limits_check_metadata(&reader->limits, (uint64_t)size, "EXIF block"));
    TRY(memory_new_raw(reader->memory, size, 1, "EXIF block", &block));
    memcpy(block, "II*\0\x08\0\0\0", HEADER);
    ifd_write(&exif->top, false, HEADER, block + HEADER);
    write_below(exif, EXIF_PHOTO, &exif->photo, block);
    write_below(exif, EXIF_GPS, &exif->gps, block);
    swathe_status status = reader_store_metadata(reader, METADATA_EXIF, block, (size_t)size);
    memory_free(reader->memory, block);
    return status;
}

swathe_status exif_read_resolution(struct image_reader *reader)
{
    swathe_metadata *metadata = &reader->metadata;
    struct ifd_source source = ifd_source_bytes(metadata->exif, metadata->exif_size);
    struct ifd top;
    uint64_t first;
    if (!ifd_open(&source, &first))
        return SWATHE_OK;
    TRY(ifd_read(&source, first, exif_wanted_resolution, "EXIF tags", reader->memory,
                 &reader->limits, &top));
    uint64_t stored = ifd_number(&top, ifd_find(&top, EXIF_RESOLUTION_UNIT));
    double unit = stored == 3   ? 100
                  : stored == 1 ? 0
                                : 1 / 0.0254; /* 1: no unit, only their ratio
                                                 is defined */
    double x = ifd_rational(&top, ifd_find(&top, EXIF_X_RESOLUTION)) * unit;
    double y = ifd_rational(&top, ifd_find(&top, EXIF_Y_RESOLUTION)) * unit;
    if (x > 0.0 && y > 0.0) {
        metadata->x_resolution = x;
        metadata->y_resolution = y;
    }
    ifd_free(reader->memory, &top);
    return SWATHE_OK;
}

/* ---- Orientation ---------------------------------------------------------------------------- */

/* Finds the first directory of the block; false if there is none. */
static bool open_block(const swathe_metadata *metadata, struct ifd_source *source, uint64_t *first)
{
    *source = ifd_source_bytes(metadata->exif, metadata->exif_size);
    return ifd_open(source, first);
}

int exif_orientation(const swathe_metadata *metadata)
{
    struct ifd_source source;
    uint64_t first, next = 0, at;
    if (!open_block(metadata, &source, &first) ||
        !ifd_locate(&source, first, EXIF_ORIENTATION, IFD_SHORT, &next, &at))
        return 1;
    const uint8_t *value = (const uint8_t *)metadata->exif + at;
    int how = source.swapped ? value[0] << 8 | value[1] : value[1] << 8 | value[0];
    return how >= 1 && how <= 8 ? how : 1;
}

static void swap_resolutions(const struct ifd_source *source, uint64_t first, uint8_t *block)
{
    uint8_t kept[8];
    uint64_t x_next = 0, y_next = 0, x, y;
    if (!ifd_locate(source, first, EXIF_X_RESOLUTION, IFD_RATIONAL, &x_next, &x) ||
        !ifd_locate(source, first, EXIF_Y_RESOLUTION, IFD_RATIONAL, &y_next, &y))
        return;
    memcpy(kept, block + x, sizeof kept);
    memmove(block + x, block + y, sizeof kept); /* in a damaged block the two may overlap */
    memcpy(block + y, kept, sizeof kept);
}

/* XMP repeats the tag as an attribute or as an element: tiff:Orientation="6", or >6<. */
static void set_upright_in_xmp(uint8_t *packet, size_t size)
{
    static const char name[] = "tiff:Orientation";
    enum { LENGTH = sizeof name - 1 };
    for (size_t i = 0; i + LENGTH < size; i++) {
        if (packet[i] != 't' || memcmp(packet + i, name, LENGTH) != 0)
            continue;
        size_t at = i + LENGTH;
        while (at + 1 < size && memchr("=>\"' ", packet[at], 5))
            at++;
        if (packet[at] >= '2' && packet[at] <= '8')
            packet[at] = '1';
    }
}

void exif_set_upright(swathe_metadata *metadata, bool sides_swapped)
{
    uint8_t *block = (uint8_t *)metadata->exif;
    struct ifd_source source;
    uint64_t first, next = 0, at;
    if (metadata->xmp)
        set_upright_in_xmp((uint8_t *)metadata->xmp, metadata->xmp_size);
    if (!open_block(metadata, &source, &first))
        return;
    if (sides_swapped)
        swap_resolutions(&source, first, block);
    /* Sets all entries, because other readers may use the last one. */
    while (ifd_locate(&source, first, EXIF_ORIENTATION, IFD_SHORT, &next, &at))
        memcpy(block + at, source.swapped ? "\0\1" : "\1\0", 2);
}
