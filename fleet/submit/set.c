#include "submit/submit.h"

#include "fail.h"
#include "fields.h"
#include "mosaic/mosaic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 5 };

/* ---- Where ------------------------------------------------------------------------------------
 */

/* One file from another. */
static swathe_status fill_mosaic(const struct fleet_options *options, struct set *set)
{
    set->is_mosaic = true;
    TRY(submit_source_url(fleet_option_text(options, OPTION_FROM), false, &set->from));
    TRY(submit_source_url(fleet_option_text(options, OPTION_TO), false, &set->to));
    if (strcmp(set->from, set->to) == 0)
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "--to %s is the source", set->to);
    return SWATHE_OK;
}

static swathe_status fill_places(const struct fleet_options *options, struct set *set)
{
    const char *base = fleet_option_text(options, OPTION_BASE);
    char *from;
    TRY(submit_source_url(fleet_option_text(options, OPTION_TO), true, &set->to));
    TRY(submit_source_url(fleet_option_text(options, OPTION_FROM), false, &from));
    bool is_prefix = from[strlen(from) - 1] == '/';
    if (is_prefix)
        set->from = from;
    else
        set->manifest = from;
    if (is_prefix && base)
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "--base is for a list; --from %s is a prefix",
                          from);
    if (!is_prefix && !base)
        return fleet_fail(SWATHE_ERROR_ARGUMENT,
                          "--from %s is a list of images, which needs --base PREFIX; if it is a "
                          "prefix, end it with /",
                          from);
    if (!is_prefix)
        TRY(submit_source_url(base, true, &set->from));
    if (strncmp(set->to, set->from, strlen(set->from)) == 0)
        return fleet_fail(SWATHE_ERROR_ARGUMENT,
                          "--to %s is inside %s, so results would be taken for images", set->to,
                          set->from);
    return SWATHE_OK;
}

/* ---- How --------------------------------------------------------------------------------------
 */

/* Fails if the format has no such option. */
static swathe_status check_taken(const struct set *set, const char *option)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    for (int32_t i = 0; swathe_table_get(SWATHE_TABLE_FORMATS, i, &entry) == SWATHE_OK; i++) {
        if (!set->write.format || strcmp(entry.name, set->write.format) != 0)
            continue;
        if (!entry.available)
            return fleet_fail(SWATHE_ERROR_UNSUPPORTED, "--format %s is not part of this build",
                              entry.name);
        if (option && !strstr(entry.detail, option))
            return fleet_fail(SWATHE_ERROR_ARGUMENT, "--%s does not apply to --format %s", option,
                              entry.name);
    }
    return SWATHE_OK;
}

/* NULL if the option was not given. */
static swathe_status copy_option(const struct fleet_options *options, enum fleet_option_id id,
                                 char **to)
{
    *to = NULL;
    if (!fleet_option_given(options, id))
        return SWATHE_OK;
    return fleet_copy_text(fleet_option_text(options, id), to);
}

static swathe_status fill_write(const struct fleet_options *options, struct set *set)
{
    static const enum fleet_option_id ids[] = {OPTION_QUALITY, OPTION_SUBSAMPLING,
                                               OPTION_COMPRESSION, OPTION_TILE};
    const char *quality = fleet_option_text(options, OPTION_QUALITY);
    const char *subsampling = fleet_option_text(options, OPTION_SUBSAMPLING);
    char *format, *compression;
    set->write.struct_size = sizeof set->write;
    TRY(copy_option(options, OPTION_FORMAT, &format));
    set->write.format = format;
    TRY(copy_option(options, OPTION_COMPRESSION, &compression));
    set->write.compression = compression;
    set->write.quality = (int32_t)fleet_option_count(options, OPTION_QUALITY, 0);
    set->write.lossless = quality && strcmp(quality, "lossless") == 0;
    set->write.subsampling = subsampling ? (int32_t)strtol(subsampling, NULL, 10) : 0;
    set->write.tile = fleet_option_count(options, OPTION_TILE, 0);
    if (fleet_option_given(options, OPTION_TILE) && set->write.tile == 0)
        set->write.tile = -1;
    if (set->write.tile > 0 && set->write.tile % 16 != 0)
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "--tile must be a multiple of 16");
    TRY(check_taken(set, NULL));
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (fleet_option_given(options, ids[i]))
            TRY(check_taken(set, fleet_option_at((int)ids[i])->name));
    return SWATHE_OK;
}

