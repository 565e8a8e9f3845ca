/* Draws the picture of the gallery, a lake at dusk, and writes it as PPM: scene [WIDTH] > lake.ppm
 *
 * The scene is 960 x 640 units; WIDTH pixels (960 by default) stand for 960 of them. Only
 * + - * / floor and square roots are used, so that every machine draws the same bytes. */
#include "paint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORE = 436, BOARD_X = 58, BOARD_Y = 532 };

static double star(double x, double y)
{
    int64_t cx = (int64_t)floor(x / 13), cy = (int64_t)floor(y / 13);
    double bright = chance(cx, cy, 7);
    if (bright < 0.8)
        return 0;
    double sx = (double)cx * 13 + 3 + 7 * chance(cx, cy, 8);
    double sy = (double)cy * 13 + 3 + 7 * chance(cx, cy, 9);
    double size = 0.3 + 60 * (bright - 0.8) * (bright - 0.8) * (bright - 0.8);
    return glow(distance(x - sx, y - sy), size + 0.3) * (0.25 + 4 * (bright - 0.8));
}

static colour sky(double x, double y)
{
    static const colour top = {0.012, 0.022, 0.085}, middle = {0.085, 0.07, 0.24},
                        low = {0.62, 0.2, 0.22}, edge = {1.0, 0.52, 0.2};
    double t = y / SHORE;
    colour c =
        mix(mix(top, middle, step(0, 0.5, t)), mix(low, edge, step(0.7, 1, t)), step(0.3, 0.95, t));
    c = add(c, (colour){1, 1, 1}, star(x, y) * (1 - step(0.15, 0.55, t)));
    double sun = glow(distance(x - 330, (y - 425) * 1.3), 210);
    c = add(c, (colour){0.9, 0.42, 0.12}, sun);
    double veil = cloudy(x / 210 + 3, y / 36 + x / 900, 6, 21);
    double cover = step(0.47, 0.68, veil) * step(0.1, 0.4, t);
    colour cloud =
        mix((colour){0.1, 0.07, 0.2}, (colour){1.1, 0.42, 0.3}, limit(sun * 1.4 + t * 0.45));
    c = mix(c, lit(cloud, 0.7 + step(0.8, 0.55, veil) * 0.6), cover * 0.85);
    double moon =
        step(24.6, 23.4, distance(x - 150, y - 92)) * step(23, 25.2, distance(x - 140, y - 85));
    c = add(c, (colour){0.5, 0.55, 0.7}, 0.12 * glow(distance(x - 154, y - 95), 60));
    return mix(c, (colour){1.0, 0.97, 0.85}, moon);
}

static colour mountains(colour c, double x, double y)
{
    double peak = 0.7 * glow(x - 585, 170) + 0.38 * glow(x - 255, 120) + 0.3 * glow(x - 890, 110);
    if (y < 426 - 200 * peak - 105 * craggy(x / 150, 0, 7, 40))
        return c;
    double relief = craggy(x / 60 + y / 130, y / 75, 7, 50);
    double slope = craggy((x - 2.2) / 60 + (y + 1) / 130, (y + 1) / 75, 7, 50) - relief;
    double snow = step(0.1, 0.3, 1.7 * relief - 0.75 + (300 - y) / 150 + 3 * slope);
    colour body = lit(mix((colour){0.085, 0.06, 0.12}, (colour){0.36, 0.36, 0.58}, snow),
                      0.15 + limit(0.5 + 3.5 * slope));
    body = add(body, (colour){1.0, 0.42, 0.22}, limit(slope * 6 + 0.06) * (0.15 + 0.75 * snow));
    return mix(body, (colour){0.5, 0.2, 0.23}, 0.06 + 0.4 * step(230, 420, y));
}

/* The outline of a wood: a pine a cell, each with ragged branches. */
static double pines(double x, double y, double cell, double tall, uint32_t seed)
{
    double best = 0;
    for (int side = -1; side <= 1; side++) {
        int64_t i = (int64_t)floor(x / cell) + side;
        double middle = ((double)i + 0.2 + 0.6 * chance(i, 1, seed)) * cell;
        double height = tall * (0.55 + 0.45 * chance(i, 2, seed));
        double ragged = 0.6 + 0.4 * fabs(y / (tall * 0.11) - floor(y / (tall * 0.11)) - 0.1);
        double tip = height * (1 - fabs(x - middle) / (cell * 0.95 * ragged));
        best = tip > best ? tip : best;
    }
    return best;
}

