#include "gpu/drivers/rtc.h"

#include "gpu/drivers/device.h"

static swathe_status rtc_failed(const struct rtc *rtc, const char *call, int error)
{
    return failure_of(rtc->name, error ? rtc->error_name(error) : call, false);
}

static swathe_status rtc_say_log(const struct rtc *rtc, const struct memory *memory, void *program,
                                 int error)
{
    char *log = NULL;
    size_t size = 0;
    if (rtc->log_size(program, &size) == 0 && size > 0 && size < INT32_MAX) {
        TRY(memory_new(memory, (int64_t)size + 1, 1, "a compiler's log", &log));
        rtc->log(program, log);
    }
    swathe_status status =
        failure_compile(rtc->name, rtc->error_name(error), log ? log : "(no log)");
    memory_free(memory, log);
    return status;
}

static swathe_status rtc_take(const struct rtc *rtc, const struct memory *memory, void *program,
                              bool text, struct gpu_binary *binary)
{
    size_t size = 0;
    void *data;
    int error = (text ? rtc->text_size : rtc->code_size)(program, &size);
    if (error || size == 0 || size > INT32_MAX)
        return rtc_failed(rtc, "it returned no code", error);
    TRY(memory_new(memory, (int64_t)size, 1, "a program", &data));
    error = (text ? rtc->text : rtc->code)(program, data);
    if (error) {
        memory_free(memory, data);
        return rtc_failed(rtc, "it returned no code", error);
    }
    *binary = (struct gpu_binary){data, (int64_t)size};
    return SWATHE_OK;
}

swathe_status rtc_compile(const struct rtc *rtc, const struct memory *memory, const char *source,
                          const char *const *options, int32_t count, bool text,
                          struct gpu_binary *binary)
{
    void *program = NULL;
    int error = rtc->create(&program, source, "swathe.cu", 0, NULL, NULL);
    if (error)
        return rtc_failed(rtc, "", error);
    error = rtc->compile(program, count, options);
    swathe_status status = error ? rtc_say_log(rtc, memory, program, error)
                                 : rtc_take(rtc, memory, program, text, binary);
    rtc->destroy(&program);
    return status;
}
