/* Progress: a bar on a terminal, lines of text if requested without a terminal, or JSON. */
#ifndef SWATHE_CLI_TERMINAL_PROGRESS_H
#define SWATHE_CLI_TERMINAL_PROGRESS_H

#include "swathe/swathe.h"

#include <stdbool.h>
#include <stdint.h>

struct options;

enum progress_mode { PROGRESS_OFF, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_JSON };
enum progress_unit { PROGRESS_PIXELS, PROGRESS_IMAGES, PROGRESS_FRAMES };

struct progress {
    enum progress_mode mode;
    enum progress_unit unit;
    const char *label;
    int fd;                        /* PROGRESS_JSON: descriptor to write to */
    double start;                  /* seconds */
    double next;                   /* time of the next update */
    int shown;                     /* columns of the bar on the screen */
    int next_tenth;                /* PROGRESS_LINES: the next 10 % step to print */
    int64_t done, total;           /* values shown last; a total of 0 frames: unknown */
    int64_t failed;                /* of PROGRESS_IMAGES; set by the caller */
    const swathe_clamped *clamped; /* set by the caller; NULL: unknown */
};

/* Follows --progress, --no-progress and --quiet. Without them, shows a bar on a terminal. */
void progress_start(struct progress *progress, const char *label, enum progress_unit unit,
                    const struct options *options);
void progress_show(struct progress *progress, int64_t done, int64_t total);
/* Removes the bar from the screen until the next update. */
void progress_clear(struct progress *progress);
/* Removes it permanently. */
void progress_hide(struct progress *progress);
/* Reports the exit code to programs. */
void progress_end(struct progress *progress, int code);

double progress_seconds(const struct progress *progress);
/* How many per second: whole numbers from 10 on, below that two digits after the point. */
double progress_rate(int64_t count, double seconds);

#endif
