/* The benchmark is a separate program, so that this one does not load its libraries. */
#define _GNU_SOURCE /* readlink */
#include "message.h"
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Its paths relative to the directory of this program, in a build and when installed, and its
 * configured path. */
static const char *const places[] = {"../bench/program/swathe-bench", SWATHE_BENCH_NEAR,
                                     SWATHE_BENCH_PATH};

int command_bench(const struct options *options)
{
    char self[PATH_MAX] = "", path[2 * PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    while (size > 0 && self[size - 1] != '/')
        self[--size] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (*places[i] != '/' && size <= 0)
            continue; /* a relative path could run any program in the current directory */
        snprintf(path, sizeof path, "%s%s", *places[i] == '/' ? "" : self, places[i]);
        execv(path, options->words - 1);
        if (errno != ENOENT && errno != ENOTDIR)
            return complain_system(errno, "%s", path);
    }
    return complain(SWATHE_ERROR_UNSUPPORTED,
                    "the benchmark is a separate program that is not installed: %s is missing; "
                    "`meson install` installs it",
                    SWATHE_BENCH_PATH);
}
