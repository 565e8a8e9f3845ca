/* The tables, as rows that a program can print. */
#include "api.h"

#include "image/border.h"
#include "io/codec.h"
#include "io/limits.h"

static bool filter(int index, swathe_row *row)
{
    const struct filter_row *at = filter_row(index);
    if (!at)
        return false;
    row->name = at->name;
    row->syntax = at->syntax;
    row->summary = at->summary;
    row->detail = at->detail;
    row->example = at->example;
    return true;
}

static bool option(int index, swathe_row *row)
{
    const struct stage_option_row *at = stage_option_row(index);
    if (!at)
        return false;
    row->name = at->name;
    row->syntax = at->syntax;
    row->summary = at->summary;
    return true;
}

static bool border(int index, swathe_row *row)
{
    const struct border_row *at = border_row(index);
    if (!at)
        return false;
    row->name = at->name;
    row->syntax = at->syntax;
    row->summary = at->summary;
    row->example = at->picture;
    return true;
}

static bool type(int index, swathe_row *row)
{
    const struct sample_row *at = sample_row_at(index);
    if (!at)
        return false;
    row->name = at->name;
    row->summary = at->summary;
    row->value = at->type;
    return true;
}

static bool algorithm(int index, swathe_row *row)
{
    const struct algorithm *at = algorithm_at(index);
    if (!at)
        return false;
    row->name = at->name;
    row->summary = at->summary;
    return true;
}

static bool isa(int index, swathe_row *row)
{
    const struct isa *at = isa_at(index);
    if (!at)
        return false;
    row->name = at->name;
    row->summary = at->summary;
    row->available = isa_usable(index) != 0;
    return true;
}

static bool format(int index, swathe_row *row)
{
    const struct codec *at = codec_at(index);
    if (!at)
        return false;
    row->name = at->name;
    row->syntax = at->extensions;
    row->summary = at->summary;
    row->detail = at->takes;
    row->keeps = at->keeps;
    row->available = at->built;
    return true;
}

static bool status(int index, swathe_row *row)
{
    const struct status_row *at = status_row(index);
    if (!at)
        return false;
    row->name = at->name;
    row->summary = at->summary;
    row->value = at->status;
    return true;
}

static bool limit(int index, swathe_row *row)
{
    const struct limits_row *at = limits_row(index);
    if (!at)
        return false;
    row->name = at->name;
    row->syntax = at->option;
    row->summary = at->summary;
    row->value = at->usual;
    return true;
}

static bool back_end(int index, swathe_row *row)
{
    const struct gpu_back_end *at = gpu_back_end_at(index);
    if (!at)
        return false;
    row->name = at->name;
    row->summary = at->summary;
    return true;
}

static bool strategy(int index, swathe_row *row)
{
    const struct gpu_strategy *at = gpu_strategy_at(index);
    if (!at)
        return false;
    row->name = at->name;
    row->summary = at->summary;
    row->detail = at->loads;
    return true;
}

swathe_status swathe_table_row(swathe_table table, int32_t index, swathe_row *row)
{
    static bool (*const tables[])(int index, swathe_row *row) = {
        [SWATHE_TABLE_FILTERS] = filter,       [SWATHE_TABLE_OPTIONS] = option,
        [SWATHE_TABLE_BORDERS] = border,       [SWATHE_TABLE_TYPES] = type,
        [SWATHE_TABLE_ALGORITHMS] = algorithm, [SWATHE_TABLE_ISAS] = isa,
        [SWATHE_TABLE_FORMATS] = format,       [SWATHE_TABLE_STATUSES] = status,
        [SWATHE_TABLE_LIMITS] = limit,         [SWATHE_TABLE_BACK_ENDS] = back_end,
        [SWATHE_TABLE_STRATEGIES] = strategy,
    };
    REQUIRE(row);
    swathe_row own = {sizeof own, "", "", "", "", "", 0, 1, 0, ""};
    if ((unsigned)table >= sizeof tables / sizeof *tables)
        return fail(SWATHE_ERROR_ARGUMENT, "no table %d", (int)table);
    if (!tables[table](index, &own))
        return fail(SWATHE_ERROR_ARGUMENT, "table %d has no row %d", (int)table, index);
    return GIVE(row, own);
}
