#include "io/png/huffman.h"

#include <stdbool.h>
#include <string.h>

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
static void join(const struct ranks *ranks, int *parents)
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

void huffman_lengths(const uint32_t *frequencies, int count, int limit, uint8_t *lengths)
{
    struct ranks ranks;
    int parents[2 * HUFFMAN_SYMBOLS_MAX], counts[HUFFMAN_BITS_MAX + 1], rank = 0;
    rank_symbols(frequencies, count, &ranks);
    join(&ranks, parents);
    count_lengths(parents, ranks.count, limit, counts);
    memset(lengths, 0, (size_t)count);
    for (int length = limit; length > 0; length--)
        for (int i = 0; i < counts[length]; i++)
            lengths[ranks.keys[rank++] & 0xffff] = (uint8_t)length;
}

static uint16_t reversed(unsigned code, int length)
{
    unsigned result = 0;
    for (int bit = 0; bit < length; bit++)
        result = result << 1 | (code >> bit & 1);
    return (uint16_t)result;
}

void huffman_codes(const uint8_t *lengths, int count, uint16_t *codes)
{
    unsigned next[HUFFMAN_BITS_MAX + 2] = {0};
    for (int i = 0; i < count; i++)
        if (lengths[i])
            next[lengths[i] + 1]++;
    for (int length = 1; length <= HUFFMAN_BITS_MAX; length++)
        next[length + 1] = (next[length] + next[length + 1]) << 1;
    for (int i = 0; i < count; i++)
        codes[i] = lengths[i] ? reversed(next[lengths[i]]++, lengths[i]) : 0;
}
