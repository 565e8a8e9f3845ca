#include "io/png/png.h"

#include "base/checked.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <string.h>

/* A piece is the header of a chunk, the header of a stored block, its bytes, and a checksum that is
 * not verified. */
enum { CHUNK_HEAD = 8, CHUNK_CRC = 4, BLOCK_HEAD = 5, BLOCK_MAX = 65535, ADLER = 4, ZLIB_HEAD = 2 };
enum { PIECE_HEAD = CHUNK_HEAD + BLOCK_HEAD, PIECE_MAX = PIECE_HEAD + BLOCK_MAX + CHUNK_CRC };
enum { INPUT = 32768 };

enum stage {
    PASSING,   /* chunks other than image data are passed unchanged */
    STARTING,  /* the two bytes before the deflate data */
    INFLATING, /* image data */
    BROKEN,    /* it cannot be inflated further: libpng gets an invalid block */
    INFLATED,  /* its end was reached */
    ENDED      /* libpng got the end; remaining image chunks are skipped */
};

struct png_feed {
    struct png_guard *guard;
    struct stream *in;
    enum stage stage;
    int64_t left; /* bytes left of the chunk, including its checksum, if passing; otherwise of its
                     data */
    uint32_t crc; /* of an image chunk so far */
    bool no_more; /* no more image chunks; `next` is the header of the following chunk */
    uint8_t next[CHUNK_HEAD];
    const uint8_t *at, *end; /* bytes that libpng has not read yet */
    struct inflate_state inflate;
    uint8_t input[INPUT], piece[PIECE_MAX];
};

/* ---- Chunks of the file --------------------------------------------------------------------- */

static void png_feed_get(struct png_feed *feed, void *bytes, size_t size)
{
    swathe_status status = stream_read_all(feed->in, bytes, size);
    if (status != SWATHE_OK)
        png_guard_fail(feed->guard, status);
}

static bool is_image(const uint8_t *head)
{
    return memcmp(head + 4, "IDAT", 4) == 0;
}

static void png_feed_enter(struct png_feed *feed, const uint8_t *head)
{
    feed->left = png_get_uint_32(head);
    if (feed->left > PNG_UINT_31_MAX)
        png_chunk_error(feed->guard->png, "invalid length");
    feed->crc = crc32_gzip_refl(0, head + 4, 4);
}

/* Advances to the next image chunk that has data; false if there is none. */
static bool enter_next(struct png_feed *feed)
{
    while (feed->left == 0 && !feed->no_more) {
        uint8_t crc[CHUNK_CRC];
        png_feed_get(feed, crc, sizeof crc);
        if (png_get_uint_32(crc) != feed->crc)
            png_chunk_error(feed->guard->png, "CRC error");
        png_feed_get(feed, feed->next, sizeof feed->next);
        feed->no_more = !is_image(feed->next);
        if (!feed->no_more)
            png_feed_enter(feed, feed->next);
    }
    return !feed->no_more;
}

/* Reads up to `size` bytes of image data; 0 at its end. */
static size_t get_data(struct png_feed *feed, uint8_t *bytes, size_t size)
{
    size_t got = 0;
    if (!enter_next(feed))
        return 0;
    swathe_status status =
        stream_read(feed->in, bytes, (size_t)min64((int64_t)size, feed->left), &got);
    if (status == SWATHE_OK && got == 0)
        status = stream_read_all(feed->in, bytes, 1); /* reports that the file ends early */
    if (status != SWATHE_OK)
        png_guard_fail(feed->guard, status);
    feed->crc = crc32_gzip_refl(feed->crc, bytes, got);
    feed->left -= (int64_t)got;
    return got;
}

/* ---- Pieces for libpng ---------------------------------------------------------------------- */

/* Passes libpng the chunk whose data, `size` bytes, follow the chunk header in the piece. */
static void png_feed_offer(struct png_feed *feed, size_t size)
{
    png_save_uint_32(feed->piece, (png_uint_32)size);
    memcpy(feed->piece + 4, "IDAT", 4);
    memset(feed->piece + CHUNK_HEAD + size, 0, CHUNK_CRC);
    feed->at = feed->piece;
    feed->end = feed->piece + CHUNK_HEAD + size + CHUNK_CRC;
}

static void put_block_head(uint8_t *to, bool last, size_t size)
{
    to[0] = last;
    to[1] = (uint8_t)size;
    to[2] = (uint8_t)(size >> 8);
    to[3] = (uint8_t)~to[1];
    to[4] = (uint8_t)~to[2];
}

/* Passes a chunk with zlib's header only, so that no data need to be read yet. From here on libpng
 * must not verify checksums. */
static void offer_start(struct png_feed *feed)
{
    png_structp png = feed->guard->png;
    png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_ERROR_QUIT);
#ifdef PNG_IGNORE_ADLER32
    png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
    png_set_compression_buffer_size(png, PIECE_MAX);
    memcpy(feed->piece + CHUNK_HEAD, "\x78\x01", ZLIB_HEAD);
    png_feed_offer(feed, ZLIB_HEAD);
    feed->stage = STARTING;
}

static void offer_end(struct png_feed *feed)
{
    put_block_head(feed->piece + CHUNK_HEAD, true, 0);
    memset(feed->piece + PIECE_HEAD, 0, ADLER);
    png_feed_offer(feed, BLOCK_HEAD + ADLER);
    feed->stage = ENDED;
}

