/* Files of the operating system: descriptors, and what stdio lacks on some systems. Programs
 * include this header, too. */
#ifndef SWATHE_BASE_OS_FILE_H
#define SWATHE_BASE_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Open files of the operating system. Functions that can fail return -1 and set errno, as in POSIX;
 * reads and writes may be interrupted (EINTR). */

enum { STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR }; /* descriptors */

/* A pipe that can be written accepts this number of bytes without blocking. */
#if defined(__linux__)
enum { OS_PIPE_PIECE = 4096 };
#else
enum { OS_PIPE_PIECE = 512 };
#endif

/* ---- Opening -------------------------------------------------------------------------------- */

/* Opening to read does not wait for the writer of a named pipe. Opening to write fails with ENXIO
 * if it has no reader, and writes do not block. */
int os_open_read(const char *path);
int os_open_write(const char *path);
/* A file to read and append to, created if it is missing. A symbolic link fails with ELOOP. */
int os_open_append(const char *path);
/* Opens the pipe at standard output again, so that writes do not block; -1: not possible. */
int os_reopen_output(void);
/* Creates a file with a new name, in place of the XXXXXX at the end of `path`. */
int os_create_unique(char *path);
/* A file that disappears when it is closed, even by a crash. */
int os_open_temporary(const char *directory);
int os_close(int fd);
bool os_is_open(int fd);
bool os_is_terminal(int fd);
/* Standard input or output: bytes must not be translated. */
void os_set_binary(int fd);

/* ---- Bytes ---------------------------------------------------------------------------------- */

int64_t os_read(int fd, void *bytes, size_t size);
int64_t os_write(int fd, const void *bytes, size_t size);
/* The position of the descriptor is undefined afterwards. */
int64_t os_read_at(int fd, void *bytes, size_t size, int64_t offset);
int64_t os_write_at(int fd, const void *bytes, size_t size, int64_t offset);
/* Writes both in one call: a killed process leaves both or neither. */
int64_t os_write_both(int fd, const void *first, size_t first_size, const void *second,
                      size_t second_size);
int64_t os_tell(int fd);
/* Sets the position of the descriptor. */
int64_t os_seek(int fd, int64_t offset);
int os_truncate(int fd, int64_t size);

/* Waits until a read or write does not block: 1. After `ms` milliseconds, unless negative: 0. */
enum os_wait { OS_WAIT_READ, OS_WAIT_WRITE };
int os_wait(int fd, enum os_wait what, int ms);
void os_pause(int ms);

/* ---- The disk ------------------------------------------------------------------------------- */

/* True for the errors of a full disk or quota. */
bool os_is_full(int error);
int os_sync(int fd);
/* Without properties that reading does not need. */
int os_sync_contents(int fd);
/* Systems that can sync all files of a file system at once. Others have to sync each file. */
bool os_syncs_volumes(void);
int os_sync_volume(int directory_fd);
void os_sync_all(void);
int os_open_directory(const char *path);
/* Locks the file for this process; EWOULDBLOCK: another process has locked it. */
int os_lock(int fd);
/* Sets the file's time of modification to the current one. */
int os_touch(int fd);

/* ---- stdio ---------------------------------------------------------------------------------- */

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