static colour hills(colour c, double x, double y)
{
    double far_top = 398 - 46 * cloudy(x / 170, 0, 5, 60) + 10 * glow(x - 330, 90);
    if (y > far_top)
        c = mix((colour){0.13, 0.075, 0.13}, (colour){0.36, 0.16, 0.17}, step(380, SHORE, y));
    double ground = 427 - 26 * cloudy(x / 220, 5, 3, 70) + 15 * glow(x - 350, 130);
    if (y > ground - pines(x, y, 9, 26, 71))
        c = lit((colour){0.05, 0.04, 0.075}, 0.7 + 0.6 * noise(x / 2.5, y / 2.5, 72));
    if (x > 850 && y > SHORE + 4 - 25 * step(850, 960, x) - pines(x, y, 30, 150, 81))
        c = lit((colour){0.014, 0.016, 0.026}, 0.6 + 0.9 * noise(x / 2, y / 4, 82));
    if (x < 120 &&
        y > SHORE - 12 * step(120, 0, x) - pines(x, y, 34, 215 - x * 1.2, 91) * step(120, 95, x))
        c = lit((colour){0.014, 0.016, 0.026}, 0.6 + 0.9 * noise(x / 2, y / 4, 92));
    return c;
}

static colour window(colour c, double x, double y)
{
    if (x < 0 || y < 0 || x > 22 || y > 28)
        return c;
    int bar = fabs(x - 11) < 1 || fabs(y - 12) < 1 || x < 1.6 || x > 20.4 || y < 1.6 || y > 26.4;
    if (bar)
        return (colour){0.05, 0.03, 0.03};
    colour warm = mix((colour){1.5, 1.05, 0.42}, (colour){1.1, 0.55, 0.14}, step(4, 30, y + x / 3));
    return x < 6 - y * 0.12 || x > 16 + y * 0.12 ? lit(warm, 0.72) : warm;
}

static colour house(colour c, double x, double y)
{
    double bank = SHORE - 14 * step(600, 690, x);
    if (x > 590 && y > bank - 2.5 * chance((int64_t)floor(x / 1.5), 0, 99))
        c = lit((colour){0.05, 0.04, 0.045}, 0.5 + noise(x / 2, y / 2, 98));
    if (x > 700 && x < 845 && y > 366 && y < 428) { /* logs, lit by the evening from the left */
        double log = y / 6.2 - floor(y / 6.2);
        c = lit((colour){0.23, 0.115, 0.075},
                (0.35 + 0.9 * log * (1.2 - log)) * (1.25 - (x - 700) / 190));
        c = lit(c, 0.8 + 0.4 * noise(x / 9, y / 1.2, 97));
    }
    static const int windows[] = {709, 775, 812};
    for (int i = 0; i < 3; i++)
        c = window(c, x - windows[i], y - 380);
    if (x > 742 && x < 762 && y > 380 && y < 428) /* door */
        c = fabs(x - 758) + fabs(y - 408) < 1.6 ? (colour){0.9, 0.7, 0.3}
                                                : (colour){0.1, 0.035, 0.03};
    if (x > 806 && x < 822 && y > 300 && y < 350) /* chimney of bricks */
        c = (y / 5 - floor(y / 5) < 0.2) ? (colour){0.05, 0.03, 0.03} : (colour){0.26, 0.1, 0.07};
    double eave = (y - 318) / 50; /* roof: a trapezoid of shingles */
    if (eave > 0 && eave < 1 && x > 722 - 34 * eave && x < 824 + 34 * eave) {
        double row = floor(y / 5), tile = x / 9 + (row - 2 * floor(row / 2)) / 2;
        c = lit((colour){0.12, 0.075, 0.1},
                0.6 + 0.7 * chance((int64_t)floor(tile), (int64_t)row, 96));
        if (y / 5 - row > 0.8 || tile - floor(tile) < 0.1)
            c = lit(c, 0.35);
    }
    return c;
}

static colour smoke(colour c, double x, double y)
{
    double up = 300 - y;
    if (up < 0 || up > 190)
        return c;
    double drift = 814 + 0.0016 * up * up + 13 * (noise(up / 26, 0, 95) - 0.5) * step(0, 40, up);
    double wide = 4 + up * 0.13;
    double thick = step(1, 0, fabs(x - drift) / wide) * step(190, 20, up);
    return mix(c, (colour){0.42, 0.32, 0.4}, thick * 0.55 * cloudy(x / 14, y / 22, 4, 94) * 1.6);
}

