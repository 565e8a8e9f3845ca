#define _GNU_SOURCE /* readlink, nanosleep */
#include "output_folder.h"

#include "interrupt.h"
#include "message.h"
#include "write_json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { NO_PLOTTER = 3 }; /* report/__main__.py has no matplotlib, and has said so */

int output_folder_open(const struct output_folder *folder)
{
    char path[PATH_MAX];
    struct stat found;
    if (!folder->path)
        return 0;
    if (mkdir(folder->path, 0777) != 0 && errno != EEXIST)
        return complain(SWATHE_ERROR_IO, "%s: %s", folder->path, strerror(errno));
    if (stat(folder->path, &found) == 0 && !S_ISDIR(found.st_mode))
        return complain(SWATHE_ERROR_IO, "%s: is not a directory", folder->path);
    snprintf(path, sizeof path, "%s/bench.json", folder->path);
    if (access(path, F_OK) == 0 && !folder->overwrite)
        return complain(SWATHE_ERROR_ARGUMENT, "%s exists; --overwrite replaces it", path);
    if (access(folder->path, W_OK) != 0)
        return complain(SWATHE_ERROR_IO, "%s: %s", folder->path, strerror(errno));
    if (folder->peers && access(folder->peers, R_OK) != 0)
        return complain(SWATHE_ERROR_IO, "%s: %s", folder->peers, strerror(errno));
    return 0;
}

double output_folder_seconds(const struct output_folder *folder, const struct agenda *agenda)
{
    double pictures = 2; /* of the whole run */
    for (int i = 0; i < agenda->experiment_count; i++)
        for (const char *at = agenda->experiments[i].plots; at; at = strchr(at + 1, ' '))
            pictures++;
    return folder->path && folder->plots ? 1.1 * pictures + 2 : 1;
}

/* ---- Files -------------------------------------------------------------------------------------
 */

struct writing {
    const struct output_folder *folder;
    const struct bench_run *run;
};

static bool put_json(const struct writing *w, FILE *to)
{
    write_json(w->run, w->folder->command, to);
    return true;
}

static bool put_peers(const struct writing *w, FILE *to)
{
    char block[4096];
    size_t size;
    FILE *from = fopen(w->folder->peers, "rb");
    while (from && (size = fread(block, 1, sizeof block, from)) > 0)
        fwrite(block, 1, size, to);
    bool good = from && !ferror(from);
    if (from)
        fclose(from);
    return good;
}

static int write_file(const struct writing *w, const char *name,
                      bool (*put)(const struct writing *w, FILE *to))
{
    char path[PATH_MAX], hidden[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", w->folder->path, name);
    snprintf(hidden, sizeof hidden, "%s/.%s.%ld", w->folder->path, name, (long)getpid());
    FILE *to = fopen(hidden, "wx");
    bool good = to && put(w, to) && !ferror(to);
    int error = errno;
    if (to && fclose(to) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good && rename(hidden, path) == 0)
        return 0;
    error = good ? errno : error;
    unlink(hidden);
    return complain(SWATHE_ERROR_IO, "%s: %s", path, strerror(error));
}

/* Removes old files that would look like part of these results. */
static void remove_old(const struct output_folder *folder)
{
    static const char *const names[] = {"peers.jsonl", "bench.csv", "bench.md", "report.html"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (snprintf(path, sizeof path, "%s/%s", folder->path, names[i]) < (int)sizeof path)
            unlink(path);
}

/* ---- Tables and plots ------------------------------------------------------------------------ */

/* The Python code that writes them is next to this program. */
static bool find_report(char path[PATH_MAX])
{
    static const char name[] = "report";
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - sizeof name);
    while (size > 0 && path[size - 1] != '/')
        size--;
    if (size <= 0)
        return false;
    memcpy(path + size, name, sizeof name);
    return access(path, R_OK) == 0;
}

/* Waits for the child and forwards a signal other than `before` to it. Polls, because a signal just
 * before a blocking wait would not end it. -1 if the wait fails. */
static int wait_for(pid_t child, int before)
{
    int status = -1;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (interrupt_caught() != before) {
            before = interrupt_caught();
            kill(child, before);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    }
    return ended < 0 ? -1 : status;
}

static int write_report(const struct output_folder *folder)
{
    char report[PATH_MAX] = "", python[] = "python3", no_cache[] = "-B", tables[] = "--tables";
    char *target = strdup(folder->path);
    posix_spawn_file_actions_t quietly;
    if (!target || !find_report(report)) {
        free(target);
        return complain(SWATHE_OK, "only bench.json is written: %s is missing", report);
    }
    char *words[] = {python, no_cache, report, target, folder->plots ? NULL : tables, NULL};
    pid_t child;
    int status = -1, before = interrupt_caught();
    posix_spawn_file_actions_init(&quietly);
    posix_spawn_file_actions_addopen(&quietly, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&child, python, &quietly, NULL, words, environ);
    posix_spawn_file_actions_destroy(&quietly);
    if (error == 0)
        status = wait_for(child, before);
    free(target);
    if (interrupt_caught() != before)
        return EXIT_SIGNAL + interrupt_caught();
    if (error != 0)
        return complain(SWATHE_OK,
                        "only bench.json is written: python3, which writes tables and "
                        "plots: %s",
                        strerror(error));
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_PLOTTER))
        return 0;
    return complain(SWATHE_ERROR_INTERNAL, "tables and plots failed; bench.json is written");
}

int output_folder_write(const struct output_folder *folder, const struct bench_run *run)
{
    struct writing w = {folder, run};
    if (!folder->path)
        return 0;
    int code = write_file(&w, "bench.json", put_json);
    remove_old(folder);
    if (code == 0 && folder->peers)
        code = write_file(&w, "peers.jsonl", put_peers);
    return code == 0 ? write_report(folder) : code;
}

void output_folder_show(const struct output_folder *folder)
{
    static const char *const names[] = {"report.html", "bench.md", "bench.json"};
    char path[PATH_MAX];
    size_t i = 0;
    do
        snprintf(path, sizeof path, "%s/%s", folder->path, names[i]);
    while (++i < sizeof names / sizeof *names && access(path, R_OK) != 0);
    printf("%s\n", path);
}
