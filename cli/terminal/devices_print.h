/* Prints the devices that the library lists. */
#ifndef SWATHE_CLI_TERMINAL_DEVICES_PRINT_H
#define SWATHE_CLI_TERMINAL_DEVICES_PRINT_H

#include "swathe/swathe.h"
#include "terminal/json.h"

void devices_print(swathe_context *context);
/* Writes an array with an object for each back end. */
void devices_json(swathe_context *context, struct json *json, const char *name);

#endif
