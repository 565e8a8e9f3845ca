/* Public functions on errors. */
#include "api.h"

#include <stdio.h>

swathe_status swathe_error_get(swathe_error *error)
{
    const struct failure *last = fail_last();
    swathe_error own = {.struct_size = sizeof own,
                        .status = last->status,
                        .system = last->system,
                        .text = last->text,
                        .subject = last->subject[0] ? last->subject : NULL,
                        .needed = last->needed};
    REQUIRE(error);
    return GIVE(error, own);
}

swathe_status swathe_error_record(const swathe_error *error)
{
    swathe_error own;
    REQUIRE(error);
    TRY(TAKE(own, error));
    struct failure made = {.status = own.status, .system = own.system, .needed = own.needed};
    snprintf(made.text, sizeof made.text, "%s", own.text ? own.text : "");
    snprintf(made.subject, sizeof made.subject, "%s", own.subject ? own.subject : "");
    return fail_again(&made);
}
