/* Prints masks for people and as JSON. */
#ifndef SWATHE_CLI_MASK_PRINT_H
#define SWATHE_CLI_MASK_PRINT_H

#include "json.h"
#include "swathe/swathe.h"

/* Prints "5 x 5, divided by 256" and, unless the mask is too large, an aligned matrix. */
void mask_print(const swathe_mask *mask, const char *title);
void mask_json(struct json *json, const swathe_mask *mask);

#endif
