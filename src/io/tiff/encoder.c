#include "io/tiff/encoder.h"

#include "base/checked.h"
#include "image/sample.h"

#include <string.h>

/* ---- Methods and levels --------------------------------------------------------------------- */

/* Deflate with a predictor is the default: every reader supports it, it compresses better than LZW,
 * and zstd, though it decompresses faster, is not supported by old tools. The words fast and small
 * are levels 1 and 12 of deflate: with libdeflate, level 1 is as fast as that of zstd, and level 12
 * compresses better than zstd's level 19. */
static const struct {
    const char *name;
    uint16_t code;
    int lowest, usual, highest; /* levels; 0: it has none */
} entries[] = {
    {"deflate", COMPRESSION_ADOBE_DEFLATE, 1, 6, 12},
    {"none", COMPRESSION_NONE, 0, 0, 0},
    {"lzw", COMPRESSION_LZW, 0, 0, 0},
    {"zstd", COMPRESSION_ZSTD, 1, 3, 22},
};

static const struct {
    const char *word;
    int entry, level;
} words[] = {{"default", 0, 6}, {"fast", 0, 1}, {"small", 0, 12}};

enum { ENTRIES = sizeof entries / sizeof *entries, WORDS = sizeof words / sizeof *words };

/* The entry whose name the text begins with, up to its end or a colon; ENTRIES: none. */
static size_t tiff_encoder_find_entry(const char *text)
{
    size_t length = strcspn(text, ":"), i = 0;
    while (i < ENTRIES &&
           (strlen(entries[i].name) != length || memcmp(text, entries[i].name, length) != 0))
        i++;
    return i;
}

/* Parses one or two digits; -1: not a level. */
static int tiff_encoder_read_level(const char *text)
{
    int level = 0;
    size_t length = strspn(text, "0123456789");
    if (length < 1 || length > 2 || text[length] != '\0')
        return -1;
    for (size_t i = 0; i < length; i++)
        level = 10 * level + (text[i] - '0');
    return level;
}

static swathe_status take_level(const char *text, size_t entry, int *level)
{
    *level = entries[entry].usual;
    if (text[strlen(entries[entry].name)] == '\0')
        return SWATHE_OK;
    if (!entries[entry].usual)
        return fail(SWATHE_ERROR_ARGUMENT, "TIFF compression '%.40s': %s has no levels", text,
                    entries[entry].name);
    *level = tiff_encoder_read_level(text + strlen(entries[entry].name) + 1);
    if (*level < entries[entry].lowest || *level > entries[entry].highest)
        return fail(SWATHE_ERROR_ARGUMENT, "TIFF compression '%.40s': %s has levels %d to %d", text,
                    entries[entry].name, entries[entry].lowest, entries[entry].highest);
    return SWATHE_OK;
}

swathe_status tiff_compression_find(const char *text, struct tiff_compression *compression)
{
    size_t entry = 0;
    int level = entries[0].usual, word = 0;
    while (text && word < WORDS && strcmp(text, words[word].word) != 0)
        word++;
    if (text && word < WORDS) {
        entry = (size_t)words[word].entry;
        level = words[word].level;
    } else if (text) {
        entry = tiff_encoder_find_entry(text);
        if (entry == ENTRIES)
            return fail(SWATHE_ERROR_ARGUMENT,
                        "no TIFF compression '%.40s' (known: none, lzw, deflate, zstd, fast, "
                        "default, small)",
                        text);
        TRY(take_level(text, entry, &level));
    }
    if (!TIFFIsCODECConfigured(entries[entry].code))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "this libtiff cannot compress with '%s'; choose deflate, lzw or none",
                    entries[entry].name);
    *compression = (struct tiff_compression){entries[entry].code, level};
    return SWATHE_OK;
}

swathe_status tiff_compression_keep(const char *name, struct tiff_compression *compression)
{
    size_t entry = name ? tiff_encoder_find_entry(name) : ENTRIES;
    bool writable = entry < ENTRIES && TIFFIsCODECConfigured(entries[entry].code);
    return tiff_compression_find(writable ? entries[entry].name : NULL, compression);
}

void tiff_compression_set_level(struct tiff_stream *stream, TIFF *tiff,
                                const struct tiff_compression *compression)
{
    if (compression->code == COMPRESSION_ZSTD)
        tiff_stream_set(stream, tiff, TIFFTAG_ZSTD_LEVEL, compression->level);
    if (compression->code == COMPRESSION_ADOBE_DEFLATE)
        tiff_stream_set(stream, tiff, TIFFTAG_ZIPQUALITY, compression->level);
}

int64_t tiff_compression_memory(const struct tiff_compression *compression, int64_t bytes)
{
    const int64_t mib = 1 << 20;
    int64_t buffers = bytes <= INT64_MAX / 4 ? 3 * bytes : INT64_MAX / 2, state = mib / 2;
    if (compression->code == COMPRESSION_NONE)
        return bytes;
    /* libtiff does not pass the size of a block to zstd. Its state was measured as 650 MiB at the
     * highest levels, 76 MiB at level 19, 6 MiB at level 9. */
    if (compression->code == COMPRESSION_ZSTD)
        state = mib * (compression->level > 19 ? 704 : compression->level > 9 ? 80 : 8);
    else if (compression->code == COMPRESSION_ADOBE_DEFLATE && compression->level > 9)
        state = 10 * mib; /* the tables of libdeflate's best parser */
    return buffers + state;
}

