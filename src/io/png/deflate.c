#include "io/png/deflate.h"
#include "io/vectors.h"

#include <stdbool.h>
#include <string.h>

/* ---- Huffman codes -------------------------------------------------------------------------- */

/* Codes as deflate stores them (RFC 1951, 3.2.2). */
enum { HUFFMAN_SYMBOLS_MAX = 288, HUFFMAN_BITS_MAX = 15 };

/* Symbols that occur, the rarest first: frequency << 16 | symbol, so that the order of ties is
 * defined. */
struct ranks {
    uint64_t keys[HUFFMAN_SYMBOLS_MAX];
    int count;
};

static void rank_symbols(const uint32_t *frequencies, int count, struct ranks *ranks)
{
    static const int gaps[] = {132, 57, 23, 10, 4, 1};
    ranks->count = 0;
    for (int i = 0; i < count; i++)
        if (frequencies[i])
            ranks->keys[ranks->count++] = (uint64_t)frequencies[i] << 16 | (uint64_t)i;
    for (int g = 0; g < (int)(sizeof gaps / sizeof *gaps); g++)
        for (int i = gaps[g]; i < ranks->count; i++) {
            uint64_t key = ranks->keys[i];
            int to = i;
            for (; to >= gaps[g] && ranks->keys[to - gaps[g]] > key; to -= gaps[g])
                ranks->keys[to] = ranks->keys[to - gaps[g]];
            ranks->keys[to] = key;
        }
}

/* Joins the two lightest trees until one is left. Leaves are sorted, and joined trees are created
 * in sorted order, so the lightest is at the front of one of two queues. */
static void png_deflate_join(const struct ranks *ranks, int *parents)
{
    uint32_t weights[2 * HUFFMAN_SYMBOLS_MAX];
    int leaves = ranks->count, leaf = 0, tree = leaves;
    for (int i = 0; i < leaves; i++)
        weights[i] = (uint32_t)(ranks->keys[i] >> 16);
    for (int next = leaves; next < 2 * leaves - 1; next++) {
        weights[next] = 0;
        for (int child = 0; child < 2; child++) {
            bool from_leaves = leaf < leaves && (tree >= next || weights[leaf] <= weights[tree]);
            int lightest = from_leaves ? leaf++ : tree++;
            weights[next] += weights[lightest];
            parents[lightest] = next;
        }
    }
}

/* Counts the codes of each length. Longer codes are cut to the limit, which oversubscribes the
 * code. This is corrected by one unit of 2^-limit at a time: a shorter code becomes the parent of
 * itself and of one of the longest codes. */
static void count_lengths(const int *parents, int leaves, int limit, int *counts)
{
    int depths[2 * HUFFMAN_SYMBOLS_MAX];
    int32_t used = 0;
    memset(counts, 0, (size_t)(limit + 1) * sizeof *counts);
    depths[2 * leaves - 2] = 0;
    for (int i = 2 * leaves - 3; i >= 0; i--) {
        depths[i] = depths[parents[i]] + 1;
        if (i < leaves)
            counts[depths[i] < limit ? depths[i] : limit]++;
    }
    for (int length = 1; length <= limit; length++)
        used += counts[length] << (limit - length);
    for (; used > 1 << limit; used--) {
        int shorter = limit - 1;
        while (counts[shorter] == 0)
            shorter--;
        counts[shorter]--;
        counts[shorter + 1] += 2;
        counts[limit]--;
    }
}

/* Computes code lengths of at most `limit` bits for `count` symbols, 0 for those that do not occur.
 * At least two must occur; their frequencies sum to less than 2^32, and 2^limit >= count. */
static void huffman_lengths(const uint32_t *frequencies, int count, int limit, uint8_t *lengths)
{
    struct ranks ranks;
    int parents[2 * HUFFMAN_SYMBOLS_MAX], counts[HUFFMAN_BITS_MAX + 1], rank = 0;
    rank_symbols(frequencies, count, &ranks);
    png_deflate_join(&ranks, parents);
    count_lengths(parents, ranks.count, limit, counts);
    memset(lengths, 0, (size_t)count);
    for (int length = limit; length > 0; length--)
        for (int i = 0; i < counts[length]; i++)
            lengths[ranks.keys[rank++] & 0xffff] = (uint8_t)length;
}

static uint16_t png_deflate_reversed(unsigned code, int length)
{
    unsigned result = 0;
    for (int bit = 0; bit < length; bit++)
        result = result << 1 | (code >> bit & 1);
    return (uint16_t)result;
}

