/* Compiled programs on disk, one file each. */
#ifndef SWATHE_GPU_PROGRAM_FILE_H
#define SWATHE_GPU_PROGRAM_FILE_H

#include "gpu/device.h"

/* What names a program: two sums of everything that it is made from. */
struct program_key {
    uint64_t sums[2];
};

/* False where there is none that is whole. `folder` is a path, "off", or NULL: $SWATHE_GPU_CACHE,
 * else the user's cache. */
bool program_file_read(const struct memory *memory, const char *folder,
                       const struct program_key *key, struct gpu_binary *binary);
/* As far as it can. */
void program_file_write(const struct memory *memory, const char *folder,
                        const struct program_key *key, const struct gpu_binary *binary);

#endif
