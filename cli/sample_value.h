/* Samples of any type as doubles. */
#ifndef SWATHE_CLI_SAMPLE_VALUE_H
#define SWATHE_CLI_SAMPLE_VALUE_H

#include "swathe/swathe.h"

static inline double sample_load(const uint8_t *at, swathe_type type)
{
    switch (type) {
    case SWATHE_U8:
        return *at;
    case SWATHE_U16:
        return *(const uint16_t *)(const void *)at;
    case SWATHE_S16:
        return *(const int16_t *)(const void *)at;
    case SWATHE_U32:
        return *(const uint32_t *)(const void *)at;
    case SWATHE_S32:
        return *(const int32_t *)(const void *)at;
    case SWATHE_F64:
        return *(const double *)(const void *)at;
    default:
        return (double)*(const float *)(const void *)at;
    }
}

/* Alpha of an opaque pixel: the highest integer, or 1 in floats. */
static inline double sample_opaque(swathe_type type)
{
    static const double all[] = {
        [SWATHE_U8] = UINT8_MAX, [SWATHE_U16] = UINT16_MAX, [SWATHE_S16] = INT16_MAX,
        [SWATHE_F32] = 1.0,      [SWATHE_U32] = UINT32_MAX, [SWATHE_S32] = INT32_MAX,
        [SWATHE_F64] = 1.0};
    return all[type];
}

/* The value is one of the type. */
static inline void sample_store(uint8_t *at, swathe_type type, double value)
{
    switch (type) {
    case SWATHE_U8:
        *at = (uint8_t)value;
        return;
    case SWATHE_U16:
        *(uint16_t *)(void *)at = (uint16_t)value;
        return;
    case SWATHE_S16:
        *(int16_t *)(void *)at = (int16_t)value;
        return;
    case SWATHE_U32:
        *(uint32_t *)(void *)at = (uint32_t)value;
        return;
    case SWATHE_S32:
        *(int32_t *)(void *)at = (int32_t)value;
        return;
    case SWATHE_F64:
        *(double *)(void *)at = value;
        return;
    default:
        *(float *)(void *)at = (float)value;
    }
}

#endif
