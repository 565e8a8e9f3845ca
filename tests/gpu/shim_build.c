#include "shim_build.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAMS_MOST = 1000, TEXT = 4096 };

static struct {
    char folder[64], flags[TEXT / 2];
    char *keys[PROGRAMS_MOST];
    struct shim_program programs[PROGRAMS_MOST];
    int count;
} built;

static const char *compiler(void)
{
    const char *named = getenv("CXX");
    return named && *named ? named : "c++";
}

static void write_source(const char *source)
{
    char path[128];
    snprintf(path, sizeof path, "%s/kernels.cpp", built.folder);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(2);
    fprintf(file, "#include \"shim.h\"\n%s\n#include \"shim_launch.h\"\n", source);
    if (fclose(file) != 0)
        exit(2);
}

bool shim_build_begin(const char *include_dir, const char *flags, const char *source)
{
    char command[TEXT];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler());
    if (system(command) != 0)
        return false;
    snprintf(built.folder, sizeof built.folder, "/tmp/swathe-shim-XXXXXX");
    if (!mkdtemp(built.folder))
        exit(2);
    snprintf(built.flags, sizeof built.flags,
             "-std=c++17 -O1 -g -w -ffp-contract=off -fno-strict-aliasing -fPIC -shared -pthread "
             "-DGPU_SHIM -I'%s' %s",
             include_dir, flags);
    write_source(source);
    return true;
}

void shim_build_end(void)
{
    char command[TEXT];
    for (int i = 0; i < built.count; i++) {
        dlclose(built.programs[i].library);
        free(built.keys[i]);
    }
    snprintf(command, sizeof command, "rm -r '%s'", built.folder);
    if (system(command) != 0)
        printf("%s is left\n", built.folder);
}

static void join_options(const struct gpu_stage *stage, char *text, size_t size)
{
    size_t at = 0;
    for (int32_t i = 0; i < stage->option_count; i++)
        at += (size_t)snprintf(text + at, at < size ? size - at : 0, "%s ", stage->options[i]);
    if (at >= size)
        exit(2);
}

static struct shim_program *load_program(const char *path)
{
    struct shim_program *program = &built.programs[built.count];
    program->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!program->library) {
        printf("FAILED to load: %s\n", dlerror());
        exit(2);
    }
    *(void **)&program->launch = dlsym(program->library, "shim_launch");
    program->mask = dlsym(program->library, "mask");
    return program;
}

struct shim_program *shim_build(const struct gpu_stage *stage)
{
    char options[TEXT / 2], path[128], command[3 * TEXT];
    join_options(stage, options, sizeof options);
    for (int i = 0; i < built.count; i++)
        if (strcmp(built.keys[i], options) == 0)
            return &built.programs[i];
    snprintf(path, sizeof path, "%s/%d.so", built.folder, built.count);
    snprintf(command, sizeof command, "%s %s %s -DSHIM_KERNEL=%s '%s/kernels.cpp' -o '%s'",
             compiler(), built.flags, options, stage->kernel, built.folder, path);
    if (built.count == PROGRAMS_MOST || system(command) != 0) {
        printf("FAILED to compile: %s\n", command);
        exit(2);
    }
    struct shim_program *program = load_program(path);
    built.keys[built.count++] = strdup(options);
    return program;
}

int shim_build_count(void)
{
    return built.count;
}

void shim_run(const struct gpu_case *made, int32_t rows)
{
    const struct gpu_stage *stage = &made->stage;
    struct shim_program *program = shim_build(stage);
    struct gpu_task task = made->task;
    /* As large as the buffer on a device, so that sanitizers detect accesses past its end. */
    void *taps = malloc((size_t)stage->tap_bytes + 1);
    if (!taps)
        abort();
    if (stage->tap_bytes > 0)
        memcpy(taps, stage->taps, (size_t)stage->tap_bytes);
    void *buffers[] = {made->in, made->out, taps, made->rows, made->columns};
    if (stage->constant_bytes > 0)
        memcpy(program->mask, stage->taps, (size_t)stage->constant_bytes);
    for (int32_t y = 0; y < made->task.height; y += rows) {
        int32_t grid[3];
        task.first_y = y;
        task.last_y = y + rows < made->task.height ? y + rows : made->task.height;
        gpu_stage_grid(stage, task.width, task.last_y - task.first_y, grid);
        if (program->launch(grid, stage->group, buffers, &task, (long)stage->given_bytes) != 0)
            exit(2);
    }
    free(taps);
}
