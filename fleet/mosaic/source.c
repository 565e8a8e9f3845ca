#include "mosaic/source.h"

#include "fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The ETag of a file starts with the number of its device, which differs between machines. */
swathe_status mosaic_version(struct store *store, const char *url, char version[SOURCE_VERSION])
{
    struct store_info info;
    TRY(store_stat(store, url, &info));
    const char *etag = info.etag, *dash = strchr(etag, '-');
    if (!store_is_s3(url) && dash)
        etag = dash + 1;
    snprintf(version, SOURCE_VERSION, "%" PRId64 " %s", info.size, etag);
    return SWATHE_OK;
}

/* Each job reads a part of the source. */
static swathe_status mosaic_source_check_kind(const struct set *set, const swathe_source *source)
{
    const swathe_source_info info = swathe_source_properties(source);
    if (info.flags & SWATHE_FORWARD)
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED,
                          "%s: cannot be read in parts; convert it to a tiled TIFF first, with "
                          "'swathe apply identity IN OUT.tif --tile 512'",
                          set->from);
    if (info.pages > 1)
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED, "%s: has %" PRId64 " pages; a mosaic has one",
                          set->from, info.pages);
    return SWATHE_OK;
}

/* The version is read after the source was opened. If the object changes between the two, or later,
 * reading it fails: the reader insists on the version that it opened. */
static swathe_status check_version(struct store *store, const struct set *set)
{
    char version[SOURCE_VERSION];
    if (!set->source)
        return SWATHE_OK;
    TRY(mosaic_version(store, set->from, version));
    if (strcmp(version, set->source) == 0)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_INPUT,
                      "%s: changed since the set was submitted: it was '%s' and is '%s'; "
                      "restore it, or cancel the set and submit it again",
                      set->from, set->source, version);
}

swathe_status mosaic_open(struct store *store, swathe_context *context, const struct set *set,
                          const swathe_read_options *options, swathe_source **source)
{
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    swathe_source *opened;
    TRY(store_reader(store, set->from, &reader));
    TRY(swathe_source_open(context, &reader, options, &opened));
    swathe_status status = mosaic_source_check_kind(set, opened);
    if (status == SWATHE_OK)
        status = check_version(store, set);
    if (status == SWATHE_OK)
        *source = opened;
    else
        swathe_source_destroy(opened);
    return status;
}
