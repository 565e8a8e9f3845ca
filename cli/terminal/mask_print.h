/* Prints masks for people and as JSON. */
#ifndef SWATHE_CLI_TERMINAL_MASK_PRINT_H
#define SWATHE_CLI_TERMINAL_MASK_PRINT_H

#include "swathe/swathe.h"
#include "terminal/json.h"

/* Prints "5 x 5, divided by 256" and, unless the mask is too large, an aligned matrix. */
void mask_print(const swathe_mask *mask, const char *title);
void mask_json(struct json *json, const swathe_mask *mask);

#endif
