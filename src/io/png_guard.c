#include "io/png_guard.h"

#include <setjmp.h>
#include <string.h>

void png_guard_error(png_structp png, png_const_charp message)
{
    struct png_guard *guard = png_get_error_ptr(png);
    if (guard->status == SWATHE_OK)
        guard->status = strstr(message, "emory") ? fail(SWATHE_ERROR_MEMORY, "libpng: %s", message)
                                                 : fail(guard->blame, "damaged PNG: %s", message);
    png_longjmp(png, 1);
}

/* Warnings are about what libpng mends or leaves out. Only metadata that is left out for its size
 * matters: a limit must be named, not passed over. */
void png_guard_warning(png_structp png, png_const_charp message)
{
    struct png_guard *guard = png_get_error_ptr(png);
    if (strstr(message, "exceeds application limits") || strstr(message, "insufficient memory"))
        guard->oversize = true;
}

void png_guard_fail(struct png_guard *guard, swathe_status status)
{
    guard->status = status;
    png_longjmp(guard->png, 1);
}

void png_guard_setup(const struct png_guard *guard)
{
    /* Rows are checked against the memory limit instead of libpng's million pixels. */
    png_set_user_limits(guard->png, PNG_GUARD_SIDE_MAX, PNG_GUARD_SIDE_MAX);
    png_set_benign_errors(guard->png, 1);
}

void png_guard_swap(const struct png_guard *guard)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    png_set_swap(guard->png);
#else
    (void)guard;
#endif
}

swathe_status png_guard_run(struct png_guard *guard, void (*body)(void *user), void *user)
{
    if (setjmp(png_jmpbuf(guard->png)))
        return guard->status;
    body(user);
    return SWATHE_OK;
}
