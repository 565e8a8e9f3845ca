#include "set/set.h"

#include "fail.h"
#include "fields.h"
#include "mosaic/mosaic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- Parsing ----------------------------------------------------------------------------------
 */

static void take_write(struct fields *outer, swathe_write_options *write)
{
    struct fields fields;
    char *format = NULL, *compression = NULL;
    write->struct_size = sizeof *write;
    json_t *object = fields_object(outer, "write");
    if (outer->status != SWATHE_OK)
        return;
    fields_inner(&fields, object, "write");
    fields_duplicate(&fields, "format", NAME_BYTES, true, &format);
    fields_duplicate(&fields, "compression", NAME_BYTES, true, &compression);
    write->format = format;
    write->compression = compression;
    write->quality = (int32_t)fields_integer(&fields, "quality", 0, 100);
    write->lossless = fields_bool(&fields, "lossless");
    write->subsampling = (int32_t)fields_integer(&fields, "subsampling", 0, 444);
    write->tile = fields_integer(&fields, "tile", -1, 65536);
    outer->status = fields_end(&fields);
}

static void take_limits(struct fields *outer, struct set *set)
{
    struct fields fields;
    json_t *object = fields_object(outer, "limits");
    if (outer->status != SWATHE_OK)
        return;
    fields_inner(&fields, object, "limits");
    set->max_pixels = fields_integer(&fields, "max_pixels", 0, FIELDS_LARGEST);
    set->max_memory = fields_integer(&fields, "max_memory", 0, FIELDS_LARGEST);
    set->max_bytes = fields_integer(&fields, "max_bytes", 0, FIELDS_LARGEST);
    set->requests = fields_number(&fields, "requests", 1e12);
    set->bytes = fields_number(&fields, "bytes", 1e15);
    outer->status = fields_end(&fields);
}

static void take_mosaic(struct fields *outer, struct set *set)
{
    struct fields fields;
    set->is_mosaic = !fields_null(outer, "mosaic");
    json_t *object = set->is_mosaic ? fields_object(outer, "mosaic") : NULL;
    if (!object || outer->status != SWATHE_OK)
        return;
    fields_inner(&fields, object, "mosaic");
    set->shape.width = fields_integer(&fields, "width", 1, FIELDS_LARGEST);
    set->shape.height = fields_integer(&fields, "height", 1, FIELDS_LARGEST);
    set->shape.channels = (int32_t)fields_integer(&fields, "channels", 1, INT32_MAX);
    set->shape.type = (swathe_type)fields_integer(&fields, "type", SWATHE_U8, SWATHE_F64);
    set->shape.color = (swathe_color)fields_integer(&fields, "color", 0, SWATHE_COLOR_LAB);
    set->shape.alpha = (int32_t)fields_integer(&fields, "alpha", 0, set->shape.channels);
    set->tiles = fields_integer(&fields, "tiles", 1, UINT32_MAX);
    set->tile_rows = fields_integer(&fields, "tile_rows", 1, UINT32_MAX);
    set->column_tiles = fields_integer(&fields, "column_tiles", 1, UINT32_MAX);
    set->planes = fields_integer(&fields, "planes", 1, set->shape.channels);
    set->tiles_per_job = fields_integer(&fields, "tiles_per_job", 1, MOSAIC_TILES_PER_JOB);
    set->parts = fields_integer(&fields, "parts", 1, MOSAIC_PARTS);
    fields_duplicate(&fields, "source", SET_URL_BYTES, false, &set->source);
    fields_duplicate(&fields, "upload", SET_URL_BYTES, true, &set->upload);
    outer->status = fields_end(&fields);
    if (outer->status == SWATHE_OK)
        outer->status = mosaic_check_numbers(set);
}

static void take_fields(struct fields *fields, struct set *set)
{
    fields_name(fields, "set", set->name);
    const char *instance = fields_text(fields, "instance", INSTANCE_DIGITS);
    if (!instance_is_safe(instance))
        fields_fail(fields, "instance", "is not 16 hexadecimal digits");
    else
        set_identify(set, instance);
    fields_duplicate(fields, "chain", SET_TEXT_BYTES, false, &set->chain);
    fields_duplicate(fields, "border", SET_TEXT_BYTES, true, &set->border);
    fields_duplicate(fields, "alpha", NAME_BYTES, true, &set->alpha);
    fields_duplicate(fields, "nodata", SET_TEXT_BYTES, true, &set->nodata);
    set->contract = (int32_t)fields_integer(fields, "contract", 1, INT32_MAX);
    fields_copy(fields, "version", set->version, sizeof set->version - 1);
    fields_duplicate(fields, "codecs", SET_URL_BYTES, false, &set->codecs);
    fields_duplicate(fields, "from", SET_URL_BYTES, false, &set->from);
    fields_duplicate(fields, "to", SET_URL_BYTES, false, &set->to);
    fields_duplicate(fields, "manifest", SET_URL_BYTES, true, &set->manifest);
    set->attempts = (int32_t)fields_integer(fields, "attempts", 1, 1000);
    set->images_per_job = (int32_t)fields_integer(fields, "images_per_job", 0, JOB_IMAGES);
    take_write(fields, &set->write);
    take_limits(fields, set);
    take_mosaic(fields, set);
}