/* The codes, with the first bit of the stream in the lowest bit. */
static void huffman_codes(const uint8_t *lengths, int count, uint16_t *codes)
{
    unsigned next[HUFFMAN_BITS_MAX + 2] = {0};
    for (int i = 0; i < count; i++)
        if (lengths[i])
            next[lengths[i] + 1]++;
    for (int length = 1; length <= HUFFMAN_BITS_MAX; length++)
        next[length + 1] = (next[length] + next[length + 1]) << 1;
    for (int i = 0; i < count; i++)
        codes[i] = lengths[i] ? png_deflate_reversed(next[lengths[i]]++, lengths[i]) : 0;
}

/* ---- Blocks of Huffman codes and runs ------------------------------------------------------- */

/* Bytes of a block. Each block starts with its own codes; a stored block has up to 65,535 bytes. */
enum { BLOCK = 49152, STORED_HEAD = 5, HEAD_MAX = 520, STORE = 8 };
/* Literals, the end of a block, and lengths of runs. Codes of 14 bits let four be joined between
 * two stores: 7 bits left over + 4 · 14 < 64. */
enum { END = 256, LENGTHS = 257, SYMBOLS = 286, LIMIT = 14 };
enum { RUN_MIN = 8, RUN_MAX = 258 };
/* The code of the code lengths. */
enum { REPEAT = 16, ZEROS = 17, MANY_ZEROS = 18, LENGTH_SYMBOLS = 19, LENGTH_LIMIT = 7 };

/* ---- Bits ----------------------------------------------------------------------------------- */

/* Bits that are not stored yet; the first one is the lowest. */
struct bits {
    uint8_t *to;
    uint64_t held;
    unsigned count; /* below 8 after a store */
};

static inline void png_deflate_add(struct bits *bits, uint64_t value, unsigned count)
{
    bits->held |= value << bits->count;
    bits->count += count;
}

/* Always stores eight bytes; the next store overwrites the incomplete ones. */
static inline void png_deflate_store(struct bits *bits)
{
    for (int i = 0; i < STORE; i++)
        bits->to[i] = (uint8_t)(bits->held >> 8 * i);
    bits->to += bits->count / 8;
    bits->held >>= bits->count & ~7u;
    bits->count &= 7;
}

