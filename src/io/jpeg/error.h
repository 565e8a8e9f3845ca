/* Converts libjpeg's errors, which use longjmp, to a status. */
#ifndef SWATHE_IO_JPEG_ERROR_H
#define SWATHE_IO_JPEG_ERROR_H

#include "base/status.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

#include <jpeglib.h>

struct jpeg_guard {
    struct jpeg_error_mgr manager; /* first member: libjpeg passes its address to callbacks */
    jmp_buf escape;                /* set it before any call of libjpeg */
    swathe_status status;          /* the reason for the longjmp */
    bool ended;                    /* the file ended before its end marker */
};

/* To be stored in the `err` field of a libjpeg struct. */
struct jpeg_error_mgr *jpeg_guard_init(struct jpeg_guard *guard);

/* Returns from libjpeg to the setjmp with a status whose text is recorded. */
_Noreturn void jpeg_guard_leave(j_common_ptr info, swathe_status status);

#endif
