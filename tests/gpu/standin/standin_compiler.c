/* A stand-in for NVRTC, and with STANDIN_HIP for hipRTC, in tests. It compiles with a C++ compiler
 * into a shared object, which the stand-in for the driver loads. It has only the functions that the
 * back ends call, and refuses unknown options. */
#define _GNU_SOURCE
#include "base/hash.h"
#include "standin.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INVALID_INPUT = 3, INVALID_OPTION = 5, COMPILATION = 6, ARGUMENTS_MAX = 96 };

struct program {
    char *source;
    char log[8192];
    char *code; /* of a result */
    size_t size;
    int is_text; /* PTX was requested */
};

/* Results are cached: a test that fails a hundred calls compiles once. */
static struct result {
    struct result *next;
    uint64_t key;
    size_t size;
    char code[];
} * results;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

extern char **environ;

int NAMED(nvrtcVersion, hiprtcVersion)(int *major, int *minor)
{
    *major = NAMED(13, 6);
    *minor = 0;
    return 0;
}

const char *NAMED(nvrtcGetErrorString, hiprtcGetErrorString)(int error)
{
    switch (error) {
    case INVALID_OPTION:
        return "RTC_ERROR_INVALID_OPTION";
    case COMPILATION:
        return "RTC_ERROR_COMPILATION";
    default:
        return "RTC_ERROR";
    }
}

#if !STANDIN_HIP
int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 4;
    return 0;
}

int nvrtcGetSupportedArchs(int *targets)
{
    memcpy(targets, (int[]){75, 80, 86, 90}, 4 * sizeof *targets);
    return 0;
}
#endif

int NAMED(nvrtcCreateProgram, hiprtcCreateProgram)(void **to, const char *source, const char *name,
                                                   int headers, const char *const *texts,
                                                   const char *const *names)
{
    struct program *program = calloc(1, sizeof *program);
    if (!program || !source || !name || headers || texts || names) {
        free(program);
        return INVALID_INPUT;
    }
    program->source = strdup(source);
    *to = program;
    return 0;
}

int NAMED(nvrtcDestroyProgram, hiprtcDestroyProgram)(void **from)
{
    struct program *program = *from;
    free(program->source);
    free(program->code);
    free(program);
    *from = NULL;
    return 0;
}

/* Checks that the options required by the contract are present and the others known; passes
 * definitions on. */
static int take_options(struct program *program, int count, const char *const *options,
                        const char **arguments, int *used)
{
    static const char *const must[] = {
#if STANDIN_HIP
        "-ffp-contract=off",
        "-fno-gpu-flush-denormals-to-zero",
        "--offload-arch=gfx1030:sramecc+:xnack-",
#else
        "-ftz=false",
        "-fmad=false",
        "-prec-div=true",
#endif
    };
    static const char *const may[] = {"-O3", "-prec-sqrt=true", "-default-device", "-arch=sm_86",
                                      "-arch=compute_90"};
    enum { MUST = sizeof must / sizeof *must, MAY = sizeof may / sizeof *may };
    int met = 0;
    for (int i = 0; i < count; i++) {
        int known = strncmp(options[i], "-D", 2) == 0;
        if (known && *used < ARGUMENTS_MAX - 8)
            arguments[(*used)++] = options[i];
        for (int k = 0; k < MUST; k++)
            if (strcmp(options[i], must[k]) == 0)
                known = met |= 1 << k;
        for (int k = 0; k < MAY; k++)
            known |= strcmp(options[i], may[k]) == 0;
        program->is_text |= strncmp(options[i], "-arch=compute", 13) == 0;
        if (!known) {
            snprintf(program->log, sizeof program->log, "unrecognized option %s", options[i]);
            return INVALID_OPTION;
        }
    }
    return met == (1 << MUST) - 1 ? 0 : INVALID_OPTION;
}

static int start(const char *const *arguments, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int state = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int error =
        posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!error && waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    return error || state ? -1 : 0;
}

static size_t read_all(const char *path, char *to, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(to, 1, size, file) : 0;
    if (file)
        fclose(file);
    return got;
}

