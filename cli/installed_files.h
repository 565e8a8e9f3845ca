/* Files that are installed beside this program. */
#ifndef SWATHE_CLI_INSTALLED_FILES_H
#define SWATHE_CLI_INSTALLED_FILES_H

#include "../src/base/os_path.h"

#include <stdbool.h>

enum { INSTALLED_PATH = 2 * OS_PATH };

/* Writes the path of a place: absolute, or relative to the directory of this program. False if that
 * is not known: a path relative to the current directory would name whatever is there. */
bool installed_path(const char *place, char path[INSTALLED_PATH]);

#endif
