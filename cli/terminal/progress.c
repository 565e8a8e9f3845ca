#include "terminal/progress.h"

#include "../../src/base/os_clock.h"
#include "../../src/base/os_console.h"
#include "../../src/base/os_file.h"
#include "commands/options.h"
#include "commands/value.h"
#include "terminal/json.h"
#include "terminal/message.h"
#include "terminal/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_WIDTH = 40, LINE_SIZE = 4096 };

static const double delay = 0.5, interval = 0.1;

static int terminal_width(void)
{
    int width = os_terminal_width();
    return width > 0 ? width : LINE_WIDTH;
}

double progress_seconds(const struct progress *progress)
{
    return clock_now() - progress->start;
}

/* --quiet does not suppress JSON, which a program requested. */
static enum progress_mode choose_mode(const struct options *options, int *fd)
{
    const char *asked = options ? options_text(options, OPTION_PROGRESS) : NULL;
    if (options && options_has(options, OPTION_NO_PROGRESS))
        return PROGRESS_OFF;
    if (asked && *asked && value_progress(asked, fd))
        return PROGRESS_JSON;
    if (options && options_has(options, OPTION_QUIET))
        return PROGRESS_OFF;
    if (os_is_terminal(STANDARD_ERROR))
        return PROGRESS_BAR;
    return asked ? PROGRESS_LINES : PROGRESS_OFF;
}

void progress_start(struct progress *progress, const char *label, enum progress_unit unit,
                    const struct options *options)
{
    *progress = (struct progress){.unit = unit, .label = label, .start = clock_now()};
    progress->mode = choose_mode(options, &progress->fd);
    bool asked = options && options_has(options, OPTION_PROGRESS);
    progress->next = progress->start + (asked ? 0 : delay);
}

/* Formats "1:05 left"; empty until there is enough progress for an estimate. */
static void time_left(const struct progress *progress, double share, char *text, size_t size)
{
    double spent = clock_now() - progress->start;
    text[0] = '\0';
    if (share < 0.01 || spent < delay)
        return;
    int64_t seconds = (int64_t)(spent * (1 - share) / share + 0.5);
    snprintf(text, size, "  %d:%02d left", (int)(seconds / 60), (int)(seconds % 60));
}

double progress_rate(int64_t count, double seconds)
{
    double rate = seconds > 0 ? (double)count / seconds : 0;
    return rate < 10 ? (double)(int64_t)(rate * 100) / 100 : (double)(int64_t)rate;
}

/* Formats "1234 of 20000   6 %  1025/s  0:18 left  3 failed", truncated to the line. */
static void compose_images(const struct progress *progress, double share, char *line, size_t size)
{
    char left[32], failed[32] = "";
    double spent = progress_seconds(progress);
    time_left(progress, share, left, sizeof left);
    if (progress->failed > 0)
        snprintf(failed, sizeof failed, "  %" PRId64 " failed", progress->failed);
    int room = terminal_width();
    snprintf(line, (size_t)room < size ? (size_t)room : size,
             "%" PRId64 " of %" PRId64 "  %d %%  %.12g/s%s%s", progress->done, progress->total,
             (int)(share * 100), progress_rate(progress->done, spent), left, failed);
}

/* Formats "1234 of 20000 frames  6 %  57/s  5:29 left", or "1234 frames  57/s" of a pipe, truncated
 * to the line. */
static void compose_frames(const struct progress *progress, double share, char *line, size_t size)
{
    char left[32] = "", total[64] = "", percent[16] = "";
    double spent = progress_seconds(progress);
    if (progress->total > 0) {
        time_left(progress, share, left, sizeof left);
        snprintf(total, sizeof total, " of %" PRId64, progress->total);
        snprintf(percent, sizeof percent, "  %d %%", (int)(share * 100));
    }
    int room = terminal_width();
    snprintf(line, (size_t)room < size ? (size_t)room : size, "%" PRId64 "%s frame%s%s  %.12g/s%s",
             progress->done, total, progress->done == 1 && progress->total <= 1 ? "" : "s", percent,
             progress_rate(progress->done, spent), left);
}

