/* Prints what the library lists: its tables and devices. */
#ifndef SWATHE_CLI_TERMINAL_PRINT_H
#define SWATHE_CLI_TERMINAL_PRINT_H

#include "swathe/swathe.h"
#include "terminal/json.h"

/* Prints lines of "  name   summary". */
void table_names(swathe_table table);
/* Number of columns of the longest name. */
int table_names_width(swathe_table table);
/* Prints lines of "  syntax   summary". */
void table_syntax(swathe_table table);
void table_json(swathe_table table);
/* Writes the members of one entry into an open object. */
void table_json_members(struct json *json, const swathe_table_entry *entry);

/* Number of columns of the longest syntax. */
int table_syntax_width(swathe_table table);

void devices_print(swathe_context *context);
/* Writes an array with an object for each back end. */
void devices_json(swathe_context *context, struct json *json, const char *name);

#endif
