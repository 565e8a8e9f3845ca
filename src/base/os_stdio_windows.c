#include "base/os_stdio.h"

#include "base/os_file.h"
#include "base/os_path.h"
#include "base/os_windows.h"

#include <io.h>
#include <stdlib.h>

FILE *os_fopen(const char *path, const char *mode)
{
    wchar_t wide[OS_PATH], wide_mode[8];
    size_t i = 0;
    for (; mode[i] && i < 7; i++)
        wide_mode[i] = (wchar_t)mode[i];
    wide_mode[i] = L'\0';
    return os_to_wide(path, wide, OS_PATH) ? _wfopen(wide, wide_mode) : NULL;
}

FILE *os_open_copy(int fd)
{
    int copy = _dup(fd);
    FILE *from = copy < 0 ? NULL : _fdopen(copy, "rb");
    if (from)
        rewind(from); /* both share a position */
    else if (copy >= 0)
        _close(copy);
    return from;
}

static bool enlarge(char **line, size_t *room)
{
    size_t size = *room ? 2 * *room : 256;
    char *larger = realloc(*line, size);
    if (!larger)
        return false;
    *line = larger;
    *room = size;
    return true;
}

int64_t os_read_line(char **line, size_t *room, FILE *from)
{
    size_t length = 0;
    int next = 0;
    while (next != '\n' && (next = getc(from)) != EOF) {
        if (length + 2 > *room && !enlarge(line, room))
            return -1;
        (*line)[length++] = (char)next;
    }
    if (length == 0)
        return -1;
    (*line)[length] = '\0';
    return (int64_t)length;
}

void os_memory_open(struct os_memory_file *file)
{
    char directory[OS_PATH];
    *file = (struct os_memory_file){0};
    int fd =
        os_temporary_directory(directory, sizeof directory) ? os_open_temporary(directory) : -1;
    file->to = fd < 0 ? NULL : _fdopen(fd, "w+b");
    if (!file->to && fd >= 0)
        _close(fd);
}

bool os_memory_close(struct os_memory_file *file)
{
    int64_t size = fflush(file->to) == 0 ? ftello64(file->to) : -1;
    file->text = size < 0 ? NULL : malloc((size_t)size + 1);
    if (file->text) {
        rewind(file->to);
        file->size = fread(file->text, 1, (size_t)size, file->to);
        file->text[file->size] = '\0';
    }
    fclose(file->to);
    return file->text && file->size == (size_t)size;
}
