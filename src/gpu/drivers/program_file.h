/* Compiled programs on disk, one file each. */
#ifndef SWATHE_GPU_DRIVERS_PROGRAM_FILE_H
#define SWATHE_GPU_DRIVERS_PROGRAM_FILE_H

#include "gpu/drivers/device.h"

/* The key of a program: two hashes of everything that it depends on. */
struct program_key {
    uint64_t sums[2];
};

/* False if there is no complete file. `directory` is a path, "off", or NULL: $SWATHE_GPU_CACHE if
 * set, otherwise the user's cache. */
bool program_file_read(const struct memory *memory, const char *directory,
                       const struct program_key *key, struct gpu_binary *binary);
/* Errors are ignored: the program is then compiled again next time. */
void program_file_write(const struct memory *memory, const char *directory,
                        const struct program_key *key, const struct gpu_binary *binary);

#endif
