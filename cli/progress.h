/* A bar on the terminal, or lines where progress was asked for without one. */
#ifndef SWATHE_CLI_PROGRESS_H
#define SWATHE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_mode { PROGRESS_OFF, PROGRESS_BAR, PROGRESS_LINES };

struct progress {
    enum progress_mode mode;
    const char *label;
    double start;   /* seconds */
    double next;    /* when to draw again */
    int shown;      /* columns of the bar on the screen */
    int next_tenth; /* PROGRESS_LINES: the next 10 % step to print */
};

/* `forced`: at once, also without a terminal. */
void progress_start(struct progress *progress, const char *label, bool wanted, bool forced);
void progress_show(struct progress *progress, int64_t done, int64_t total);
void progress_end(struct progress *progress);

#endif
