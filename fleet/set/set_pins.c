/* What a set pins, and where its results go. */
#include "fleet_fail.h"
#include "set/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "png=libpng 1.6.39 zlib 1.2.13;jpeg=..." */
static swathe_status codecs_of_library(char **codecs)
{
    char text[1024] = "";
    size_t at = 0;
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (*entry.library && at < sizeof text)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s=%s", at ? ";" : "",
                                   entry.name, entry.library);
    return fleet_copy_text(text, codecs);
}

swathe_status set_pin(struct set *set)
{
    char *codecs;
    TRY(codecs_of_library(&codecs));
    free(set->codecs);
    set->codecs = codecs;
    set->contract = swathe_contract();
    snprintf(set->version, sizeof set->version, "%s", swathe_version());
    return SWATHE_OK;
}

swathe_status set_check_pins(const struct set *set)
{
    struct set own = {0};
    TRY(set_pin(&own));
    swathe_status status = SWATHE_OK;
    if (set->contract != own.contract)
        status = fleet_fail(SWATHE_ERROR_UNSUPPORTED, "set %s has contract %d, this program has %d",
                            set->name, (int)set->contract, (int)own.contract);
    else if (strcmp(set->version, own.version) != 0)
        status = fleet_fail(SWATHE_ERROR_UNSUPPORTED, "set %s has version %s, this program is %s",
                            set->name, set->version, own.version);
    else if (strcmp(set->codecs, own.codecs) != 0)
        status =
            fleet_fail(SWATHE_ERROR_UNSUPPORTED, "set %s has codecs '%s', this program has '%s'",
                       set->name, set->codecs, own.codecs);
    free(own.codecs);
    return status;
}

/* The first of the format's extensions; NULL if there is no such format. */
static const char *extension(const char *format, size_t *length)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++)
        if (strcmp(entry.name, format) == 0) {
            *length = strcspn(entry.syntax, ",");
            return entry.syntax;
        }
    return NULL;
}

size_t set_stem(const char *key)
{
    const char *name = strrchr(key, '/');
    name = name ? name + 1 : key;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - key) : strlen(key);
}

swathe_status set_target(const struct set *set, const char *key, char **url)
{
    size_t length = 0;
    if (!key_is_safe(key))
        return fleet_fail(SWATHE_ERROR_INPUT, "the key '%s' is not allowed", key);
    if (!set->write.format)
        return fleet_format(url, "%s%s", set->to, key);
    const char *ending = extension(set->write.format, &length);
    if (!ending)
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED, "unknown format '%s'", set->write.format);
    return fleet_format(url, "%s%.*s.%.*s", set->to, (int)set_stem(key), key, (int)length, ending);
}
