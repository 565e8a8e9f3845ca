/* The benchmark is a separate program, so that this one does not load its libraries. */
#include "../../src/base/os_console.h"
#include "commands/options.h"
#include "installed_files.h"
#include "terminal/message.h"

#include <errno.h>

/* Its paths relative to the directory of this program, in a build and when installed, and its
 * configured path. */
static const char *const places[] = {"../bench/program/swathe-bench", SWATHE_BENCH_NEAR,
                                     SWATHE_BENCH_PATH};

int command_bench(const struct options *options)
{
    char path[INSTALLED_PATH];
    if (!SWATHE_BENCH_BUILT)
        return complain(SWATHE_ERROR_UNSUPPORTED, "the benchmark is a program for Linux only");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!installed_path(places[i], path))
            continue;
        os_become(path, options->words - 1);
        if (errno != ENOENT && errno != ENOTDIR)
            return complain_system(errno, "%s", path);
    }
    return complain(SWATHE_ERROR_UNSUPPORTED,
                    "the benchmark is a separate program that is not installed: %s is missing; "
                    "`meson install` installs it",
                    SWATHE_BENCH_PATH);
}
