#include "io/raw/netpbm.h"

#include "base/checked.h"
#include "base/text.h"

#include <inttypes.h>

static swathe_status netpbm_next_byte(struct stream *in, uint8_t *c)
{
    if (stream_tell(in) >= NETPBM_GAP)
        return fail(SWATHE_ERROR_INPUT, "its header has more than %d bytes", NETPBM_GAP);
    return stream_read_all(in, c, 1);
}

static swathe_status skip_comment(struct stream *in)
{
    uint8_t c;
    do
        TRY(netpbm_next_byte(in, &c));
    while (c != '\n' && c != '\r');
    return SWATHE_OK;
}

swathe_status netpbm_word(struct stream *in, char word[NETPBM_WORD])
{
    size_t length = 0;
    for (;;) {
        uint8_t c;
        TRY(netpbm_next_byte(in, &c));
        if (c == '#') {
            TRY(skip_comment(in));
            c = '\n';
        }
        if (netpbm_is_space(c)) {
            if (length == 0)
                continue;
            word[length] = '\0';
            return SWATHE_OK;
        }
        if (c < ' ' || c > '~' || length == NETPBM_WORD - 1)
            return fail(SWATHE_ERROR_INPUT,
                        "its header has an invalid or overlong word near byte %" PRId64,
                        stream_tell(in));
        word[length++] = (char)c;
    }
}

swathe_status netpbm_number(struct stream *in, const char *what, int64_t most, int64_t *number)
{
    char word[NETPBM_WORD];
    int64_t value;
    TRY(netpbm_word(in, word));
    if (!text_to_int(word, &value) || value < 1 || value > most)
        return fail(SWATHE_ERROR_INPUT, "its header has '%s' as %s, which must be 1 to %" PRId64,
                    word, what, most);
    *number = value;
    return SWATHE_OK;
}

swathe_status netpbm_check_size(struct stream *in, int64_t start, int64_t rows, int64_t row_bytes)
{
    int64_t needed;
    if (!checked_mul(rows, row_bytes, &needed) || !checked_add(needed, start, &needed))
        return fail(SWATHE_ERROR_LIMIT, "%" PRId64 " rows of %" PRId64 " bytes exceed 2^63 bytes",
                    rows, row_bytes);
    if (needed > stream_size(in))
        return fail(SWATHE_ERROR_INPUT,
                    "the file ends early: it has %" PRId64 " bytes, its header requires %" PRId64,
                    stream_size(in), needed);
    return SWATHE_OK;
}

void netpbm_colors(swathe_shape *shape)
{
    shape->color = shape->channels <= 2   ? SWATHE_COLOR_GREY
                   : shape->channels <= 4 ? SWATHE_COLOR_RGB
                                          : SWATHE_COLOR_UNKNOWN;
    shape->alpha = shape->channels == 2 || shape->channels == 4 ? shape->channels : 0;
}
