#include "worker_allow.h"

#include "fleet_fail.h"
#include "store.h"

#include <stdbool.h>
#include <string.h>

static bool covers(const char *prefix, const char *url)
{
    size_t length = strlen(prefix);
    if (length == 0 || strncmp(prefix, url, length) != 0)
        return false;
    return prefix[length - 1] == '/' || url[length] == '/' || url[length] == '\0';
}

swathe_status worker_allow_check(const struct worker_allow *allow, const char *url)
{
    TRY(store_check_url(url)); /* no "..", so a prefix of the text is a prefix of the place */
    for (int i = 0; i < allow->count; i++)
        if (covers(allow->prefixes[i], url))
            return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_UNSUPPORTED,
                      "%s is outside the prefixes that this worker may use; add --allow PREFIX",
                      url);
}
