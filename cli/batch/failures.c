#include "batch/failures.h"

#include "terminal/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void failures_add(struct failures *failures, const char *text)
{
    if (failures->count < FAILURES_SHOWN)
        failures->texts[failures->count] = strdup(text);
    failures->count++;
}

void failures_print(const struct failures *failures)
{
    for (int i = 0; i < FAILURES_SHOWN && i < failures->count; i++)
        complain(SWATHE_OK, "%s", failures->texts[i] ? failures->texts[i] : "an image failed");
    if (failures->count > FAILURES_SHOWN)
        complain(SWATHE_OK, "... and %" PRId64 " more, all in the journal as `failed` records",
                 failures->count - FAILURES_SHOWN);
}

void failures_free(struct failures *failures)
{
    for (int i = 0; i < FAILURES_SHOWN; i++)
        free(failures->texts[i]);
}
