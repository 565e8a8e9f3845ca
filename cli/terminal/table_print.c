#include "terminal/table_print.h"

#include "terminal/paragraph.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

int table_names_width(swathe_table table)
{
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    int width = 0;
    for (int32_t i = 0; swathe_table_get(table, i, &entry) == SWATHE_OK; i++)
        width = larger(width, text_columns(entry.name));
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
        width = larger(width, text_columns(entry.syntax));
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
