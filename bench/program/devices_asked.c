#include "devices_asked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `swathe devices` prints; to be freed, NULL where it cannot be had. */
static char *listing(const struct bench_run *run)
{
    size_t needed;
    if (swathe_devices_text(run->context, SWATHE_TEXT_PEOPLE, NULL, 0, &needed) != SWATHE_OK)
        return NULL;
    char *text = malloc(needed);
    if (text &&
        swathe_devices_text(run->context, SWATHE_TEXT_PEOPLE, text, needed, NULL) != SWATHE_OK) {
        free(text);
        return NULL;
    }
    return text;
}

static const char mark[] = " (not a GPU)";

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

/* Is this the line of a device: "opencl:0    name (not a GPU)"? "opencl" is the first of that kind,
 * "gpu" of any. */
static bool is_line(const char *line, const char *id)
{
    size_t word = strcspn(line, " \n"), kind = strcspn(line, ": \n");
    bool device = memchr(line, ':', word) != NULL;
    if (strcmp(id, "gpu") == 0)
        return device;
    return (strlen(id) == word && strncmp(line, id, word) == 0) ||
           (device && strlen(id) == kind && strncmp(line, id, kind) == 0);
}

static void read_lines(const char *line, struct device_asked *device)
{
    const char *next = next_line(line), *driver = next + strspn(next, " ");
    line += strcspn(line, " \n");
    line += strspn(line, " ");
    snprintf(device->name, sizeof device->name, "%.*s", (int)strcspn(line, "\n"), line);
    char *at = strstr(device->name, mark);
    device->software = at != NULL;
    if (at)
        *at = '\0';
    if (strncmp(driver, "driver ", 7) == 0)
        snprintf(device->driver, sizeof device->driver, "%.*s", (int)strcspn(driver + 7, "\n"),
                 driver + 7);
}

/* A real GPU goes before what only looks like one, as where the library chooses. */
static void describe(const struct bench_run *run, struct device_asked *device)
{
    char *text = listing(run);
    const char *found = NULL;
    for (const char *line = text; line && *line; line = next_line(line)) {
        const char *not_gpu = strstr(line, mark);
        bool software = not_gpu && not_gpu < line + strcspn(line, "\n");
        if (is_line(line, device->id) && (!found || (device->software && !software))) {
            found = line;
            device->software = software;
        }
    }
    if (found)
        read_lines(found, device);
    free(text);
}

/* Is this the first result of its device? */
static bool is_new(const struct bench_run *run, int64_t result)
{
    for (int64_t i = 0; i < result; i++)
        if (strcmp(run->agenda.results[i].contender.device,
                   run->agenda.results[result].contender.device) == 0)
            return false;
    return true;
}

bool devices_asked(const struct bench_run *run, int index, struct device_asked *device)
{
    for (int64_t i = 0; i < run->agenda.count; i++) {
        if (!is_new(run, i) || index-- > 0)
            continue;
        *device = (struct device_asked){0};
        snprintf(device->id, sizeof device->id, "%s", run->agenda.results[i].contender.device);
        if (strcmp(device->id, "cpu") == 0)
            snprintf(device->name, sizeof device->name, "%s", run->machine.cpu);
        else
            describe(run, device);
        return true;
    }
    return false;
}
