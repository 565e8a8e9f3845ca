/* The file that `swathe devices --check` writes after a device has passed. */
#ifndef TESTS_GPU_DEVICE_FILE_H
#define TESTS_GPU_DEVICE_FILE_H

#include <stdbool.h>

/* Writes it into a cache directory, for the first device of a back end, which costs no time, so
 * that `auto` uses it. False if there is no device. */
bool device_file_write(const char *folder, const char *back_end);

#endif
