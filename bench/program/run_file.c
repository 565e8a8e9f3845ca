/* Files are not trusted: missing, mistyped or oversized values are errors. */
#include "run_file.h"

#include "result.h"
#include "terminal/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if SWATHE_WITH_JANSSON
#include <jansson.h>

enum { FILE_MOST = 256 << 20 };

/* The result that a message is about. */
struct place {
    const char *path;
    int64_t result;
};

static int odd_field(const struct place *place, const char *name, const char *wanted)
{
    return complain(SWATHE_ERROR_INPUT, "%s: result %" PRId64 ": \"%s\" is missing or not %s",
                    place->path, place->result, name, wanted);
}

static int no_memory(const char *path)
{
    return complain(SWATHE_ERROR_MEMORY, "%s: not enough memory to read it", path);
}

/* ---- The name of a result -------------------------------------------------------------------- */

/* Control characters are replaced, because names are printed on a terminal. */
static int read_name(json_t *result, const struct place *place, char **name)
{
    static const char *const fields[] = {"experiment", "problem", "contender"};
    const char *texts[3];
    for (int i = 0; i < 3; i++) {
        texts[i] = json_string_value(json_object_get(result, fields[i]));
        if (!texts[i])
            return odd_field(place, fields[i], "a string");
    }
    size_t size = strlen(texts[0]) + strlen(texts[1]) + strlen(texts[2]) + 4;
    *name = malloc(size);
    if (!*name)
        return no_memory(place->path);
    snprintf(*name, size, "%s %s, %s", texts[0], texts[1], texts[2]);
    message_clean(*name);
    return 0;
}

/* ---- The samples of a result ----------------------------------------------------------------- */

static int read_samples(json_t *scope, const struct place *place, struct run_result *result)
{
    json_t *samples = json_object_get(scope, "samples"), *visit = json_object_get(scope, "visit");
    size_t count = json_array_size(samples);
    if (count < 1 || count > RUN_SAMPLES_MOST)
        return odd_field(place, "samples", "a list of 1 to 1048576 times");
    if (json_array_size(visit) != count)
        return odd_field(place, "visit", "a list with one number for each sample");
    result->samples = malloc(count * sizeof *result->samples);
    result->visit = malloc(count * sizeof *result->visit);
    if (!result->samples || !result->visit)
        return no_memory(place->path);
    for (size_t i = 0; i < count; i++) {
        json_t *number = json_array_get(visit, i);
        result->samples[i] = json_number_value(json_array_get(samples, i)); /* 0: no number */
        if (!(result->samples[i] >= 1e-9 && result->samples[i] <= 1e12))
            return odd_field(place, "samples", "a list of times from 1e-9 to 1e12 ms");
        if (!json_is_integer(number) || json_integer_value(number) < 0 ||
            json_integer_value(number) > INT32_MAX)
            return odd_field(place, "visit", "a list of integers from 0");
        result->visit[i] = (int32_t)json_integer_value(number);
    }
    result->count = (int64_t)count;
    return 0;
}

static int read_result(json_t *json, const struct place *place, struct run_result *result)
{
    result->place = place->result;
    int code = read_name(json, place, &result->name);
    if (code != 0)
        return code;
    const char *status = json_string_value(json_object_get(json, "status"));
    if (!status)
        return odd_field(place, "status", "a string");
    if (strcmp(status, "ok") != 0)
        return 0;
    json_t *scopes = json_object_get(json, "scopes");
    result->scope = json_is_object(json_object_get(scopes, "kernel")) ? "kernel" : "call";
    json_t *scope = json_object_get(scopes, result->scope);
    if (!json_is_object(scope))
        return odd_field(place, "scopes", "an object with \"kernel\" or \"call\"");
    return read_samples(scope, place, result);
}

