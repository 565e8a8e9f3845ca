/* Random problems for devices. Compiling takes longer than running, so problems are drawn in
 * frames: all of one frame need the same program, and differ in size, taps, border and layout. */
#ifndef SWATHE_CLI_DEVICES_DEVICE_PROBLEM_H
#define SWATHE_CLI_DEVICES_DEVICE_PROBLEM_H

#include "swathe/swathe.h"

#include <stdbool.h>

enum { DEVICE_PROBLEM_TEXT = 32768 };

/* What a problem has besides filters with one mask, or one per channel. */
enum device_problem_kind {
    DEVICE_PROBLEM_FILTERS,
    DEVICE_PROBLEM_POINT,
    DEVICE_PROBLEM_MIX,
    DEVICE_PROBLEM_STACK,
    DEVICE_PROBLEM_JOIN,
    DEVICE_PROBLEM_VALUES,
    DEVICE_PROBLEM_WEIGHTS,
    DEVICE_PROBLEM_LIGHT,
    DEVICE_PROBLEM_KINDS
};

struct device_problem {
    enum device_problem_kind kind;
    char text[DEVICE_PROBLEM_TEXT]; /* of a plan, without the device */
    char strategy[32];
    uint64_t fill; /* seed of the samples */
    bool planar, special;
    int32_t threads;
    int64_t cell_rows;
};

/* Draws problem `number` of frame `frame`; `strategy`, unless NULL, replaces the frame's. */
void device_problem_draw(uint64_t seed, int64_t frame, int64_t number, const char *strategy,
                         struct device_problem *problem);

/* The name of a kind, for reports. */
const char *device_problem_kind_name(enum device_problem_kind kind);

/* Prints a problem as one line, and parses it; false: not a problem. */
void device_problem_print(const struct device_problem *problem, char *text, size_t size);
bool device_problem_parse(const char *text, struct device_problem *problem);

#endif
