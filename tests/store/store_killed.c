/* A writer that is killed leaves no file: store_killed DIRECTORY */
#define _GNU_SOURCE /* O_TMPFILE */
#include "store_check.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HALF = 3 << 19 };

/* Ends by SIGKILL in the middle of two files: a new one, and one that exists. */
static void write_and_die(struct check *check)
{
    swathe_writer fresh, old;
    unsigned char *bytes = check_bytes(HALF, 1);
    if (store_writer_new(check->store, check_url(check, "deep/fresh"), &fresh) == SWATHE_OK &&
        store_writer(check->store, check_url(check, "old"), &old) == SWATHE_OK &&
        fresh.write(fresh.user, bytes, HALF) == SWATHE_OK &&
        old.write(old.user, bytes, HALF) == SWATHE_OK)
        raise(SIGKILL);
    _exit(1);
}

static int is_other_file(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)found;
    if (kind != FTW_F || strcmp(path + place->base, "old") == 0)
        return 0;
    printf("FAILED unnamed-files: left behind: %s\n", path);
    return 1;
}

int main(int argc, char **argv)
{
    const struct store_options options = {0};
    struct check check = {.program = argv[0], .prefix = argc > 1 ? argv[1] : ""};
    int status = 0, fd = open(check.prefix, O_TMPFILE | O_RDWR, 0600);
    if (fd < 0 || access("/proc/self/fd", X_OK) != 0) {
        printf("skipped: unnamed-files (%s: %s, or no /proc)\n", check.prefix, strerror(errno));
        return 77;
    }
    close(fd);
    if (store_create(&options, &check.store) != SWATHE_OK)
        return 1;
    CHECK_OK(&check, store_put(check.store, check_url(&check, "old"), "12345", 5, STORE_REPLACE));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        write_and_die(&check);
    CHECK(&check, child > 0 && waitpid(child, &status, 0) == child);
    CHECK(&check, WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK(&check, nftw(check.prefix, is_other_file, 16, FTW_PHYS) == 0);
    check_content(&check, check_url(&check, "old"), "12345", 5);
    store_destroy(check.store);
    printf("%d checks passed, %d failed\n", check.passed, check.failed);
    return check.failed > 0;
}
