/* PNG segments whose dictionary is one byte off: segments prepared separately do not join
 * correctly. */
#include <zlib.h>

static int planted_dictionary(z_stream *stream, const Bytef *bytes, uInt size)
{
    return deflateSetDictionary(stream, bytes - 1, size);
}

#define deflateSetDictionary planted_dictionary
#include "io/png/coder.c"