static colour balloon(colour c, double x, double y)
{
    double dx = x - 425, dy = y - 122, low = dy / 66;
    double radius = dy > 0 ? 48 - 40 * low * low : sqrt(48 * 48 - (dy < -48 ? 48 * 48 : dy * dy));
    double across = dx / (radius > 0.1 ? radius : 0.1);
    if (dy > -48 && low < 1 && fabs(across) < 1) {
        double gore = across * (1.15 + 0.35 * across * across) * 2.6 + 20;
        int odd = (int)floor(gore) & 1, belt = dy > -4 && dy < 9;
        colour paint = odd ? (colour){0.9, 0.13, 0.06} : (colour){1.0, 0.78, 0.38};
        paint = belt ? (odd ? (colour){0.95, 0.9, 0.8} : (colour){0.05, 0.13, 0.36}) : paint;
        return lit(paint, 0.25 + 0.5 * sqrt(1 - across * across) + 0.3 * limit(dy / 70 - dx / 60));
    }
    if (low > 1 && dy < 82 && fabs(fabs(dx) - 7 + (dy - 66) * 0.06) < 0.6)
        return (colour){0.03, 0.02, 0.03};
    if (fabs(dx) < 7.5 && dy > 80 && dy < 91)
        return lit((colour){0.3, 0.16, 0.07},
                   ((int)floor(dx / 2.5 + 9) + (int)floor(dy / 2.5)) & 1 ? 1 : 0.45);
    return c;
}

static colour bulbs(colour c, double x, double y)
{
    if (x > 607 && x < 702 && fabs(y - 392 + (x - 655) * (x - 655) / 110) < 0.5)
        c = (colour){0.03, 0.02, 0.02};
    for (int i = 0; i < 7; i++) {
        double bx = 613 + 14 * i, by = 395 - (bx - 655) * (bx - 655) / 110;
        double d = distance(x - bx, y - by);
        c = add(c, (colour){1.0, 0.62, 0.2}, 0.35 * glow(d, 7));
        c = mix(c, (colour){1.6, 1.3, 0.8}, step(2.6, 1.8, d));
    }
    return fabs(x - 607) < 1.5 && y > 366 ? (colour){0.02, 0.015, 0.02} : c;
}

static colour land(double x, double y)
{
    colour c = house(smoke(hills(mountains(sky(x, y), x, y), x, y), x, y), x, y);
    c = bulbs(balloon(c, x, y), x, y);
    return add(c, (colour){0.9, 0.45, 0.12}, 0.1 * glow(distance(x - 770, y - 400), 70));
}

/* What the lake mirrors, pushed about by waves that grow towards us. */
static colour lake(double x, double y)
{
    double depth = y - SHORE;
    double long_wave = cloudy(x / (30 + depth), y / (1.6 + depth * 0.05), 3, 110) - 0.44;
    double wave = noise(x / (7 + depth * 0.2), y / (0.8 + depth * 0.022), 113) - 0.5;
    double push = (long_wave * 1.4 + wave * 0.7) * (2 + depth * 0.16);
    colour c = land(x + push * 0.6, SHORE - depth * 0.98 - 1 - fabs(push) * 0.9);
    c = lit((colour){c.r * 0.78, c.g * 0.8, c.b * 0.9}, 1 - 0.3 * depth / 204);
    c = add(c, (colour){0.9, 0.5, 0.25}, step(0.16, 0.42, wave) * 0.16 * glow(x - 330, 150));
    return mix(c, (colour){0.012, 0.018, 0.05},
               step(0.05, 0.45, -wave) * (0.2 + 0.3 * depth / 204));
}

static int boat(double x, double y, colour *c)
{
    double dx = x - 468, up = 520 - y, hull = 40 + up * 0.75;
    if (up > 0 && up < 12 && dx > -hull && dx < hull + 5) {
        *c = up > 9 ? (colour){0.9, 0.82, 0.7} : (colour){0.4, 0.06, 0.05};
        return 1;
    }
    if (up > 16 && up < 104 && dx > 2 && dx < (104 - up) * 0.5) {
        int stripe = (int)floor((up + dx * 0.3) / 11) & 1;
        *c = lit(stripe ? (colour){0.86, 0.3, 0.1} : (colour){0.95, 0.85, 0.7}, 0.75 - dx * 0.008);
        return 1;
    }
    if (up > 16 && up < 92 && dx < -2 && dx > -(92 - up) * 0.42) {
        *c = lit((colour){0.95, 0.85, 0.72}, 0.85 + dx * 0.006);
        return 1;
    }
    if (up > 0 && up < 110 && fabs(dx) < 1.2) {
        *c = (colour){0.07, 0.04, 0.03};
        return 1;
    }
    return 0;
}

