#include "progress.h"

#include "paragraph.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 40, LINE_SIZE = 4096 };

static const double delay = 0.5, interval = 0.1;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return LINE_WIDTH;
}

void progress_start(struct progress *progress, const char *label, bool wanted, bool forced)
{
    *progress = (struct progress){.label = label, .start = now()};
    progress->next = progress->start + (forced ? 0 : delay);
    if (isatty(STDERR_FILENO) && (wanted || forced))
        progress->mode = PROGRESS_BAR;
    else if (forced)
        progress->mode = PROGRESS_LINES;
}

/* "1:05 left"; nothing while there is too little to go by. */
static void time_left(const struct progress *progress, double share, char *text, size_t size)
{
    double spent = now() - progress->start;
    text[0] = '\0';
    if (share < 0.01 || spent < delay)
        return;
    int64_t seconds = (int64_t)(spent * (1 - share) / share + 0.5);
    snprintf(text, size, "  %d:%02d left", (int)(seconds / 60), (int)(seconds % 60));
}

/* "photo.png [=====     ]  50 %  0:07 left", in as many parts as the line has room for. */
static void compose(const struct progress *progress, double share, char *line, size_t size)
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

static void draw(struct progress *progress, double share)
{
    char line[LINE_SIZE];
    compose(progress, share, line, sizeof line);
    int columns = text_columns(line);
    fprintf(stderr, "\r%s%*s", line, progress->shown > columns ? progress->shown - columns : 0, "");
    progress->shown = columns;
    fflush(stderr);
}

static void print_line(struct progress *progress, double share)
{
    int tenth = (int)(share * 10);
    if (tenth < progress->next_tenth)
        return;
    fprintf(stderr, "swathe: %s: %d %%\n", progress->label, tenth * 10);
    progress->next_tenth = tenth + 1;
}

void progress_show(struct progress *progress, int64_t done, int64_t total)
{
    double share = total > 0 ? (double)done / (double)total : 1;
    if (progress->mode == PROGRESS_LINES)
        print_line(progress, share);
    if (progress->mode != PROGRESS_BAR || now() < progress->next)
        return;
    progress->next = now() + interval;
    draw(progress, share);
}

void progress_end(struct progress *progress)
{
    if (progress->shown > 0)
        fprintf(stderr, "\r%*s\r", progress->shown, "");
    progress->shown = 0;
    progress->mode = PROGRESS_OFF;
}
