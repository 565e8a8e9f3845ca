/* Sample types: one entry each in sample.def. */
#ifndef SWATHE_IMAGE_SAMPLE_H
#define SWATHE_IMAGE_SAMPLE_H

#include "base/status.h"

#include <stdbool.h>

struct sample_entry {
    swathe_type type;
    const char *name, *summary;
    int32_t size; /* bytes */
    double lowest, highest;
};

/* The entry of a type; NULL if there is none. */
const struct sample_entry *sample_entry(swathe_type type);
/* The entry at a position in the table; NULL past the end. */
const struct sample_entry *sample_entry_at(int index);
/* The entry with a name; NULL if there is none. */
const struct sample_entry *sample_entry_named(const char *name);

static inline int32_t sample_size(swathe_type type)
{
    return type == SWATHE_U8 ? 1 : type == SWATHE_F64 ? 8 : type >= SWATHE_F32 ? 4 : 2;
}

static inline bool sample_is_float(swathe_type type)
{
    return type == SWATHE_F32 || type == SWATHE_F64;
}

/* Integers whose sums of products do not fit the integers of the kernels. */
static inline bool sample_is_32(swathe_type type)
{
    return type == SWATHE_U32 || type == SWATHE_S32;
}

/* A sample's value; doubles hold those of every type. */
double sample_load(const void *at, swathe_type type);
/* Stores a value of the type. */
void sample_store(void *at, swathe_type type, double value);

#endif
