#include "base/os_stdio.h"

#include <unistd.h>

FILE *os_fopen(const char *path, const char *mode)
{
    return fopen(path, mode);
}

FILE *os_open_copy(int fd)
{
    int copy = dup(fd);
    FILE *from = copy < 0 ? NULL : fdopen(copy, "rb");
    if (from)
        rewind(from); /* both share a position */
    else if (copy >= 0)
        close(copy);
    return from;
}

int64_t os_read_line(char **line, size_t *room, FILE *from)
{
    return getline(line, room, from);
}

void os_memory_open(struct os_memory_file *file)
{
    *file = (struct os_memory_file){0};
    file->to = open_memstream(&file->text, &file->size);
}

bool os_memory_close(struct os_memory_file *file)
{
    bool lost = ferror(file->to) != 0;
    return fclose(file->to) == 0 && !lost && file->text;
}
