#include "status/rate.h"

#include <inttypes.h>

enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
#define LONGEST (10000.0 * DAY)

double status_rate_add(struct status_rate *rate, int64_t ms, int64_t done)
{
    const struct status_look *last =
        &rate->looks[(rate->first + rate->count + RATE_LOOKS - 1) % RATE_LOOKS];
    if (rate->count > 0 && done < last->done)
        rate->count = 0;
    while (rate->count == RATE_LOOKS ||
           (rate->count > 1 && ms - rate->looks[rate->first].ms > RATE_MS)) {
        rate->first = (rate->first + 1) % RATE_LOOKS;
        rate->count--;
    }
    rate->looks[(rate->first + rate->count) % RATE_LOOKS] = (struct status_look){ms, done};
    rate->count++;
    const struct status_look *oldest = &rate->looks[rate->first];
    if (ms <= oldest->ms)
        return -1;
    return 1000.0 * (double)(done - oldest->done) / (double)(ms - oldest->ms);
}

double status_rate_left(double rate, int64_t left)
{
    double seconds = rate > 0 ? (double)left / rate : -1;
    return left >= 0 && seconds <= LONGEST ? seconds : -1;
}

void status_rate_text(double seconds, char *text, size_t size)
{
    int64_t whole = (int64_t)(seconds + 0.5);
    if (whole < MINUTE)
        snprintf(text, size, "%" PRId64 " s", whole);
    else if (whole < HOUR)
        snprintf(text, size, "%" PRId64 " min", whole / MINUTE);
    else if (whole < DAY)
        snprintf(text, size, "%" PRId64 " h %" PRId64 " min", whole / HOUR, whole % HOUR / MINUTE);
    else
        snprintf(text, size, "%" PRId64 " d %" PRId64 " h", whole / DAY, whole % DAY / HOUR);
}
