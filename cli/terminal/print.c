#include "terminal/print.h"

#include "commands/value.h"
#include "terminal/text.h"

#include <string.h>

/* ---- Tables --------------------------------------------------------------------------------- */

static int terminal_print_larger(int a, int b)
{
    return a > b ? a : b;
}

int table_names_width(swathe_table table)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int width = 0;
    for (int32_t i = 0; swathe_table_get(table, i, &entry) == SWATHE_OK; i++)
        width = terminal_print_larger(width, text_columns(entry.name));
    return width;
}

void table_names(swathe_table table)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int width = table_names_width(table) + 2;
    for (int32_t i = 0; swathe_table_get(table, i, &entry) == SWATHE_OK; i++)
        paragraph_entry(stdout, width, entry.name, entry.summary);
}

int table_syntax_width(swathe_table table)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int width = 0;
    for (int32_t i = 0; swathe_table_get(table, i, &entry) == SWATHE_OK; i++)
        width = terminal_print_larger(width, text_columns(entry.syntax));
    return width;
}

void table_syntax(swathe_table table)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int width = table_syntax_width(table) + 2;
    for (int32_t i = 0; swathe_table_get(table, i, &entry) == SWATHE_OK; i++)
        paragraph_entry(stdout, width, entry.syntax, entry.summary);
}

void table_json_members(struct json *json, const swathe_table_entry *entry)
{
    json_text(json, "name", entry->name);
    json_text(json, "syntax", entry->syntax);
    json_text(json, "summary", entry->summary);
    json_text(json, "detail", entry->detail);
    json_text(json, "example", entry->example);
    json_bool(json, "available", entry->available);
}

void table_json(swathe_table table)
{
    struct json json = {0};
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    json_open(&json, NULL, '[');
    for (int32_t i = 0; swathe_table_get(table, i, &entry) == SWATHE_OK; i++) {
        json_open(&json, NULL, '{');
        table_json_members(&json, &entry);
        if (table == SWATHE_TABLE_FORMATS) {
            json_text(&json, "keeps", entry.keeps);
            json_text(&json, "library", entry.library);
        }
        json_close(&json, '}');
    }
    json_close(&json, ']');
}

/* ---- Devices -------------------------------------------------------------------------------- */

static void print_device(const swathe_device_info *info)
{
    char memory[32], largest[32], local[32];
    printf("%-11s %s (%s)\n", info->device, info->name, info->gpu ? "GPU" : "not a GPU");
    if (*info->same)
        printf("         the same card as %s\n", info->same);
    printf("         driver %s%s%s\n", info->driver, *info->target ? ", " : "", info->target);
    printf("         %s of memory, %s in one buffer, %s of shared memory, up to %d threads in a "
           "thread block\n",
           value_size_text(info->memory, memory, sizeof memory),
           value_size_text(info->largest_buffer, largest, sizeof largest),
           value_size_text(info->local_memory, local, sizeof local), (int)info->group_threads);
    printf("         floats: %s\n", info->exact_floats ? "exact"
                                    : info->fma        ? "refused (no denormals)"
                                                       : "refused (no fused multiply-add)");
    printf("         doubles: %s\n", info->exact_doubles ? "exact" : "refused (no f64 arithmetic)");
}

void devices_print(swathe_context *context)
{
    swathe_device_info info = SWATHE_INIT(swathe_device_info);
    bool some = false;
    for (int32_t i = 0; swathe_device_get(context, i, &info) == SWATHE_OK; i++) {
        some |= info.gpu != 0;
        if (*info.device)
            print_device(&info);
        else if (*info.note)
            printf("%-8s %s\n", info.back_end, info.note);
    }
    if (some)
        printf("`swathe devices --check` checks a GPU, so that --device auto can use it.\n");
}

static void write_device(const swathe_device_info *info, struct json *json)
{
    json_flat(json, NULL, '{');
    json_text(json, "device", info->device);
    json_bool(json, "gpu", info->gpu);
    json_text(json, "name", info->name);
    json_text(json, "driver", info->driver);
    json_text(json, "same", info->same);
    json_text(json, "target", info->target);
    json_integer(json, "memory", info->memory);
    json_integer(json, "largest", info->largest_buffer);
    json_integer(json, "local", info->local_memory);
    json_integer(json, "constant", info->constant_memory);
    json_integer(json, "group", info->group_threads);
    json_bool(json, "fma", info->fma);
    json_bool(json, "denormals", info->denormals);
    json_bool(json, "doubles", info->exact_doubles);
    json_close(json, '}');
}

/* Writes the back end of entry `first`. Returns the first entry of the next back end. */
static int32_t write_back_end(swathe_context *context, int32_t first, struct json *json)
{
    swathe_device_info info = SWATHE_INIT(swathe_device_info);
    const char *back_end = NULL, *note = "";
    int32_t i = first;
    json_open(json, NULL, '{');
    for (; swathe_device_get(context, i, &info) == SWATHE_OK; i++) {
        if (i == first) {
            back_end = info.back_end;
            json_text(json, "back_end", back_end);
            json_open(json, "devices", '[');
        } else if (strcmp(info.back_end, back_end) != 0) {
            break;
        }
        if (*info.device)
            write_device(&info, json);
        else
            note = info.note;
    }
    json_close(json, ']');
    json_text(json, "note", note);
    json_close(json, '}');
    return i;
}

void devices_json(swathe_context *context, struct json *json, const char *name)
{
    swathe_device_info info = SWATHE_INIT(swathe_device_info);
    int32_t i = 0;
    json_open(json, name, '[');
    while (swathe_device_get(context, i, &info) == SWATHE_OK)
        i = write_back_end(context, i, json);
    json_close(json, ']');
}