static int letter(const char *text, double x, double y)
{
    static const char known[] = "SWATHEXCOBI";
    static const uint8_t rows[][7] = {
        {15, 16, 16, 14, 1, 1, 30},   {17, 17, 17, 21, 21, 27, 17}, {14, 17, 17, 31, 17, 17, 17},
        {31, 4, 4, 4, 4, 4, 4},       {17, 17, 17, 31, 17, 17, 17}, {31, 16, 16, 30, 16, 16, 31},
        {17, 17, 10, 4, 10, 17, 17},  {14, 17, 16, 16, 16, 17, 14}, {14, 17, 17, 17, 17, 17, 14},
        {30, 17, 17, 30, 17, 17, 30}, {14, 4, 4, 4, 4, 4, 14},
    };
    int at = (int)floor(x / 6), length = (int)strlen(text);
    int column = (int)floor(x) - 6 * at, row = (int)floor(y);
    if (at < 0 || at >= length || column > 4 || row < 0 || row > 6)
        return 0;
    const char *found = strchr(known, text[at]);
    return found ? rows[found - known][row] >> (4 - column) & 1 : 0;
}

static int board(double x, double y, colour *c)
{
    double u = x - BOARD_X, v = y - BOARD_Y;
    if (u > 0 && u < 160 && v > 0 && v < 50) {
        double grain = 0.7 + 0.5 * noise(u / 30, v / 1.3, 120);
        *c =
            lit((colour){0.34, 0.19, 0.1}, grain * (u < 2 || v < 2 || u > 158 || v > 48 ? 0.3 : 1));
        if (letter("SWATHE", (u - 10) / 4, (v - 7) / 3.4) ||
            letter("EXACT TO THE BIT", (u - 10) / 1.48, (v - 37) / 1.2))
            *c = (colour){0.98, 0.88, 0.66};
        return 1;
    }
    int post = v > -10 && y < 618 && (fabs(u - 24) < 4 || fabs(u - 136) < 4);
    *c = post ? lit((colour){0.11, 0.06, 0.045}, 0.5 + noise(u, v / 9, 121)) : *c;
    return post;
}

static colour scene(double x, double y)
{
    colour c = y < SHORE ? land(x, y) : lake(x, y), thing;
    double wobble = (noise(x / 20, y / 1.6, 130) - 0.5) * 7;
    if (boat(x, y, &thing))
        return thing;
    if (y > 520 && boat(x + wobble, 1040 - y, &thing))
        c = mix(c, lit(thing, 0.6), 0.62);
    if (board(x, y, &thing))
        return thing;
    if (y > 618 && board(x + wobble, 1236 - y, &thing))
        c = mix(c, lit(thing, 0.5), 0.6);
    return c;
}

static int shade(double v)
{
    double s = sqrt(limit(v / (0.72 + 0.28 * v)));
    return (int)floor(255 * (0.5 * s + 0.5 * step(-0.12, 1.05, s)) + 0.5);
}

int main(int argc, char **argv)
{
    enum { SUB = 3 };
    long width = argc > 1 ? strtol(argv[1], NULL, 10) : 960, height = width * 2 / 3;
    if (width < 1 || width > 30000)
        return fprintf(stderr, "scene: WIDTH is from 1 to 30000\n"), 2;
    double unit = 960.0 / (double)width;
    printf("P6\n%ld %ld\n255\n", width, height);
    for (long y = 0; y < height; y++)
        for (long x = 0; x < width; x++) {
            colour sum = {0, 0, 0};
            for (int i = 0; i < SUB * SUB; i++) {
                double sx = (double)x + (i % SUB + 0.5) / SUB,
                       sy = (double)y + (i / SUB + 0.5) / SUB;
                sum = add(sum, scene(sx * unit, sy * unit), 1.0 / (SUB * SUB));
            }
            printf("%c%c%c", shade(sum.r), shade(sum.g), shade(sum.b));
        }
    return ferror(stdout) || fflush(stdout) ? 5 : 0;
}
