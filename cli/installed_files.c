#include "installed_files.h"

#include "../src/base/os_console.h"

#include <stdio.h>

bool installed_path(const char *place, char path[INSTALLED_PATH])
{
    char self[OS_PATH] = "";
    if (os_is_absolute(place)) {
        snprintf(path, INSTALLED_PATH, "%s", place);
        return true;
    }
    const char *slash = os_own_path(self, sizeof self) ? os_last_slash(self) : NULL;
    if (slash)
        snprintf(path, INSTALLED_PATH, "%.*s%s", (int)(slash + 1 - self), self, place);
    return slash != NULL;
}
