/* Preloaded into a batch: directories called "mounted" appear to be mount points, and each syncfs
 * call appends its directory to the file SYNC_LOG. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lstat(const char *restrict path, struct stat *restrict found)
{
    int (*real)(const char *, struct stat *);
    *(void **)&real = dlsym(RTLD_NEXT, "lstat");
    int result = real(path, found);
    const char *slash = strrchr(path, '/');
    if (result == 0 && slash && strcmp(slash, "/mounted") == 0)
        found->st_dev += 1000;
    return result;
}

int syncfs(int fd)
{
    char link[64], folder[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, folder, sizeof folder);
    FILE *log = fopen(getenv("SYNC_LOG"), "a");
    if (log) {
        fprintf(log, "%.*s\n", (int)(length < 0 ? 0 : length), folder);
        fclose(log);
    }
    return 0;
}
