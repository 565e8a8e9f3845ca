/* The tables, as entries that a program can print. */
#include "api.h"

#include "image/border.h"
#include "io/codec.h"
#include "io/limits.h"

static bool api_table_filter(int index, swathe_table_entry *entry)
{
    const struct filter_entry *at = filter_entry(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->syntax = at->syntax;
    entry->summary = at->summary;
    entry->detail = at->detail;
    entry->example = at->example;
    return true;
}

static bool api_table_option(int index, swathe_table_entry *entry)
{
    const struct stage_option_entry *at = stage_option_entry(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->syntax = at->syntax;
    entry->summary = at->summary;
    return true;
}

static bool api_table_border(int index, swathe_table_entry *entry)
{
    const struct border_entry *at = border_entry(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->syntax = at->syntax;
    entry->summary = at->summary;
    entry->example = at->picture;
    entry->value = index + 1; /* SWATHE_BORDER_… */
    return true;
}

static bool api_table_type(int index, swathe_table_entry *entry)
{
    const struct sample_entry *at = sample_entry_at(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->summary = at->summary;
    entry->value = at->type;
    return true;
}

static bool api_table_algorithm(int index, swathe_table_entry *entry)
{
    const struct algorithm *at = algorithm_at(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->summary = at->summary;
    return true;
}

static bool api_table_isa(int index, swathe_table_entry *entry)
{
    const struct isa *at = isa_at(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->summary = at->summary;
    entry->available = isa_usable(index) != 0;
    return true;
}

static bool api_table_format(int index, swathe_table_entry *entry)
{
    const struct codec *at = codec_at(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->syntax = at->extensions;
    entry->summary = at->summary;
    entry->detail = at->takes;
    entry->keeps = at->keeps;
    entry->available = at->built;
    entry->library = codec_library(at);
    return true;
}

static bool api_table_status(int index, swathe_table_entry *entry)
{
    const struct status_entry *at = status_entry(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->summary = at->summary;
    entry->value = at->status;
    return true;
}

static bool api_table_limit(int index, swathe_table_entry *entry)
{
    const struct limits_entry *at = limits_entry(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->summary = at->summary;
    entry->value = at->usual;
    return true;
}

static bool back_end(int index, swathe_table_entry *entry)
{
    const struct gpu_back_end *at = gpu_back_end_at(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->summary = at->summary;
    return true;
}

static bool api_table_strategy(int index, swathe_table_entry *entry)
{
    const struct gpu_strategy *at = gpu_strategy_at(index);
    if (!at)
        return false;
    entry->name = at->name;
    entry->summary = at->summary;
    entry->detail = at->loads;
    return true;
}

swathe_status swathe_table_get(swathe_table table, int32_t index, swathe_table_entry *entry)
{
    static bool (*const tables[])(int index, swathe_table_entry *entry) = {
        [SWATHE_TABLE_FILTERS] = api_table_filter,       [SWATHE_TABLE_OPTIONS] = api_table_option,
        [SWATHE_TABLE_BORDERS] = api_table_border,       [SWATHE_TABLE_TYPES] = api_table_type,
        [SWATHE_TABLE_ALGORITHMS] = api_table_algorithm, [SWATHE_TABLE_ISAS] = api_table_isa,
        [SWATHE_TABLE_FORMATS] = api_table_format,       [SWATHE_TABLE_STATUSES] = api_table_status,
        [SWATHE_TABLE_LIMITS] = api_table_limit,         [SWATHE_TABLE_BACK_ENDS] = back_end,
        [SWATHE_TABLE_STRATEGIES] = api_table_strategy,
    };
    REQUIRE(entry);
    swathe_table_entry own = {sizeof own, "", "", "", "", "", 0, 1, "", ""};
    if ((unsigned)table >= sizeof tables / sizeof *tables)
        return fail(SWATHE_ERROR_ARGUMENT, "no table %d", (int)table);
    if (!tables[table](index, &own))
        return fail(SWATHE_ERROR_ARGUMENT, "table %d has no entry %d", (int)table, index);
    return GIVE(entry, own);
}