static void png_deflate_align(struct bits *bits)
{
    bits->count = (bits->count + 7) & ~7u;
    png_deflate_store(bits);
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static inline uint64_t png_deflate_word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* How often the byte before `at` is repeated from there on; 0 if the run is too short for a
 * symbol. */
static inline size_t run_at(const uint8_t *at, const uint8_t *end)
{
    uint64_t same = at[-1] * UINT64_C(0x0101010101010101);
    if (png_deflate_word_at(at) != same)
        return 0;
    size_t length = RUN_MIN, most = end - at < RUN_MAX ? (size_t)(end - at) : RUN_MAX;
    while (length + RUN_MIN <= most && png_deflate_word_at(at + length) == same)
        length += RUN_MIN;
    while (length < most && at[length] == at[-1])
        length++;
    return length;
}

/* The symbol of a run's length, and its extra bits. */
struct length {
    int symbol;
    unsigned extra, extra_bits;
};

static struct length length_of(size_t run)
{
    unsigned over = (unsigned)run - 3, bits = 0;
    if (run == RUN_MAX)
        return (struct length){SYMBOLS - 1, 0, 0};
    while (over >> bits >= 8)
        bits++;
    return (struct length){LENGTHS + (int)(4 * bits + (over >> bits)), over & ((1u << bits) - 1),
                           bits};
}

/* ---- Codes of a block ----------------------------------------------------------------------- */

struct codes {
    uint32_t counts[4][SYMBOLS]; /* four sets, so that equal neighbouring bytes do not cause
                                    store-to-load stalls */
    uint8_t lengths[SYMBOLS];
    uint16_t codes[SYMBOLS];
    uint32_t packed[SYMBOLS]; /* code << 8 | length */
    uint64_t body;            /* bits of the symbols with their extra bits */
};

/* The first byte is a literal: a run needs one before it. */
static void count_symbols(const uint8_t *at, const uint8_t *end, struct codes *codes)
{
    uint32_t(*counts)[SYMBOLS] = codes->counts;
    memset(codes->counts, 0, sizeof codes->counts);
    codes->body = 0;
    counts[0][*at++]++;
    while (end - at >= RUN_MIN) {
        size_t run = run_at(at, end);
        if (run) {
            struct length length = length_of(run);
            counts[0][length.symbol]++;
            codes->body += length.extra_bits + 1; /* 1: the bit of the distance */
            at += run;
            continue;
        }
        for (int i = 0; i < RUN_MIN; i++)
            counts[i & 3][at[i]]++;
        at += RUN_MIN;
    }
    while (at < end)
        counts[0][*at++]++;
    counts[0][END] = 1;
}

static void make_codes(struct codes *codes)
{
    for (int i = 0; i < SYMBOLS; i++)
        codes->counts[0][i] += codes->counts[1][i] + codes->counts[2][i] + codes->counts[3][i];
    huffman_lengths(codes->counts[0], SYMBOLS, LIMIT, codes->lengths);
    huffman_codes(codes->lengths, SYMBOLS, codes->codes);
    for (int i = 0; i < SYMBOLS; i++) {
        codes->packed[i] = (uint32_t)codes->codes[i] << 8 | codes->lengths[i];
        codes->body += (uint64_t)codes->counts[0][i] * codes->lengths[i];
    }
}

/* ---- The head of a block: its code lengths, run by run -------------------------------------- */

struct head {
    int literals; /* number of code lengths of literals and runs */
    int count;
    uint8_t symbols[SYMBOLS + 1], extra[SYMBOLS + 1];
};

static void put_length(struct head *head, int symbol, int extra)
{
    head->symbols[head->count] = (uint8_t)symbol;
    head->extra[head->count++] = (uint8_t)extra;
}

/* Adds `run` equal code lengths. */
static void put_lengths(struct head *head, int length, int run)
{
    if (length != 0) {
        put_length(head, length, 0);
        run--;
    }
    int most = length ? 6 : 138;
    while (run >= 3) {
        int part = run < most ? run : most;
        if (length)
            put_length(head, REPEAT, part - 3);
        else
            put_length(head, part > 10 ? MANY_ZEROS : ZEROS, part - (part > 10 ? 11 : 3));
        run -= part;
    }
    while (run-- > 0)
        put_length(head, length, 0);
}

/* The length of the only distance code follows the others. */
static void list_lengths(const struct codes *codes, struct head *head)
{
    uint8_t all[SYMBOLS + 1];
    head->literals = SYMBOLS;
    while (head->literals > LENGTHS && codes->lengths[head->literals - 1] == 0)
        head->literals--;
    memcpy(all, codes->lengths, (size_t)head->literals);
    all[head->literals] = 1;
    head->count = 0;
    for (int i = 0, run; i <= head->literals; i += run) {
        for (run = 1; i + run <= head->literals && all[i + run] == all[i];)
            run++;
        put_lengths(head, all[i], run);
    }
}

static void add_head(const struct head *head, struct bits *bits)
{
    static const uint8_t order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                  11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint32_t counts[LENGTH_SYMBOLS] = {0};
    uint8_t lengths[LENGTH_SYMBOLS];
    uint16_t codes[LENGTH_SYMBOLS];
    int given = LENGTH_SYMBOLS;
    for (int i = 0; i < head->count; i++)
        counts[head->symbols[i]]++;
    huffman_lengths(counts, LENGTH_SYMBOLS, LENGTH_LIMIT, lengths);
    huffman_codes(lengths, LENGTH_SYMBOLS, codes);
    while (given > 4 && lengths[order[given - 1]] == 0)
        given--;
    png_deflate_add(bits, (uint64_t)(head->literals - LENGTHS), 5);
    png_deflate_add(bits, 0, 5); /* one distance code */
    png_deflate_add(bits, (uint64_t)(given - 4), 4);
    png_deflate_store(bits);
    for (int i = 0; i < given; i++) {
        png_deflate_add(bits, lengths[order[i]], 3);
        png_deflate_store(bits);
    }
    for (int i = 0; i < head->count; i++) {
        int symbol = head->symbols[i];
        png_deflate_add(bits, codes[symbol], lengths[symbol]);
        if (symbol >= REPEAT)
            png_deflate_add(bits, head->extra[i], symbol == REPEAT ? 2 : symbol == ZEROS ? 3 : 7);
        png_deflate_store(bits);
    }
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static inline void add_symbol(struct bits *bits, const struct codes *codes, int symbol)
{
    png_deflate_add(bits, codes->packed[symbol] >> 8, codes->packed[symbol] & 0xff);
}

static void add_run(struct bits *bits, const struct codes *codes, size_t run)
{
    struct length length = length_of(run);
    add_symbol(bits, codes, length.symbol);
    png_deflate_add(bits, length.extra, length.extra_bits);
    png_deflate_add(bits, 0, 1); /* the code of distance 1 */
    png_deflate_store(bits);
}

/* The same steps as in count_symbols. */
static void add_body(const uint8_t *at, const uint8_t *end, const struct codes *codes,
                     struct bits *to)
{
    struct bits bits = *to; /* a copy stays in registers */
    add_symbol(&bits, codes, *at++);
    png_deflate_store(&bits);
    while (end - at >= RUN_MIN) {
        size_t run = run_at(at, end);
        if (run) {
            add_run(&bits, codes, run);
            at += run;
            continue;
        }
        for (int half = 0; half < 2; half++, at += 4) {
            add_symbol(&bits, codes, at[0]);
            add_symbol(&bits, codes, at[1]);
            add_symbol(&bits, codes, at[2]);
            add_symbol(&bits, codes, at[3]);
            png_deflate_store(&bits);
        }
    }
    for (; at < end; at++) {
        add_symbol(&bits, codes, *at);
        png_deflate_store(&bits);
    }
    add_symbol(&bits, codes, END);
    png_deflate_store(&bits);
    *to = bits;
}

static void add_stored(const uint8_t *bytes, size_t size, bool last, struct bits *bits)
{
    png_deflate_add(bits, last, 3);
    png_deflate_align(bits);
    png_deflate_add(bits, size | (uint64_t)(size ^ 0xffff) << 16, 32);
    png_deflate_store(bits);
    if (size)
        memcpy(bits->to, bytes, size);
    bits->to += size;
}

/* Adds a block, uncompressed if codes would make it longer. */
static void png_deflate_add_block(const uint8_t *bytes, size_t size, bool last, struct bits *bits)
{
    struct codes codes;
    struct head head;
    struct bits before = *bits;
    count_symbols(bytes, bytes + size, &codes);
    make_codes(&codes);
    list_lengths(&codes, &head);
    png_deflate_add(bits, last | 2 << 1, 3);
    add_head(&head, bits);
    uint64_t head_bits = (uint64_t)(bits->to - before.to) * 8 + bits->count;
    if (head_bits + codes.body > (size + STORED_HEAD) * 8) {
        *bits = before;
        add_stored(bytes, size, last, bits);
    } else
        add_body(bytes, bytes + size, &codes, bits);
}

size_t deflate_runs_bound(size_t size)
{
    return size + (size / BLOCK + 2) * (STORED_HEAD + 1) + HEAD_MAX + STORE;
}

size_t deflate_runs(const uint8_t *bytes, size_t size, bool last, uint8_t *to)
{
    struct bits bits = {to, 0, 0};
    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < BLOCK ? size - at : BLOCK;
        png_deflate_add_block(bytes + at, part, last && at + part == size, &bits);
    }
    if (last)
        png_deflate_align(&bits);
    else
        add_stored(NULL, 0, false, &bits);
    return (size_t)(bits.to - to);
}

/* ---- The checksum --------------------------------------------------------------------------- */

enum { BASE = 65521, LANES = 32 };
/* Number of steps of LANES bytes between two reductions of the sums. A lane's weighted sum is at
 * most 255 · STEPS · (STEPS - 1) / 2 < 2^27, and the total over all lanes, times LANES, fits 64
 * bits. */
enum { STEPS = 1024 };

/* The sums of a lane: of its bytes, and of each byte times the number of steps after it. */
struct lanes {
    uint32_t plain[LANES], weighted[LANES];
};

VECTORS static void add_steps(const uint8_t *bytes, size_t steps, struct lanes *lanes)
{
    struct lanes sums = {{0}, {0}};
    for (size_t step = 0; step < steps; step++)
        for (size_t lane = 0; lane < LANES; lane++) {
            sums.weighted[lane] += sums.plain[lane];
            sums.plain[lane] += bytes[step * LANES + lane];
        }
    *lanes = sums;
}

uint32_t adler_of(const uint8_t *bytes, size_t size)
{
    uint64_t low = 1, high = 0;
    while (size >= LANES) {
        size_t steps = size / LANES < STEPS ? size / LANES : STEPS;
        struct lanes lanes;
        add_steps(bytes, steps, &lanes);
        high += low * steps * LANES;
        for (uint64_t lane = 0; lane < LANES; lane++) {
            low += lanes.plain[lane];
            high += LANES * ((uint64_t)lanes.weighted[lane] + lanes.plain[lane]) -
                    lane * lanes.plain[lane];
        }
        low %= BASE;
        high %= BASE;
        bytes += steps * LANES;
        size -= steps * LANES;
    }
    for (; size > 0; size--) {
        low += *bytes++;
        high += low;
    }
    return (uint32_t)(high % BASE << 16 | low % BASE);
}
