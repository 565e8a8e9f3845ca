#include "gpu/drivers/device.h"

#include "base/hash.h"

#include <pthread.h>
#include <string.h>

/* Limit in bytes for the programs of a device kept in memory; the oldest are dropped first. */
enum { KEPT_MAX = 64 << 20 };

struct kept {
    struct kept *next; /* the next older one */
    struct program_key key;
    struct gpu_binary binary;
};

struct gpu_programs {
    const struct memory *memory;
    pthread_mutex_t mutex;
    struct kept *newest;
    int64_t bytes;
};

swathe_status gpu_programs_create(const struct memory *memory, struct gpu_programs **programs)
{
    struct gpu_programs *got;
    TRY(memory_new(memory, 1, sizeof *got, "a device", &got));
    got->memory = memory;
    pthread_mutex_init(&got->mutex, NULL);
    *programs = got;
    return SWATHE_OK;
}

/* Frees `*from` and all older ones. */
static void program_drop(struct gpu_programs *programs, struct kept **from)
{
    for (struct kept *at = *from, *next; at; at = next) {
        next = at->next;
        programs->bytes -= at->binary.size;
        memory_free(programs->memory, at->binary.data);
        memory_free(programs->memory, at);
    }
    *from = NULL;
}

void gpu_programs_destroy(struct gpu_programs *programs)
{
    if (!programs)
        return;
    program_drop(programs, &programs->newest);
    pthread_mutex_destroy(&programs->mutex);
    memory_free(programs->memory, programs);
}

/* Hashes a text with its terminator, so that "a","bc" differs from "ab","c". */
static void program_add(struct program_key *key, const char *text)
{
    for (int k = 0; k < 2; k++)
        key->sums[k] = hash_bytes(key->sums[k], text, strlen(text) + 1);
}

static struct program_key make_key(const struct gpu_device *device, const char *source,
                                   const char *const *options, int32_t count)
{
    struct program_key key = {{HASH_START, ~HASH_START}};
    program_add(&key, SWATHE_VERSION);
    program_add(&key, device->info.back_end);
    program_add(&key, device->info.name);
    program_add(&key, device->info.driver);
    program_add(&key, device->info.target);
    program_add(&key, source);
    for (int32_t i = 0; i < count; i++)
        program_add(&key, options[i]);
    return key;
}

static swathe_status program_copy(const struct memory *memory, const struct gpu_binary *from,
                                  struct gpu_binary *to)
{
    void *data;
    TRY(memory_new_raw(memory, from->size, 1, "a program", &data));
    memcpy(data, from->data, (size_t)from->size);
    *to = (struct gpu_binary){data, from->size};
    return SWATHE_OK;
}

/* Copies a kept binary, because another thread may drop it at any time. */
static bool copy_kept(struct gpu_programs *programs, const struct program_key *key,
                      struct gpu_binary *binary)
{
    bool found = false;
    pthread_mutex_lock(&programs->mutex);
    for (struct kept *at = programs->newest; at && !found; at = at->next)
        if (memcmp(&at->key, key, sizeof *key) == 0)
            found = program_copy(programs->memory, &at->binary, binary) == SWATHE_OK;
    pthread_mutex_unlock(&programs->mutex);
    return found;
}

static void program_trim(struct gpu_programs *programs)
{
    int64_t bytes = 0;
    for (struct kept **at = &programs->newest; *at; at = &(*at)->next) {
        bytes += (*at)->binary.size;
        if (bytes > KEPT_MAX) {
            program_drop(programs, at);
            return;
        }
    }
}

/* Takes ownership of the binary and frees it if it cannot be kept. */
static void program_keep(struct gpu_programs *programs, const struct program_key *key,
                         struct gpu_binary *binary)
{
    struct kept *kept;
    if (memory_new(programs->memory, 1, sizeof *kept, "a program", &kept) != SWATHE_OK) {
        memory_free(programs->memory, binary->data);
        return;
    }
    *kept = (struct kept){.key = *key, .binary = *binary};
    pthread_mutex_lock(&programs->mutex);
    kept->next = programs->newest;
    programs->newest = kept;
    programs->bytes += binary->size;
    program_trim(programs);
    pthread_mutex_unlock(&programs->mutex);
}

struct wanted {
    const char *kernel;
    const void *constant;
    int64_t constant_bytes;
};

static swathe_status program_load(const struct gpu_device *device, const struct wanted *wanted,
                                  const struct gpu_binary *binary, void **program)
{
    return device->calls->load(device->handle, binary, wanted->kernel, wanted->constant,
                               wanted->constant_bytes, program);
}

/* Loads a program from memory or disk; false if there is none that the driver accepts. */
static bool load_known(const struct gpu_device *device, const struct program_key *key,
                       const struct wanted *wanted, void **program)
{
    struct gpu_binary binary;
    bool kept = copy_kept(device->programs, key, &binary);
    if (!kept && !program_file_read(device->memory, device->program_directory, key, &binary))
        return false;
    bool taken = program_load(device, wanted, &binary, program) == SWATHE_OK;
    if (taken && !kept)
        program_keep(device->programs, key, &binary);
    else
        memory_free(device->memory, binary.data);
    return taken;
}

swathe_status gpu_program_make(struct gpu_device *device, const char *source,
                               const char *const *options, int32_t count, const char *kernel,
                               const void *constant, int64_t constant_bytes, void **program)
{
    struct wanted wanted = {kernel, constant, constant_bytes};
    struct program_key key = make_key(device, source, options, count);
    struct gpu_binary binary;
    if (load_known(device, &key, &wanted, program))
        return SWATHE_OK;
    TRY(device->calls->compile(device->handle, source, options, count, &binary));
    swathe_status status = program_load(device, &wanted, &binary, program);
    if (status != SWATHE_OK) {
        memory_free(device->memory, binary.data);
        return status;
    }
    program_file_write(device->memory, device->program_directory, &key, &binary);
    program_keep(device->programs, &key, &binary);
    return SWATHE_OK;
}
