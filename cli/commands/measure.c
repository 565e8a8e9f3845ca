/* The commands that measure: tune, and bench. */
#include "../../src/base/os_console.h"
#include "commands/command_line.h"
#include "commands/options.h"
#include "commands/request.h"
#include "terminal/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints which wisdom is used, or why none is. Returns the exit code. */
static int print_wisdom(swathe_context *context, swathe_text format)
{
    size_t needed = 0;
    swathe_status status = swathe_tune_text(context, format, NULL, 0, &needed);
    char *text = status == SWATHE_OK ? malloc(needed) : NULL;
    if (status == SWATHE_OK && !text)
        return complain(SWATHE_ERROR_MEMORY, "no memory for %zu bytes of text", needed);
    if (status == SWATHE_OK)
        status = swathe_tune_text(context, format, text, needed, NULL);
    if (status == SWATHE_OK)
        printf("%s%s", text, format == SWATHE_TEXT_JSON ? "\n" : "");
    free(text);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

static int measure_tune(swathe_context *context, const struct options *options)
{
    swathe_tune_options wanted = SWATHE_INIT(swathe_tune_options);
    wanted.isa = options_text(options, OPTION_ISA);
    swathe_status status =
        options_has(options, OPTION_SHOW) ? SWATHE_OK : swathe_tune(context, &wanted);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    return print_wisdom(context,
                        options_has(options, OPTION_JSON) ? SWATHE_TEXT_JSON : SWATHE_TEXT_PEOPLE);
}

int command_tune(const struct options *options)
{
    swathe_context *context;
    swathe_status status = request_context(options, &context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = measure_tune(context, options);
    swathe_context_destroy(context);
    return code;
}

/* The benchmark is a separate program, so that this one does not load its libraries. These are its
 * paths: relative to the directory of this program, in a build and when installed, and its
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
