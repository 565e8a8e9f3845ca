/* Values as they are written on the command line. */
#ifndef SWATHE_CLI_COMMANDS_VALUE_H
#define SWATHE_CLI_COMMANDS_VALUE_H

#include "commands/command.h"
#include "swathe/swathe.h"

/* Each returns false and leaves the result unchanged if the text is not valid. */
bool value_count(const char *text, int64_t *count);
bool value_number(const char *text, double *number);
/* 123, 64K, 512M, 1.5GiB; K, M, G and T are powers of 1024. */
bool value_size(const char *text, int64_t *size);
/* "1.5 GiB" */
const char *value_size_text(int64_t bytes, char *text, size_t size);
/* 90, 90s, 10m, 1.5h */
bool value_duration(const char *text, double *seconds);
/* WxH+X+Y */
bool value_region(const char *text, swathe_rect *region);
/* WxH[xC][:TYPE] */
bool value_shape(const char *text, swathe_shape *shape);
/* Converts the name of a type; NULL: the default type. */
swathe_type value_type(const char *text);
const char *value_type_name(swathe_type type);
/* A number from 0 to 100; 0 also for "lossless". */
bool value_quality(const char *text, int64_t *quality);
/* Converts "4:2:2" to "422" in `plain`; returns any other text unchanged. */
const char *value_subsampling(const char *text, char plain[4]);
/* white, black, grey, #rrggbb or r,g,b; numbers from 0 to 255. */
bool value_color(const char *text, double color[3]);
/* Is it a file name in which braces enclose only "stem" and "ext"? */
bool value_is_pattern(const char *text);
/* Is it a value of --values? */
bool value_is_values(const char *text);
/* The shares of "fit" (0 and 100) or "fit:1%..99%". */
bool value_shares(const char *text, double shares[2]);
/* At least 1, or 0 for "all". */
bool value_page(const char *text, int64_t *page);

/* "json" or "json:3". The descriptor is 2 if none is given. */
bool value_progress(const char *text, int *fd);

/* Checks a value of an option. 0, or the exit code after a message. */
int value_check(const struct option *option, const char *value);

#endif