static swathe_status check_plan(swathe_context *context, const struct set *set)
{
    swathe_plan_options options;
    TRY(set_plan_options(set, &options));
    /* A chain for any image, of a type that can have any nodata: whether they fit depends on the
     * image. */
    swathe_shape shape = {.width = 64, .height = 64, .channels = 2, .type = SWATHE_F64, .alpha = 2};
    swathe_chain *chain;
    swathe_plan *plan = NULL;
    TRY(swathe_chain_parse(context, "identity", &chain));
    swathe_status status = swathe_plan_create(context, chain, &shape, &options, &plan);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return status;
}

static swathe_status submit_set_check_chain(const struct set *set)
{
    swathe_context_options options = SWATHE_INIT(swathe_context_options);
    swathe_context *context;
    swathe_chain *chain = NULL;
    options.threads = 1;
    options.wisdom = "off";
    TRY(swathe_context_create(&options, &context));
    swathe_status status = swathe_chain_parse(context, set->chain, &chain);
    if (status == SWATHE_OK)
        status = check_plan(context, set);
    swathe_chain_destroy(chain);
    swathe_context_destroy(context);
    return status;
}

swathe_status submit_set_fill(const struct fleet_options *options, struct set *set)
{
    int64_t replicas = fleet_option_count(options, OPTION_REPLICAS, 1);
    if (replicas % 2 == 0)
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "--replicas takes 1, 3 or 5");
    snprintf(set->name, sizeof set->name, "%s", fleet_option_text(options, OPTION_SET));
    TRY(fleet_copy_text(options->arguments[0], &set->chain));
    TRY(copy_option(options, OPTION_BORDER, &set->border));
    TRY(copy_option(options, OPTION_ALPHA, &set->alpha));
    TRY(copy_option(options, OPTION_NODATA, &set->nodata));
    TRY(submit_set_check_chain(set));
    TRY(mosaic_wanted(options) ? fill_mosaic(options, set) : fill_places(options, set));
    TRY(fill_write(options, set));
    set->attempts = (int32_t)fleet_option_count(options, OPTION_ATTEMPTS, ATTEMPTS);
    set->images_per_job = (int32_t)fleet_option_count(options, OPTION_IMAGES_PER_JOB, 0);
    set->max_bytes = fleet_option_count(options, OPTION_MAX_FILE, 0);
    set->max_pixels = fleet_option_count(options, OPTION_MAX_PIXELS, 0);
    set->max_memory = fleet_option_count(options, OPTION_MAX_MEMORY, 0);
    set->requests = fleet_option_number(options, OPTION_MAX_REQUESTS, 0);
    set->bytes = (double)fleet_option_count(options, OPTION_MAX_BYTES, 0);
    return set_pin(set);
}

/* ---- Comparison -------------------------------------------------------------------------------
 */

/* The first field that differs: "write.quality is 80, not 90". */
static bool describe_difference(json_t *stored, json_t *wanted, const char *before, char *text,
                                size_t size)
{
    const char *name;
    json_t *value;
    json_object_foreach(wanted, name, value)
    {
        json_t *old = json_object_get(stored, name);
        char path[128];
        snprintf(path, sizeof path, "%s%s%s", before, *before ? "." : "", name);
        if (json_is_object(value) && json_is_object(old)) {
            if (describe_difference(old, value, path, text, size))
                return true;
        } else if (!json_equal(old, value)) {
            char *was = json_dumps(old, JSON_ENCODE_ANY), *is = json_dumps(value, JSON_ENCODE_ANY);
            snprintf(text, size, "%s is %s, not %s", path, was ? was : "missing", is ? is : "?");
            free(was);
            free(is);
            return true;
        }
    }
    return false;
}

swathe_status submit_set_compare(const struct set *set, const char *record)
{
    char *json, text[512] = "";
    TRY(set_format(set, &json, NULL));
    json_t *wanted = json_loads(json, 0, NULL), *stored = json_loads(record, 0, NULL);
    bool differs = describe_difference(stored, wanted, "", text, sizeof text);
    json_decref(wanted);
    json_decref(stored);
    free(json);
    if (fields_lacked_memory())
        return fleet_fail(SWATHE_ERROR_MEMORY, "no memory to compare the records of a set");
    if (differs)
        return fleet_fail(SWATHE_ERROR_ARGUMENT,
                          "set '%s' was submitted with other arguments: %s; use another --set, or "
                          "remove it with 'swathe-fleet cancel --delete'",
                          set->name, text);
    return SWATHE_OK;
}
