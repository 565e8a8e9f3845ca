/* What status prints. */
#ifndef FLEET_STATUS_REPORT_H
#define FLEET_STATUS_REPORT_H

#include "set/set.h"
#include "status/tally.h"

#include <stdint.h>
#include <stdio.h>

struct status_report {
    const char *set;
    const struct set *mosaic; /* the record of a giant image; NULL: the set has many images */
    int64_t jobs, listed;     /* submitted so far: jobs, images */
    bool complete;            /* all are submitted */
    enum set_state state;
    int64_t waiting, running; /* jobs in the queue; jobs that workers hold */
    int64_t missing;          /* jobs without an outcome that are not in the queue either */
    struct tally tally;
    struct tally_sum sum;
    double rate; /* images per second, or jobs of a mosaic; negative: not known */
    double left; /* seconds until all is done; negative: not known */
};

/* Every job has an outcome, or the set is cancelled. */
bool status_ended(const struct status_report *report);
bool status_all_good(const struct status_report *report);
/* What `rate` counts: images that are done, or jobs of a mosaic; and how many are left. */
int64_t status_done(const struct status_report *report);
int64_t status_left(const struct status_report *report);

void status_print_line(FILE *out, const struct status_report *report);
/* Replaces the line on a terminal; the last one ends with a newline. */
void status_print_live(FILE *out, const struct status_report *report, bool last);
void status_print_json(FILE *out, const struct status_report *report);
void status_print_failures(FILE *out, const struct status_report *report, bool json);

/* ---- How fast a set gets done, from what status saw during the last minute ---- */

enum { RATE_LOOKS = 128, RATE_MS = 60000 };

struct status_rate {
    struct status_look {
        int64_t ms, done;
    } looks[RATE_LOOKS]; /* the last ones, from `first` on */
    int first, count;
};

/* Adds a count at a time in ms and returns how many per second were done in the last minute, or
 * since the first look; negative: not known, before the second look. A count that falls, because
 * results were found wrong or jobs were submitted again, starts anew. */
double status_rate_add(struct status_rate *rate, int64_t ms, int64_t done);
/* Seconds until `left` are done at this rate; negative: not known. */
double status_rate_left(double rate, int64_t left);
/* "40 s", "12 min", "3 h 12 min" or "2 d 3 h". */
void status_rate_text(double seconds, char *text, size_t size);

#endif
