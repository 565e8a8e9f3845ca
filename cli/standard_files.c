#include "standard_files.h"

#include <fcntl.h>
#include <unistd.h>

void standard_files_occupy(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && /* lower ones are open, so this gets the number */
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}