const char *tiff_compression_name(uint16_t code)
{
    static const struct {
        const char *name;
        uint16_t code;
    } others[] = {{"deflate", COMPRESSION_DEFLATE},
                  {"packbits", COMPRESSION_PACKBITS},
                  {"jpeg", COMPRESSION_JPEG},
                  {"jpeg", COMPRESSION_OJPEG},
                  {"ccitt rle", COMPRESSION_CCITTRLE},
                  {"ccitt fax 3", COMPRESSION_CCITTFAX3},
                  {"ccitt fax 4", COMPRESSION_CCITTFAX4},
                  {"lzma", COMPRESSION_LZMA},
                  {"webp", COMPRESSION_WEBP},
                  {"lerc", COMPRESSION_LERC},
                  {"sgilog", COMPRESSION_SGILOG},
                  {"jbig", COMPRESSION_JBIG}};
    for (size_t i = 0; i < ENTRIES; i++)
        if (entries[i].code == code)
            return entries[i].name;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].code == code)
            return others[i].name;
    return NULL;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/* Blocks per handle. If a block is written twice, libtiff chooses other buffers the second time.
 * The bytes of a file must not depend on which thread compressed which block. So each block is
 * written as a new block of an image with this many blocks, and then the handle is opened again. */
enum { BLOCKS = 128 };

static swathe_status tiff_encoder_start(struct tiff_encoder *encoder, const struct limits *limits,
                                        const struct tiff_page *page, int64_t rows)
{
    struct tiff_stream *stream = &encoder->stream;
    struct tiff_page many = *page;
    int32_t size = sample_size(page->shape.type);
    many.shape.channels = page->planar ? 1 : page->shape.channels;
    many.shape.width = page->width;
    many.shape.height = BLOCKS * rows;
    many.rows = rows;
    many.planar = false;
    encoder->predict = (struct tiff_predict){tiff_tags_predictor(page), size,
                                             many.shape.channels, /* the row fits: less than a */
                                             many.shape.width * many.shape.channels * size};
    encoder->bytes = encoder->predict.row * rows; /* checked block */
    TRY(memory_new(encoder->memory, encoder->bytes, 1, "TIFF block", &encoder->block));
    TRY(memory_new_raw(encoder->memory, encoder->predict.row, 1, "TIFF row", &encoder->scratch));
    stream->captures = true;
    TRY(tiff_stream_open(stream, "wm", limits, &encoder->tiff));
    tiff_stream_clear_errors(stream);
    tiff_tags_geometry(stream, encoder->tiff, &many);
    tiff_compression_set_level(stream, encoder->tiff, &page->compression);
    return tiff_stream_check(stream, "setting tags");
}

swathe_status tiff_encoder_open(const struct memory *memory, const struct limits *limits,
                                const struct tiff_page *page, int64_t rows,
                                struct tiff_encoder **encoder)
{
    struct tiff_encoder *made;
    TRY(memory_new(memory, 1, sizeof *made, "TIFF encoder", &made));
    made->memory = memory;
    swathe_status status = tiff_encoder_start(made, limits, page, rows);
    if (status != SWATHE_OK) {
        tiff_encoder_close(made);
        return status;
    }
    *encoder = made;
    return SWATHE_OK;
}

void tiff_encoder_close(struct tiff_encoder *encoder)
{
    if (!encoder)
        return;
    if (encoder->tiff)
        tiff_stream_close(encoder->tiff);
    memory_free(encoder->memory, encoder->scratch);
    memory_free(encoder->memory, encoder->block);
    memory_free(encoder->memory, encoder);
}

bool tiff_encoder_full(const struct tiff_encoder *encoder)
{
    return encoder->used == BLOCKS;
}

swathe_status tiff_encoder_put(struct tiff_encoder *encoder, struct bytes *bytes)
{
    TIFF *tiff = encoder->tiff;
    uint32_t block = (uint32_t)encoder->used++;
    tmsize_t size = (tmsize_t)encoder->bytes;
    tiff_predict_encode(&encoder->predict, encoder->bytes / encoder->predict.row, encoder->block,
                        encoder->scratch);
    tiff_stream_clear_errors(&encoder->stream);
    encoder->stream.bytes = bytes;
    tmsize_t put = TIFFIsTiled(tiff) ? TIFFWriteEncodedTile(tiff, block, encoder->block, size)
                                     : TIFFWriteEncodedStrip(tiff, block, encoder->block, size);
    encoder->stream.bytes = NULL;
    /* Not errno: an allocation that succeeds can set it, too. */
    return put == size && !encoder->stream.text[0]
               ? SWATHE_OK
               : tiff_stream_failed(&encoder->stream, "compressing pixels");
}
