/* How fast a set gets done, from what status saw during the last minute. */
#ifndef FLEET_STATUS_RATE_H
#define FLEET_STATUS_RATE_H

#include <stdint.h>
#include <stdio.h>

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
