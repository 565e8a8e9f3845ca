/* Colours and noise to draw with: only + - * / floor and square roots, so that every machine draws
 * the same bytes. */
#ifndef GALLERY_PAINT_H
#define GALLERY_PAINT_H

#include <math.h>
#include <stdint.h>

typedef struct {
    double r, g, b;
} colour;

static double limit(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static double step(double from, double to, double v)
{
    double t = limit((v - from) / (to - from));
    return t * t * (3 - 2 * t);
}

static colour mix(colour a, colour b, double t)
{
    return (colour){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

static colour lit(colour c, double f)
{
    return (colour){c.r * f, c.g * f, c.b * f};
}

static colour add(colour a, colour b, double f)
{
    return (colour){a.r + b.r * f, a.g + b.g * f, a.b + b.b * f};
}

static double distance(double dx, double dy)
{
    return sqrt(dx * dx + dy * dy);
}

/* A soft spot that never quite ends, as light does. */
static double glow(double distance_to, double radius)
{
    double d = distance_to / radius;
    return 1 / ((1 + d * d) * (1 + d * d));
}

/* A number in 0..1 that looks random but belongs to (x, y) and the seed. */
static double chance(int64_t x, int64_t y, uint32_t seed)
{
    uint32_t h = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return (double)(h ^ h >> 15) / 4294967296.0;
}

/* The same, smooth in between. */
static double noise(double x, double y, uint32_t seed)
{
    double fx = floor(x), fy = floor(y);
    int64_t ix = (int64_t)fx, iy = (int64_t)fy;
    double u = step(0, 1, x - fx), v = step(0, 1, y - fy);
    double top = chance(ix, iy, seed) * (1 - u) + chance(ix + 1, iy, seed) * u;
    double low = chance(ix, iy + 1, seed) * (1 - u) + chance(ix + 1, iy + 1, seed) * u;
    return top * (1 - v) + low * v;
}

static double cloudy(double x, double y, int octaves, uint32_t seed)
{
    double sum = 0, weight = 0.5;
    for (int i = 0; i < octaves; i++, weight *= 0.5, x *= 2.03, y *= 2.03)
        sum += weight * noise(x, y, seed + (uint32_t)i);
    return sum;
}

static double craggy(double x, double y, int octaves, uint32_t seed)
{
    double sum = 0, weight = 0.5;
    for (int i = 0; i < octaves; i++, weight *= 0.52, x *= 2.07, y *= 2.07)
        sum += weight * (1 - fabs(2 * noise(x, y, seed + (uint32_t)i) - 1));
    return sum;
}

#endif
