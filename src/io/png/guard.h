/* libpng reports errors by longjmp. All calls go through here, so that there is a single setjmp. */
#ifndef SWATHE_IO_PNG_GUARD_H
#define SWATHE_IO_PNG_GUARD_H

#include "base/memory.h"

#include <png.h>
#include <stdbool.h>

enum { PNG_GUARD_SIDE_MAX = 0x7fffffff }; /* pixels, by the format */

struct png_guard {
    png_structp png;
    png_infop info;
    swathe_status error_status; /* status of libpng's own errors: input or internal */
    swathe_status status;       /* of a failed callback, whose text is already set */
    bool oversize;              /* a profile was dropped because of its size */
    bool dropped;               /* likewise an iTXt or eXIf chunk */
    bool out_of_memory;         /* an allocation failed, and libpng may have dropped something */
    const struct memory *memory;
};

/* Structs of libpng that report to the guard; `error_status` is the status of libpng's own errors.
 * To be freed by png_destroy_*_struct, also after a failure. */
swathe_status png_guard_start(struct png_guard *guard, const struct memory *memory,
                              swathe_status error_status);

/* To be called from a callback. */
void png_guard_fail(struct png_guard *guard, swathe_status status);

/* Sets the limits and transforms that reading and writing share. */
void png_guard_setup(const struct png_guard *guard);
/* Selects this machine's byte order for samples of 16 bits. To be called after the header was
 * read. */
void png_guard_swap(const struct png_guard *guard);

/* Runs `body`; an error in it ends it and becomes the status. */
swathe_status png_guard_run(struct png_guard *guard, void (*body)(void *user), void *user);

#endif