swathe_status set_identify(struct set *set, const char *instance)
{
    uint64_t bits = 0;
    if (!instance && getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return fleet_fail(SWATHE_ERROR_IO, "no random numbers");
    if (instance)
        snprintf(set->instance, sizeof set->instance, "%s", instance);
    else
        snprintf(set->instance, sizeof set->instance, "%016" PRIx64, bits);
    snprintf(set->identity, sizeof set->identity, "%s.%s", set->name, set->instance);
    return SWATHE_OK;
}

swathe_status set_parse(const char *json, size_t size, struct set **set)
{
    struct fields fields;
    struct set *made;
    TRY(fields_open(json, size, MESSAGE_BYTES, "record of a set", &fields));
    swathe_status status = fleet_allocate(1, sizeof *made, &made);
    if (status == SWATHE_OK) {
        take_fields(&fields, made);
        status = fields_end(&fields);
        if (status != SWATHE_OK)
            set_free(made);
    }
    fields_close(&fields);
    if (status == SWATHE_OK)
        *set = made;
    return status;
}

void set_free(struct set *set)
{
    if (!set)
        return;
    free(set->chain);
    free(set->border);
    free(set->alpha);
    free(set->nodata);
    free(set->from);
    free(set->to);
    free(set->manifest);
    free(set->codecs);
    free(set->source);
    free(set->upload);
    free((char *)set->write.format);
    free((char *)set->write.compression);
    free(set);
}

swathe_status set_plan_options(const struct set *set, swathe_plan_options *options)
{
    *options = SWATHE_INIT(swathe_plan_options);
    if (set->border)
        TRY(swathe_plan_options_set(options, "border", set->border));
    if (set->alpha)
        TRY(swathe_plan_options_set(options, "alpha", set->alpha));
    options->nodata = set_nodata(set, NULL);
    options->exact = SWATHE_EXACT; /* so that results do not depend on the worker */
    return SWATHE_OK;
}

bool set_ignores_nodata(const struct set *set)
{
    return set->nodata && strcmp(set->nodata, "none") == 0;
}

const char *set_nodata(const struct set *set, const swathe_source *source)
{
    const swathe_metadata *metadata = swathe_source_properties(source).metadata;
    const char *tag = metadata ? metadata->nodata : NULL;
    if (set->nodata)
        return set_ignores_nodata(set) ? NULL : set->nodata;
    return tag && *tag ? tag : NULL;
}

/* ---- Formatting -------------------------------------------------------------------------------
 */

static json_t *pack_write(const swathe_write_options *write)
{
    return json_pack("{s:s?, s:s?, s:i, s:b, s:i, s:I}", "format", write->format, "compression",
                     write->compression, "quality", (int)write->quality, "lossless",
                     (int)write->lossless, "subsampling", (int)write->subsampling, "tile",
                     (json_int_t)write->tile);
}

static json_t *pack_limits(const struct set *set)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:f}", "max_pixels", (json_int_t)set->max_pixels,
                     "max_memory", (json_int_t)set->max_memory, "max_bytes",
                     (json_int_t)set->max_bytes, "requests", set->requests, "bytes", set->bytes);
}

static json_t *pack_mosaic(const struct set *set)
{
    if (!set->is_mosaic)
        return json_null();
    return json_pack("{s:I, s:I, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s?}",
                     "width", (json_int_t)set->shape.width, "height", (json_int_t)set->shape.height,
                     "channels", (int)set->shape.channels, "type", (int)set->shape.type, "color",
                     (int)set->shape.color, "alpha", (int)set->shape.alpha, "tiles",
                     (json_int_t)set->tiles, "tile_rows", (json_int_t)set->tile_rows,
                     "column_tiles", (json_int_t)set->column_tiles, "planes",
                     (json_int_t)set->planes, "tiles_per_job", (json_int_t)set->tiles_per_job,
                     "parts", (json_int_t)set->parts, "source", set->source, "upload", set->upload);
}

swathe_status set_format(const struct set *set, char **json, size_t *size)
{
    json_t *object =
        json_pack("{s:i, s:s, s:s, s:s, s:s?, s:s?, s:s?, s:i, s:s, s:s, s:s, s:s, s:s?, s:i, s:i, "
                  "s:o, s:o, s:o}",
                  "v", 1, "set", set->name, "instance", set->instance, "chain", set->chain,
                  "border", set->border, "alpha", set->alpha, "nodata", set->nodata, "contract",
                  (int)set->contract, "version", set->version, "codecs", set->codecs, "from",
                  set->from, "to", set->to, "manifest", set->manifest, "attempts",
                  (int)set->attempts, "images_per_job", (int)set->images_per_job, "write",
                  pack_write(&set->write), "limits", pack_limits(set), "mosaic", pack_mosaic(set));
    return fields_write(object, MESSAGE_BYTES, "record of a set", json, size);
}

