/* A compiler of a GPU's vendor, called at run time. */
#ifndef SWATHE_GPU_RTC_H
#define SWATHE_GPU_RTC_H

#include "gpu/device.h"
#include "gpu/library.h"

enum { RTC_OPTIONS_MAX = 64 };

struct rtc {
    const char *name; /* "NVRTC" */
#define RTC(member, arguments, nvrtc, hiprtc) int(*member) arguments;
#include "gpu/rtc.def"
#undef RTC
    const char *(*error_name)(int);
    /* How the result is taken: code_size and code, or those of PTX. */
    int (*text_size)(void *, size_t *);
    int (*text)(void *, char *);
    int major, minor;
};

/* `text`: take what text_size and text give. */
swathe_status rtc_compile(const struct rtc *rtc, const struct memory *memory, const char *source,
                          const char *const *options, int32_t count, bool text,
                          struct gpu_binary *binary);

#endif
