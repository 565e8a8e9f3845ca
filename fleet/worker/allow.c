#include "worker/allow.h"

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

/* store_check_url refuses ".." in S3 only. */
static bool leads_up(const char *url)
{
    for (const char *at = url; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return true;
    }
    return false;
}

swathe_status worker_allow_check(const struct worker_allow *allow, const char *url)
{
    TRY(store_check_url(url));
    if (leads_up(url)) /* otherwise a prefix of the text is a prefix of the place */
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED,
                          "%s has a segment '..'; submit the set with a path without it", url);
    for (int i = 0; i < allow->count; i++)
        if (covers(allow->prefixes[i], url))
            return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_UNSUPPORTED,
                      "%s is outside the prefixes that this worker may use; add --allow PREFIX",
                      url);
}
