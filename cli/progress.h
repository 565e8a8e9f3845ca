/* A bar on the terminal, lines where progress was asked for without one, or JSON for programs. */
#ifndef SWATHE_CLI_PROGRESS_H
#define SWATHE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct options;

enum progress_mode { PROGRESS_OFF, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_JSON };
enum progress_unit { PROGRESS_PIXELS, PROGRESS_IMAGES };

struct progress {
    enum progress_mode mode;
    enum progress_unit unit;
    const char *label;
    int fd;              /* PROGRESS_JSON: where to */
    double start;        /* seconds */
    double next;         /* when to show again */
    int shown;           /* columns of the bar on the screen */
    int next_tenth;      /* PROGRESS_LINES: the next 10 % step to print */
    int64_t done, total; /* as shown last */
    int64_t failed;      /* of PROGRESS_IMAGES; set by the caller */
};

/* By --progress, --no-progress and --quiet; without options a bar where there is a terminal. */
void progress_start(struct progress *progress, const char *label, enum progress_unit unit,
                    const struct options *options);
void progress_show(struct progress *progress, int64_t done, int64_t total);
/* Takes the bar off the screen until it is shown again. */
void progress_clear(struct progress *progress);
/* For good: nothing is drawn any more. */
void progress_hide(struct progress *progress);
/* Tells programs how it ended. */
void progress_end(struct progress *progress, int code);

double progress_seconds(const struct progress *progress);
/* One line of JSON; `code` belongs to the event "end". */
void progress_json(const struct progress *progress, const char *event, int code);

#endif
