#include "terminal/progress.h"

#include "../../src/base/os_file.h"
#include "terminal/json.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

static void compose(const struct progress *progress, const char *event, int code, FILE *to)
{
    static const char *const units[] = {"pixels", "images", "frames"}; /* enum progress_unit */
    struct json json = {.to = to};
    double seconds = progress_seconds(progress);
    json_flat(&json, NULL, '{');
    json_text(&json, "event", event);
    if (strcmp(event, "end") == 0)
        json_integer(&json, "status", code);
    json_integer(&json, "done", progress->done);
    json_integer(&json, "total", progress->total);
    json_text(&json, "unit", units[progress->unit]);
    json_number(&json, "seconds", (double)(int64_t)(seconds * 1e3) / 1e3);
    double rate = progress_rate(progress->done, seconds);
    if (rate < 10)
        json_number(&json, "rate", rate);
    else
        json_integer(&json, "rate", (int64_t)rate); /* never with an exponent */
    if (progress->unit == PROGRESS_IMAGES)
        json_integer(&json, "failed", progress->failed);
    if (strcmp(event, "end") == 0 && progress->clamped) {
        json_integer(&json, "examined", progress->clamped->examined);
        json_integer(&json, "below", progress->clamped->below);
        json_integer(&json, "above", progress->clamped->above);
    }
    json_close(&json, '}');
}

void progress_json(const struct progress *progress, const char *event, int code)
{
    struct os_memory_file line;
    os_memory_open(&line);
    if (!line.to)
        return;
    compose(progress, event, code, line.to);
    if (os_memory_close(&line))
        message_write(progress->fd, line.text, line.size);
    free(line.text);
}