/* ---- What a set pins, and where its results go ------------------------------------------------
 */

/* What a set pins, and where its results go. */

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
static const char *set_extension(const char *format, size_t *length)
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
    const char *ending = set_extension(set->write.format, &length);
    if (!ending)
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED, "unknown format '%s'", set->write.format);
    return fleet_format(url, "%s%.*s.%.*s", set->to, (int)set_stem(key), key, (int)length, ending);
}

/* ---- Progress and state -----------------------------------------------------------------------
 */

enum { HASH_DIGITS = 16 };
static const char *const states[] = {
    [SET_ACTIVE] = "active", [SET_DRAINING] = "draining", [SET_CANCELLED] = "cancelled"};

swathe_status set_progress_parse(const char *json, struct set_progress *progress)
{
    struct fields fields;
    struct set_progress made = {0};
    TRY(fields_open(json, strlen(json), MESSAGE_BYTES, "progress of a set", &fields));
    made.jobs = fields_integer(&fields, "jobs", 0, FIELDS_LARGEST);
    made.images = fields_integer(&fields, "images", 0, FIELDS_LARGEST);
    made.complete = fields_bool(&fields, "complete");
    made.promised = fields_integer(&fields, "promised", 0, FIELDS_LARGEST);
    made.hash = strtoull(fields_text(&fields, "hash", HASH_DIGITS), NULL, 16);
    made.promised_hash = strtoull(fields_text(&fields, "promised_hash", HASH_DIGITS), NULL, 16);
    fields_duplicate(&fields, "last", KEY_BYTES, false, &made.last);
    swathe_status status = fields_end(&fields);
    fields_close(&fields);
    if (status != SWATHE_OK)
        free(made.last);
    else
        *progress = made;
    return status;
}

swathe_status set_progress_format(const struct set_progress *progress, char **json)
{
    char hash[HASH_DIGITS + 1], promised[HASH_DIGITS + 1];
    snprintf(hash, sizeof hash, "%016" PRIx64, progress->hash);
    snprintf(promised, sizeof promised, "%016" PRIx64, progress->promised_hash);
    json_t *object =
        json_pack("{s:i, s:I, s:I, s:s, s:b, s:s, s:I, s:s}", "v", 1, "jobs",
                  (json_int_t)progress->jobs, "images", (json_int_t)progress->images, "last",
                  progress->last ? progress->last : "", "complete", (int)progress->complete, "hash",
                  hash, "promised", (json_int_t)progress->promised, "promised_hash", promised);
    return fields_write(object, MESSAGE_BYTES, "progress of a set", json, NULL);
}

void set_progress_free(struct set_progress *progress)
{
    free(progress->last);
    *progress = (struct set_progress){0};
}

const char *set_state_name(enum set_state state)
{
    return states[state];
}

swathe_status set_state_parse(const char *name, enum set_state *state)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(states[i], *name ? name : states[SET_ACTIVE]) == 0) {
            *state = (enum set_state)i;
            return SWATHE_OK;
        }
    return fleet_fail(SWATHE_ERROR_INPUT, "state of a set: '%.64s' is unknown", name);
}

swathe_status set_retry_parse(const char *json, size_t size, const char *set,
                              struct set_retry *retry)
{
    struct fields fields;
    struct set_retry found = {0};
    char identity[IDENTITY_BYTES + 1];
    TRY(fields_open(json, size, MESSAGE_BYTES, "mark of a retry", &fields));
    fields_identity(&fields, "set", identity);
    if (strcmp(identity, set) != 0)
        fields_fail(&fields, "set", "is another one");
    found.id = fields_integer(&fields, "id", 0, FIELDS_LARGEST);
    found.generation = fields_integer(&fields, "generation", 1, INT32_MAX);
    if (fields_has(&fields, "repairs"))
        found.repairs = fields_integer(&fields, "repairs", 1, FIELDS_LARGEST);
    swathe_status status = fields_end(&fields);
    fields_close(&fields);
    if (status == SWATHE_OK)
        *retry = found;
    return status;
}

swathe_status set_retry_format(const char *set, const struct set_retry *retry, char **json,
                               size_t *size)
{
    json_t *object = json_pack("{s:i, s:s, s:I, s:I}", "v", 1, "set", set, "id",
                               (json_int_t)retry->id, "generation", (json_int_t)retry->generation);
    if (retry->repairs > 0)
        json_object_set_new(object, "repairs", json_integer(retry->repairs));
    return fields_write(object, MESSAGE_BYTES, "mark of a retry", json, size);
}