/* The shared object, preceded by a header with its length: the driver is not passed the length. */
static int take_object(struct program *program, const char *path)
{
    enum { MOST = 16 << 20 };
    struct standin_head head = {STANDIN_MAGIC, 0};
    program->code = malloc(MOST);
    if (!program->code)
        return COMPILATION;
    head.size = read_all(path, program->code + sizeof head, MOST - sizeof head);
    memcpy(program->code, &head, sizeof head);
    program->size = sizeof head + head.size;
    return head.size > 0 ? 0 : COMPILATION;
}

static int build(struct program *program, const char **arguments, int used)
{
    char folder[] = "/tmp/swathe-standin-XXXXXX", source[64], object[64], log[64];
    if (!mkdtemp(folder))
        return COMPILATION;
    snprintf(source, sizeof source, "%s/source.cu", folder);
    snprintf(object, sizeof object, "%s/object.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    FILE *file = fopen(source, "w");
    if (file) {
        fputs(program->source, file);
        fclose(file);
    }
    arguments[used++] = source;
    arguments[used++] = "-o";
    arguments[used++] = object;
    arguments[used] = NULL;
    int failed = start(arguments, log) != 0 || take_object(program, object) != 0;
    if (failed)
        program->log[read_all(log, program->log, sizeof program->log - 1)] = '\0';
    unlink(source);
    unlink(object);
    unlink(log);
    rmdir(folder);
    return failed ? COMPILATION : 0;
}

static uint64_t key_of(const struct program *program, const char *const *arguments, int used)
{
    uint64_t key = hash_bytes(HASH_START, program->source, strlen(program->source) + 1);
    for (int i = 0; i < used; i++)
        key = hash_bytes(key, arguments[i], strlen(arguments[i]) + 1);
    return key;
}

static int recall(struct program *program, uint64_t key)
{
    pthread_mutex_lock(&mutex);
    struct result *at = results;
    while (at && at->key != key)
        at = at->next;
    pthread_mutex_unlock(&mutex);
    program->code = at ? malloc(at->size) : NULL;
    if (program->code)
        memcpy(program->code, at->code, program->size = at->size);
    return program->code != NULL;
}

static void remember(const struct program *program, uint64_t key)
{
    struct result *result = malloc(sizeof *result + program->size);
    if (!result)
        return;
    result->key = key;
    result->size = program->size;
    memcpy(result->code, program->code, program->size);
    pthread_mutex_lock(&mutex);
    result->next = results;
    results = result;
    pthread_mutex_unlock(&mutex);
}

int NAMED(nvrtcCompileProgram, hiprtcCompileProgram)(void *handle, int count,
                                                     const char *const *options)
{
    struct program *program = handle;
    const char *arguments[ARGUMENTS_MAX] = {
        STANDIN_COMPILER,    "-std=c++17", "-x",           "c++", "-O1", "-shared", "-fPIC", "-w",
        "-ffp-contract=off", "-include",   STANDIN_PRELUDE};
    int used = 0;
    while (arguments[used])
        used++;
    int error = take_options(program, count, options, arguments, &used);
    if (error)
        return error;
    uint64_t key = key_of(program, arguments, used);
    if (recall(program, key))
        return 0;
    error = build(program, arguments, used);
    if (!error)
        remember(program, key);
    return error;
}

int NAMED(nvrtcGetProgramLogSize, hiprtcGetProgramLogSize)(void *program, size_t *size)
{
    *size = strlen(((struct program *)program)->log) + 1;
    return 0;
}

int NAMED(nvrtcGetProgramLog, hiprtcGetProgramLog)(void *program, char *log)
{
    memcpy(log, ((struct program *)program)->log, strlen(((struct program *)program)->log) + 1);
    return 0;
}

static int size_of(const struct program *program, int text, size_t *size)
{
    *size = program->is_text == text ? program->size : 0;
    return 0;
}

static int take(const struct program *program, int text, char *to)
{
    if (program->is_text != text)
        return INVALID_INPUT;
    memcpy(to, program->code, program->size);
    return 0;
}

int NAMED(nvrtcGetCUBINSize, hiprtcGetCodeSize)(void *program, size_t *size)
{
    return size_of(program, 0, size);
}

int NAMED(nvrtcGetCUBIN, hiprtcGetCode)(void *program, char *to)
{
    return take(program, 0, to);
}

#if !STANDIN_HIP
int nvrtcGetPTXSize(void *program, size_t *size)
{
    return size_of(program, 1, size);
}

int nvrtcGetPTX(void *program, char *to)
{
    return take(program, 1, to);
}
#endif
