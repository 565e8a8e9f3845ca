/* NVIDIA's own compiler, which needs no GPU: it is found, and accepts our options for each
 * architecture. Skipped (77) if it is not installed. */
#include "gpu/drivers/nvrtc.h"
#include "tiny.h"

#include <stdio.h>
#include <string.h>

static int failed;

static void verdict(bool good, const char *what, int target)
{
    failed += !good;
    printf("%s: %s for sm_%d%s%s\n", good ? "ok" : "FAILED", what, target, good ? "" : ": ",
           good ? "" : fail_text());
}

static bool holds(const struct gpu_binary *binary, const char *text)
{
    size_t length = strlen(text);
    for (int64_t i = 0; i + (int64_t)length <= binary->size; i++)
        if (memcmp((char *)binary->data + i, text, length) == 0)
            return true;
    return false;
}

/* Machine code for architectures that it knows, PTX for newer ones, and an error for those no
 * longer supported. */
static void compile(const struct nvrtc *nvrtc, int target, const char *start)
{
    struct gpu_binary binary = {0};
    swathe_status status = nvrtc_compile(nvrtc, &memory_default, target, tiny_source(),
                                         tiny_options, TINY_OPTIONS, &binary);
    if (!start) {
        verdict(status == SWATHE_ERROR_UNSUPPORTED && strstr(fail_text(), "opencl"), "a refusal",
                target);
        return;
    }
    verdict(status == SWATHE_OK && holds(&binary, start) && holds(&binary, "tiny") &&
                holds(&binary, "mask"),
            start[0] == '.' ? "PTX" : "machine code", target);
    memory_free(&memory_default, binary.data);
}

int main(void)
{
    static struct nvrtc nvrtc;
    static const char *const wrong[] = {"-DADDED=no_such_name"};
    struct gpu_binary binary;
    char note[512];
    if (!nvrtc_find(13000, &nvrtc, note, sizeof note)) {
        printf("skipped: NVRTC (%s)\n", note);
        return 77;
    }
    printf("NVRTC %d.%d\n", nvrtc.rtc.major, nvrtc.rtc.minor);
    for (int i = 0; i < nvrtc.target_count; i++)
        compile(&nvrtc, nvrtc.targets[i], "\177ELF");
    compile(&nvrtc, 999, ".target");
    compile(&nvrtc, 20, NULL);
    verdict(nvrtc_compile(&nvrtc, &memory_default, 86, tiny_source(), wrong, 1, &binary) ==
                    SWATHE_ERROR_UNSUPPORTED &&
                strstr(fail_text(), "no_such_name"),
            "a log", 86);
    return failed > 0;
}