/* Formats "photo.png [=====     ]  50 %  0:07 left", without parts that do not fit the line. */
static void terminal_progress_compose(const struct progress *progress, double share, char *line,
                                      size_t size)
{
    char left[32], bar[BAR_WIDTH];
    int percent = (int)(share * 100), label = text_columns(progress->label);
    int room = terminal_width() - 1 - (int)strlen(" [] 100 %  999:59 left");
    bool named = room - label >= 10;
    room -= named ? label : 0;
    if (room < 10) {
        snprintf(line, size, "%3d %%", percent);
        return;
    }
    room = room < BAR_WIDTH ? room : BAR_WIDTH;
    memset(bar, ' ', sizeof bar);
    memset(bar, '=', (size_t)(share * room));
    time_left(progress, share, left, sizeof left);
    snprintf(line, size, "%s%s[%.*s] %3d %%%s", named ? progress->label : "", named ? " " : "",
             room, bar, percent, left);
}

static void compose_json(const struct progress *progress, const char *event, int code, FILE *to)
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

/* Writes one line of JSON; `code` is used only by the event "end". */
static void terminal_progress_write_json(const struct progress *progress, const char *event,
                                         int code)
{
    struct os_memory_file line;
    os_memory_open(&line);
    if (!line.to)
        return;
    compose_json(progress, event, code, line.to);
    if (os_memory_close(&line))
        message_write(progress->fd, line.text, line.size);
    free(line.text);
}

static void terminal_progress_draw(struct progress *progress, double share)
{
    char line[LINE_SIZE];
    if (progress->unit == PROGRESS_IMAGES)
        compose_images(progress, share, line, sizeof line);
    else if (progress->unit == PROGRESS_FRAMES)
        compose_frames(progress, share, line, sizeof line);
    else
        terminal_progress_compose(progress, share, line, sizeof line);
    int columns = text_columns(line);
    fprintf(stderr, "\r%s%*s", line, progress->shown > columns ? progress->shown - columns : 0, "");
    progress->shown = columns;
    fflush(stderr);
}

/* Of a pipe, whose length is unknown: a line each second. */
static void print_frames(struct progress *progress)
{
    if (clock_now() < progress->next)
        return;
    progress->next = clock_now() + 1;
    fprintf(stderr, "swathe: %s: %" PRId64 " frame%s\n", progress->label, progress->done,
            progress->done == 1 ? "" : "s");
}

static void terminal_progress_print_line(struct progress *progress, double share)
{
    int tenth = (int)(share * 10);
    if (progress->unit == PROGRESS_FRAMES && progress->total == 0) {
        print_frames(progress);
        return;
    }
    if (tenth < progress->next_tenth)
        return;
    if (progress->unit == PROGRESS_IMAGES)
        fprintf(stderr, "swathe: %" PRId64 " of %" PRId64 " images: %d %%\n", progress->done,
                progress->total, tenth * 10);
    else
        fprintf(stderr, "swathe: %s: %d %%\n", progress->label, tenth * 10);
    progress->next_tenth = tenth + 1;
}

void progress_show(struct progress *progress, int64_t done, int64_t total)
{
    double share = total > done ? (double)done / (double)total : 1;
    progress->done = done;
    progress->total = total;
    if (progress->mode == PROGRESS_LINES)
        terminal_progress_print_line(progress, share);
    if (progress->mode == PROGRESS_OFF || progress->mode == PROGRESS_LINES ||
        clock_now() < progress->next)
        return;
    progress->next = clock_now() + interval;
    if (progress->mode == PROGRESS_JSON)
        terminal_progress_write_json(progress, "progress", 0);
    else
        terminal_progress_draw(progress, share);
}

void progress_clear(struct progress *progress)
{
    if (progress->shown > 0)
        fprintf(stderr, "\r%*s\r", progress->shown, "");
    progress->shown = 0;
}

void progress_hide(struct progress *progress)
{
    progress_clear(progress);
    if (progress->mode != PROGRESS_JSON)
        progress->mode = PROGRESS_OFF;
}

void progress_end(struct progress *progress, int code)
{
    progress_hide(progress);
    if (progress->mode == PROGRESS_JSON)
        terminal_progress_write_json(progress, "end", code);
}
