/* What a worker knows of its machine, and what it writes: limits of cgroups, and lines of JSON. */
#define _GNU_SOURCE /* mkdtemp, pipe */
#include "../../src/base/os_machine.h"
#include "fleet_check.h"
#include "worker/log.h"

#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/swathe-cgroup-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    CHECK(mkdir(path, 0700) == 0);
}

static void check_cgroup(void)
{
    CHECK(mkdtemp(root));
    make("a");
    make("a/b");
    struct os_cgroup found = os_cgroup_at(root, "/a/b");
    CHECK(found.cpus == INT32_MAX && found.memory == INT64_MAX);
    put("a/b/cpu.max", "max 100000\n");
    put("a/b/memory.max", "max\n");
    found = os_cgroup_at(root, "/a/b");
    CHECK(found.cpus == INT32_MAX && found.memory == INT64_MAX);
    put("a/b/cpu.max", "400000 100000\n");
    put("a/cpu.max", "150000 100000\n"); /* the group around it has less */
    put("a/b/memory.max", "1073741824\n");
    put("memory.max", "2147483648\n");
    found = os_cgroup_at(root, "/a/b");
    CHECK(found.cpus == 2 && found.memory == 1073741824);
    found = os_cgroup_at(root, "");
    CHECK(found.cpus == INT32_MAX && found.memory == 2147483648);
    put("cpu.max", "-5 0 x");
    put("memory.max", "none");
    found = os_cgroup_at(root, "");
    CHECK(found.cpus == INT32_MAX && found.memory == INT64_MAX);
    static const char *const names[] = {
        "a/b/cpu.max", "a/b/memory.max", "a/cpu.max", "cpu.max", "memory.max", "a/b", "a", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        remove(path);
    }
}

/* One line of the log, as JSON. */
static json_t *logged(const char *key, const char *text)
{
    const struct worker_log log = {.json = true, .set = "s", .worker = "w"};
    struct worker_event event = LOG_EVENT(LOG_INFO, "test");
    static char line[8192];
    int ends[2], old = dup(STDERR_FILENO);
    event.key = key;
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    worker_log(&log, event, "%s", text);
    CHECK(dup2(old, STDERR_FILENO) >= 0);
    close(old);
    close(ends[1]);
    ssize_t size = read(ends[0], line, sizeof line);
    close(ends[0]);
    CHECK(size > 0 && line[size - 1] == '\n');
    return json_loadb(line, (size_t)size, 0, NULL);
}

/* Long texts are cut between characters, at every length. */
static void check_log(void)
{
    char text[2000], key[1025];
    for (int shift = 0; shift < 4; shift++) {
        memset(text, 'x', sizeof text);
        for (size_t i = (size_t)shift; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xF0\x9F\x98\x80", 4);
        text[sizeof text - 1] = '\0';
        memset(key, '"', 1024); /* two bytes each */
        key[1024] = '\0';
        json_t *line = logged(key, text);
        CHECK(line);
        json_decref(line);
    }
    json_t *line = logged("caf\xE9/\xC0\xAF\xED\xA0\x80\xF8x", "\xFFy");
    CHECK(line && strcmp(json_string_value(json_object_get(line, "text")), "?y") == 0);
    CHECK(strncmp(json_string_value(json_object_get(line, "key")), "caf?/", 5) == 0);
    json_decref(line);
}

int main(void)
{
    check_cgroup();
    check_log();
    printf("limits and lines are right\n");
    return 0;
}
