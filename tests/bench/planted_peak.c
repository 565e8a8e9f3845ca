/* peak_fma.c with a bug: the rate of a loop that the compiler removed. It precedes the library, so
 * that the linker omits the correct one. */
#define peak_fma(threads, seconds) right_peak_fma(threads, seconds)
#include "peak_fma.c"
#undef peak_fma

double peak_fma(int32_t threads, double seconds)
{
    return 1e6 * right_peak_fma(threads, seconds);
}
