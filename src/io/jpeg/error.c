#include "io/jpeg/jpeg.h"

#include <jerror.h>

void jpeg_guard_leave(j_common_ptr info, swathe_status status)
{
    struct jpeg_guard *guard = (struct jpeg_guard *)info->err;
    guard->status = status;
    longjmp(guard->escape, 1);
}

static swathe_status jpeg_error_status_of(int code)
{
    switch (code) {
    case JERR_OUT_OF_MEMORY:
        return SWATHE_ERROR_MEMORY;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
        return SWATHE_ERROR_UNSUPPORTED;
    default:
        return SWATHE_ERROR_INPUT;
    }
}

static swathe_status jpeg_error_record(j_common_ptr info)
{
    char text[JMSG_LENGTH_MAX];
    int code = info->err->msg_code;
    if (code == JERR_BAD_PRECISION)
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "JPEG with %d-bit samples; only 8 bits can be read, convert it to TIFF or PNG first",
            info->err->msg_parm.i[0]);
    info->err->format_message(info, text);
    return fail(jpeg_error_status_of(code), "JPEG: %s", text);
}

static void error_exit(j_common_ptr info)
{
    jpeg_guard_leave(info, jpeg_error_record(info));
}

/* True for warnings about missing or damaged data, for which libjpeg invents samples. Other
 * warnings are harmless: bytes between segments, version numbers, unusual but unambiguous
 * headers. */
static bool jpeg_error_means_damage(int code)
{
    return code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_ARITH_BAD_CODE ||
           code == JWRN_MUST_RESYNC || code == JWRN_BOGUS_PROGRESSION;
}

static void emit_message(j_common_ptr info, int level)
{
    const struct jpeg_guard *guard = (const struct jpeg_guard *)info->err;
    if (level >= 0 || !jpeg_error_means_damage(info->err->msg_code))
        return;
    jpeg_guard_leave(info, guard->ended ? fail(SWATHE_ERROR_INPUT, "the file ends early")
                                        : jpeg_error_record(info));
}

static void output_message(j_common_ptr info)
{
    (void)info;
}

struct jpeg_error_mgr *jpeg_guard_init(struct jpeg_guard *guard)
{
    jpeg_std_error(&guard->manager);
    guard->manager.error_exit = error_exit;
    guard->manager.emit_message = emit_message;
    guard->manager.output_message = output_message;
    guard->status = SWATHE_OK;
    guard->ended = false;
    return &guard->manager;
}
