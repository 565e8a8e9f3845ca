/* What stdio lacks on some systems. Programs include this header, too. */
#ifndef SWATHE_BASE_OS_STDIO_H
#define SWATHE_BASE_OS_STDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Lines of text files end in \r\n. */
#if defined(_WIN32)
enum { OS_LINES_END_IN_RETURN = 1 };
#else
enum { OS_LINES_END_IN_RETURN = 0 };
#endif

/* Like fopen; the path is UTF-8 on Windows. */
FILE *os_fopen(const char *path, const char *mode);
/* Reads an open file from its start; NULL: errno is set. The descriptor stays open. */
FILE *os_open_copy(int fd);
/* Like getline: the length of the line with its end, or -1. The caller frees the line. */
int64_t os_read_line(char **line, size_t *room, FILE *from);

/* A file in memory, or a temporary one. */
struct os_memory_file {
    FILE *to; /* NULL: it could not be created */
    char *text;
    size_t size;
};
void os_memory_open(struct os_memory_file *file);
/* True: `text` has `size` bytes. The caller frees it in any case. */
bool os_memory_close(struct os_memory_file *file);

#endif
