#define _GNU_SOURCE /* readlink, nanosleep */
#include "output_folder.h"

#include "terminal/interrupt.h"
#include "terminal/message.h"
#include "write_json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { NO_PLOTTER = 3 }; /* exit code of report/__main__.py after a message: no matplotlib */

int output_folder_open(const struct output_folder *folder)
{
    char path[PATH_MAX];
    struct stat found;
    if (!folder->path)
        return 0;
    if (mkdir(folder->path, 0777) != 0 && errno != EEXIST)
        return complain_system(errno, "%s", folder->path);
    if (stat(folder->path, &found) == 0 && !S_ISDIR(found.st_mode))
        return complain(SWATHE_ERROR_IO, "%s is not a directory", folder->path);
    snprintf(path, sizeof path, "%s/bench.json", folder->path);
    if (access(path, F_OK) == 0 && !folder->overwrite)
        return complain(SWATHE_ERROR_ARGUMENT, "%s exists; --overwrite replaces it", path);
    if (access(folder->path, W_OK) != 0)
        return complain_system(errno, "%s", folder->path);
    if (folder->peers && access(folder->peers, R_OK) != 0)
        return complain_system(errno, "%s", folder->peers);
    return 0;
}

double output_folder_seconds(const struct output_folder *folder, const struct agenda *agenda)
{
    double plots = 2; /* of the whole run */
    for (int i = 0; i < agenda->experiment_count; i++)
        for (const char *at = agenda->experiments[i].plots; at; at = strchr(at + 1, ' '))
            plots++;
    return folder->path && folder->plots ? 1.1 * plots + 2 : 1;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Writes a hidden file and renames it, so that bench.json is complete or absent. */
static int write_results(const struct output_folder *folder, const struct bench_run *run)
{
    char path[PATH_MAX], hidden[PATH_MAX];
    snprintf(path, sizeof path, "%s/bench.json", folder->path);
    snprintf(hidden, sizeof hidden, "%s/.bench.json.%ld", folder->path, (long)getpid());
    FILE *to = fopen(hidden, "wx");
    if (to)
        write_json(run, folder->command, to);
    bool good = to && !ferror(to);
    int error = errno;
    if (to && fclose(to) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good && rename(hidden, path) == 0)
        return 0;
    error = good ? errno : error;
    unlink(hidden);
    return complain_system(error, "%s", path);
}

/* Removes files of an earlier run. */
static void remove_old(const struct output_folder *folder)
{
    static const char *const names[] = {"bench.csv", "bench.md", "report.html", "peers.jsonl"};
    char path[PATH_MAX];
    for (int i = 0; i < (folder->peers ? 3 : 4); i++) /* peers.jsonl may be the new file */
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
    char report[PATH_MAX] = "";
    posix_spawn_file_actions_t quietly;
    if (!find_report(report))
        return complain(SWATHE_OK, "wrote only bench.json, because %s is missing", report);
    const char *words[9] = {"python3", "-B", report};
    int count = 3;
    if (!folder->plots)
        words[count++] = "--tables";
    if (folder->peers) {
        words[count++] = "--peers";
        words[count++] = folder->peers;
    }
    words[count++] = "--";
    words[count] = folder->path;
    pid_t child;
    int status = -1, before = interrupt_caught();
    posix_spawn_file_actions_init(&quietly);
    posix_spawn_file_actions_addopen(&quietly, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&child, words[0], &quietly, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&quietly);
    if (error == 0)
        status = wait_for(child, before);
    if (interrupt_caught() != before)
        return EXIT_SIGNAL + interrupt_caught();
    if (error != 0)
        return complain(SWATHE_OK,
                        "wrote only bench.json, because python3 is needed for tables and plots: %s",
                        strerror(error));
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_PLOTTER))
        return 0;
    return complain(SWATHE_ERROR_INTERNAL,
                    "writing tables and plots failed; bench.json is complete");
}

int output_folder_write(const struct output_folder *folder, const struct bench_run *run)
{
    if (!folder->path)
        return 0;
    int code = write_results(folder, run);
    remove_old(folder);
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
