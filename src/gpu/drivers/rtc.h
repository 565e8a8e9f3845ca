/* A run-time compiler of a GPU vendor. */
#ifndef SWATHE_GPU_DRIVERS_RTC_H
#define SWATHE_GPU_DRIVERS_RTC_H

#include "gpu/drivers/device.h"
#include "gpu/drivers/library.h"

enum { RTC_OPTIONS_MAX = 64 };

struct rtc {
    const char *name; /* "NVRTC" */
#define RTC(member, arguments, nvrtc, hiprtc) int(*member) arguments;
#include "gpu/drivers/rtc.def"
#undef RTC
    const char *(*error_name)(int);
    /* How the result is fetched: with code_size and code, or with the functions for PTX. */
    int (*text_size)(void *, size_t *);
    int (*text)(void *, char *);
    int major, minor;
};

/* `text`: fetch the result with text_size and text. */
swathe_status rtc_compile(const struct rtc *rtc, const struct memory *memory, const char *source,
                          const char *const *options, int32_t count, bool text,
                          struct gpu_binary *binary);

#endif
