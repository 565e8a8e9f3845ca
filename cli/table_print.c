#include "table_print.h"

#include "paragraph.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

int table_names_width(swathe_table table)
{
    swathe_row row = SWATHE_INIT(swathe_row);
    int width = 0;
    for (int32_t i = 0; swathe_table_row(table, i, &row) == SWATHE_OK; i++)
        width = larger(width, text_columns(row.name));
    return width;
}

void table_names(swathe_table table)
{
    swathe_row row = SWATHE_INIT(swathe_row);
    int width = table_names_width(table) + 2;
    for (int32_t i = 0; swathe_table_row(table, i, &row) == SWATHE_OK; i++)
        paragraph_entry(stdout, width, row.name, row.summary);
}

int table_syntax_width(swathe_table table)
{
    swathe_row row = SWATHE_INIT(swathe_row);
    int width = 0;
    for (int32_t i = 0; swathe_table_row(table, i, &row) == SWATHE_OK; i++)
        width = larger(width, text_columns(row.syntax));
    return width;
}

void table_syntax(swathe_table table)
{
    swathe_row row = SWATHE_INIT(swathe_row);
    int width = table_syntax_width(table) + 2;
    for (int32_t i = 0; swathe_table_row(table, i, &row) == SWATHE_OK; i++)
        paragraph_entry(stdout, width, row.syntax, row.summary);
}

void table_json_members(struct json *json, const swathe_row *row)
{
    json_text(json, "name", row->name);
    json_text(json, "syntax", row->syntax);
    json_text(json, "summary", row->summary);
    json_text(json, "detail", row->detail);
    json_text(json, "example", row->example);
    json_bool(json, "available", row->available);
}

void table_json(swathe_table table)
{
    struct json json = {0};
    swathe_row row = SWATHE_INIT(swathe_row);
    json_open(&json, NULL, '[');
    for (int32_t i = 0; swathe_table_row(table, i, &row) == SWATHE_OK; i++) {
        json_open(&json, NULL, '{');
        table_json_members(&json, &row);
        if (table == SWATHE_TABLE_FORMATS)
            json_text(&json, "keeps", row.keeps);
        json_close(&json, '}');
    }
    json_close(&json, ']');
}
