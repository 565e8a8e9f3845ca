#include "io/png/png.h"

#include <setjmp.h>
#include <string.h>

/* Used whether or not libpng reports the failed allocation. */
static swathe_status fail_out_of_memory(const struct png_guard *guard)
{
    return fail(SWATHE_ERROR_MEMORY, "no memory to %s a PNG",
                guard->error_status == SWATHE_ERROR_INPUT ? "read" : "write");
}

static void report_error(png_structp png, png_const_charp message)
{
    struct png_guard *guard = png_get_error_ptr(png);
    if (guard->out_of_memory)
        guard->status = fail_out_of_memory(guard);
    else if (guard->status == SWATHE_OK)
        guard->status = fail(guard->error_status, "damaged PNG: %s", message);
    png_longjmp(png, 1);
}

/* Warnings are about data that libpng repairs or drops. Only metadata dropped because of their size
 * matter: exceeding a limit must be reported. */
static void png_guard_note_warning(png_structp png, png_const_charp message)
{
    struct png_guard *guard = png_get_error_ptr(png);
    bool ours = strncmp(message, "iTXt", 4) == 0 || strncmp(message, "eXIf", 4) == 0;
    bool limited = strstr(message, "exceeds application limits");
    guard->dropped =
        guard->dropped || (ours && (limited || strstr(message, "exceeds memory limits")));
    guard->oversize = guard->oversize || (!ours && limited);
}

static png_voidp png_guard_allocate(png_structp png, png_alloc_size_t size)
{
    struct png_guard *guard = png_get_mem_ptr(png);
    void *block = NULL;
    if (memory_new_raw(guard->memory, 1, (int64_t)size, "libpng", &block) != SWATHE_OK)
        guard->out_of_memory = true;
    return block;
}

static void png_guard_release(png_structp png, png_voidp block)
{
    const struct png_guard *guard = png_get_mem_ptr(png);
    memory_free(guard->memory, block);
}

swathe_status png_guard_start(struct png_guard *guard, const struct memory *memory,
                              swathe_status error_status)
{
    guard->memory = memory;
    guard->error_status = error_status;
    guard->png = error_status == SWATHE_ERROR_INPUT
                     ? png_create_read_struct_2(PNG_LIBPNG_VER_STRING, guard, report_error,
                                                png_guard_note_warning, guard, png_guard_allocate,
                                                png_guard_release)
                     : png_create_write_struct_2(PNG_LIBPNG_VER_STRING, guard, report_error,
                                                 png_guard_note_warning, guard, png_guard_allocate,
                                                 png_guard_release);
    if (guard->png)
        guard->info = png_create_info_struct(guard->png);
    return guard->info ? SWATHE_OK : fail_out_of_memory(guard);
}

void png_guard_fail(struct png_guard *guard, swathe_status status)
{
    guard->status = status;
    png_longjmp(guard->png, 1);
}

void png_guard_setup(const struct png_guard *guard)
{
    /* Rows are checked against the memory limit instead of libpng's limit of a million pixels. */
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
    return guard->out_of_memory ? fail_out_of_memory(guard) : SWATHE_OK;
}
