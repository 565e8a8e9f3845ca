#include "terminal/standard_files.h"

#include "../../src/base/os_console.h"
#include "../../src/base/os_file.h"

void standard_files_occupy(void)
{
    for (int fd = STANDARD_INPUT; fd <= STANDARD_ERROR; fd++)
        if (!os_is_open(fd) && !os_occupy_descriptor(fd)) /* lower ones are open, so it gets `fd` */
            return;
}