/* Passes a block of the reserved, invalid type. */
static void offer_error(struct png_feed *feed)
{
    feed->piece[CHUNK_HEAD] = 7;
    png_feed_offer(feed, 1);
    feed->stage = ENDED;
}

/* libpng continues with the chunk after the image data, and verifies checksums again. */
static void pass_on(struct png_feed *feed)
{
    png_set_crc_action(feed->guard->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    feed->stage = PASSING;
    feed->left = (int64_t)png_get_uint_32(feed->next) + CHUNK_CRC;
    feed->at = feed->next;
    feed->end = feed->next + CHUNK_HEAD;
}

/* ---- Image data ----------------------------------------------------------------------------- */

/* Checks zlib's header before the deflate data: a window of at most 2^15 bytes, and no
 * dictionary. */
static void start_inflate(struct png_feed *feed)
{
    uint8_t head[ZLIB_HEAD];
    size_t got = 0, step = 1;
    while (got < sizeof head && step > 0)
        got += step = get_data(feed, head + got, sizeof head - got);
    if (got < sizeof head) {
        pass_on(feed);
        return;
    }
    if ((head[0] & 15) != 8 || head[0] >> 4 > 7 || (head[0] << 8 | head[1]) % 31 || head[1] & 32)
        png_chunk_error(feed->guard->png, "incorrect header check");
    isal_inflate_init(&feed->inflate);
    feed->inflate.crc_flag = ISAL_ZLIB_NO_HDR_VER;
    feed->stage = INFLATING;
}

/* Calls ISA-L once. Checks for progress, because some damaged data would cause an endless loop. */
static void inflate_more(struct png_feed *feed)
{
    struct inflate_state *state = &feed->inflate;
    uint32_t in = state->avail_in, out = state->avail_out;
    int status = isal_inflate(state);
    if (status == ISAL_INCORRECT_CHECKSUM)
        png_chunk_error(feed->guard->png, "incorrect data check");
    if (status != ISAL_DECOMP_OK)
        feed->stage = BROKEN;
    else if (state->block_state == ISAL_BLOCK_FINISH)
        feed->stage = INFLATED;
    else if (in > 0 && in == state->avail_in && out == state->avail_out)
        feed->stage = BROKEN;
}

/* Provides a piece, or the next state if there are no more bytes. */
static void inflate_piece(struct png_feed *feed)
{
    struct inflate_state *state = &feed->inflate;
    state->next_out = feed->piece + PIECE_HEAD;
    state->avail_out = BLOCK_MAX;
    while (feed->stage == INFLATING && state->avail_out == BLOCK_MAX) {
        if (state->avail_in == 0) {
            state->next_in = feed->input;
            state->avail_in = (uint32_t)get_data(feed, feed->input, INPUT);
        }
        inflate_more(feed);
        if (feed->no_more && state->avail_in == 0 && state->avail_out == BLOCK_MAX)
            break;
    }
    size_t made = BLOCK_MAX - state->avail_out;
    if (made > 0) {
        put_block_head(feed->piece + CHUNK_HEAD, false, made);
        png_feed_offer(feed, BLOCK_HEAD + made);
    } else if (feed->stage == INFLATING)
        pass_on(feed);
}

static void skip_data(struct png_feed *feed)
{
    while (get_data(feed, feed->input, INPUT) > 0)
        continue;
    pass_on(feed);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* libpng reads a chunk's header in one call, and never past the end of a chunk. */
static void png_feed_pass(struct png_feed *feed, png_bytep bytes, size_t size)
{
    bool head = feed->left == 0;
    png_feed_get(feed, bytes, size);
    if (!head) {
        feed->left -= (int64_t)size;
    } else if (is_image(bytes) && !feed->no_more) {
        png_feed_enter(feed, bytes);
        offer_start(feed);
        memcpy(bytes, feed->piece, CHUNK_HEAD);
        feed->at += CHUNK_HEAD;
    } else
        feed->left = (int64_t)png_get_uint_32(bytes) + CHUNK_CRC;
}

static void png_feed_refill(struct png_feed *feed)
{
    if (feed->stage == STARTING)
        start_inflate(feed);
    if (feed->stage == INFLATING)
        inflate_piece(feed);
    else if (feed->stage == BROKEN)
        offer_error(feed);
    else if (feed->stage == INFLATED)
        offer_end(feed);
    else if (feed->stage == ENDED)
        skip_data(feed);
}

void png_feed_read(struct png_feed *feed, png_bytep bytes, size_t size)
{
    while (size > 0) {
        size_t part = (size_t)(feed->end - feed->at);
        if (part > size)
            part = size;
        if (part > 0) {
            memcpy(bytes, feed->at, part);
            feed->at += part;
        } else if (feed->stage == PASSING) {
            png_feed_pass(feed, bytes, size);
            return;
        } else
            png_feed_refill(feed);
        bytes += part;
        size -= part;
    }
}

swathe_status png_feed_create(const struct memory *memory, struct png_guard *guard,
                              struct stream *in, struct png_feed **feed)
{
    struct png_feed *got;
    TRY(memory_new(memory, 1, sizeof *got, "a PNG reader", &got));
    got->guard = guard;
    got->in = in;
    got->left = CHUNK_HEAD; /* the signature is passed like the end of a chunk */
    got->at = got->end = got->piece;
    *feed = got;
    return SWATHE_OK;
}

void png_feed_destroy(const struct memory *memory, struct png_feed *feed)
{
    memory_free(memory, feed);
}