static int by_name(const void *a, const void *b)
{
    const struct run_result *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int read_results(struct run_file *file)
{
    json_t *results = json_object_get(file->tree, "results");
    size_t count = json_array_size(results);
    if (!json_is_array(results) || count > RESULTS_MOST)
        return complain(SWATHE_ERROR_INPUT,
                        "%s: \"results\" is missing or not a list of at most %d entries",
                        file->path, RESULTS_MOST);
    file->results = calloc(count + 1, sizeof *file->results);
    if (!file->results)
        return no_memory(file->path);
    for (size_t i = 0; i < count; i++) {
        struct place place = {file->path, (int64_t)i + 1};
        file->count++; /* a result that was read only in part must be freed, too */
        int code = read_result(json_array_get(results, i), &place, &file->results[i]);
        if (code != 0)
            return code;
    }
    qsort(file->results, count, sizeof *file->results, by_name);
    return 0;
}

/* ---- The conditions of a run ----------------------------------------------------------------- */

/* Conditions under which times are comparable. The clock frequency changes all the time, and
 * versions may differ: a comparison is often made between two of them. */
static const char *const facts[][2] = {
    {"machine", "cpu"},        {"machine", "cpus"},         {"machine", "caches"},
    {"machine", "system"},     {"machine", "governor"},     {"machine", "affinity"},
    {"machine", "huge_pages"}, {"build", "compiler"},       {"build", "flags"},
    {"build", "contract"},     {"build", "baseline_flags"}, {"settings", "min_runs"},
    {"settings", "seconds"},   {"settings", "visits"},      {"settings", "cache"},
    {"settings", "memory"},    {"settings", "transfer"},
};

static void write_value(json_t *value, struct run_fact *fact)
{
    if (json_is_string(value))
        snprintf(fact->value, sizeof fact->value, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(fact->value, sizeof fact->value, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
    else if (json_is_real(value))
        snprintf(fact->value, sizeof fact->value, "%.6g", json_real_value(value));
    else
        snprintf(fact->value, sizeof fact->value, "not stated");
    message_clean(fact->value);
}

static void read_facts(struct run_file *file)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        struct run_fact *fact = &file->facts[file->fact_count++];
        fact->section = facts[i][0];
        fact->name = facts[i][1];
        write_value(json_object_get(json_object_get(file->tree, fact->section), fact->name), fact);
    }
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Counts the bytes of a stream, so that a pipe is limited, too. */
struct reading {
    FILE *from;
    int64_t size;
};

static size_t read_some(void *buffer, size_t size, void *user)
{
    struct reading *reading = user;
    size_t got = fread(buffer, 1, size, reading->from);
    reading->size += (int64_t)got;
    return reading->size > FILE_MOST || ferror(reading->from) ? (size_t)-1 : got;
}

static int parse(struct run_file *file, FILE *from)
{
    json_error_t error;
    struct reading reading = {from, 0};
    file->tree = json_load_callback(read_some, &reading, JSON_REJECT_DUPLICATES, &error);
    if (ferror(from))
        return complain_system(errno, "%s", file->path);
    if (reading.size > FILE_MOST)
        return complain(SWATHE_ERROR_LIMIT,
                        "%s is larger than %d MiB; compare fewer experiments at a time", file->path,
                        FILE_MOST >> 20);
    if (!file->tree)
        return complain(SWATHE_ERROR_INPUT, "%s: line %d: %s", file->path, error.line, error.text);
    const char *format = json_string_value(json_object_get(file->tree, "format"));
    if (!format || strcmp(format, BENCH_FORMAT) != 0)
        return complain(SWATHE_ERROR_INPUT,
                        "%s: its format is \"%.40s\", not \"" BENCH_FORMAT "\"; give a bench.json "
                        "that this version of swathe bench --output wrote",
                        file->path, format ? format : "");
    return 0;
}

int run_file_read(const char *path, struct run_file *file)
{
    *file = (struct run_file){.path = path};
    FILE *from = fopen(path, "rb");
    if (!from)
        return complain_system(errno, "%s", path);
    int code = parse(file, from);
    fclose(from);
    if (code == 0)
        code = read_results(file);
    if (code == 0)
        read_facts(file);
    return code;
}

static void free_tree(void *tree)
{
    json_decref(tree);
}

#else

int run_file_read(const char *path, struct run_file *file)
{
    *file = (struct run_file){.path = path};
    return complain(SWATHE_ERROR_UNSUPPORTED,
                    "%s: this build cannot read JSON; install libjansson-dev (jansson-devel, "
                    "jansson) and build again with -Djansson=enabled",
                    path);
}

static void free_tree(void *tree)
{
    (void)tree;
}

#endif

void run_file_free(struct run_file *file)
{
    for (int64_t i = 0; i < file->count; i++) {
        free(file->results[i].name);
        free(file->results[i].samples);
        free(file->results[i].visit);
    }
    free(file->results);
    free_tree(file->tree);
}
