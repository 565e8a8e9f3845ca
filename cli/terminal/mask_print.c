#include "terminal/mask_print.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { LARGEST_DIVISOR = 65536, LARGEST_SHOWN = 17 };

static int64_t tap_count(const swathe_mask *mask)
{
    return (int64_t)mask->width * mask->height;
}

static bool all_whole(const swathe_mask *mask, int divisor)
{
    for (int64_t i = 0; i < tap_count(mask); i++) {
        double scaled = mask->taps[i] * divisor;
        if (fabs(scaled - round(scaled)) > 1e-9 || fabs(scaled) > 1e6)
            return false;
    }
    return true;
}

/* The smallest factor that makes every tap an integer; 0: none. */
static int common_divisor(const swathe_mask *mask)
{
    if (tap_count(mask) > LARGEST_SHOWN * LARGEST_SHOWN)
        return 0;
    for (int divisor = 1; divisor <= LARGEST_DIVISOR; divisor++)
        if (all_whole(mask, divisor))
            return divisor;
    return 0;
}

/* Number of decimals that gives the largest tap four digits. */
static int decimals(const swathe_mask *mask)
{
    double largest = 0;
    for (int64_t i = 0; i < tap_count(mask); i++)
        largest = fmax(largest, fabs(mask->taps[i]));
    double digits = largest > 0 ? 3 - floor(log10(largest)) : 0;
    return (int)fmin(fmax(digits, 0), 12);
}

/* Formats a tap: as an integer if there is a divisor, otherwise with `digits` decimals; "0" if all
 * digits are 0. */
static int tap_text(double tap, int divisor, int digits, char *text, size_t size)
{
    double shown = divisor ? round(tap * divisor) : tap;
    if (fabs(shown) < 0.5 * pow(10, divisor ? 0 : -digits))
        return snprintf(text, size, "0");
    return snprintf(text, size, "%.*f", divisor ? 0 : digits, shown);
}

static int widest(const swathe_mask *mask, int divisor, int digits)
{
    char text[512];
    int width = 0;
    for (int64_t i = 0; i < tap_count(mask); i++) {
        int columns = tap_text(mask->taps[i], divisor, digits, text, sizeof text);
        width = columns > width ? columns : width;
    }
    return width;
}

static void print_matrix(const swathe_mask *mask, int divisor)
{
    char text[512];
    int digits = decimals(mask), width = widest(mask, divisor, digits);
    for (int64_t i = 0; i < tap_count(mask); i++) {
        tap_text(mask->taps[i], divisor, digits, text, sizeof text);
        printf("  %*s%s", width, text, (i + 1) % mask->width == 0 ? "\n" : "");
    }
}

static void print_extras(const swathe_mask *mask)
{
    if (mask->has_anchor &&
        (mask->anchor_x != mask->width / 2 || mask->anchor_y != mask->height / 2))
        printf(", anchor %dx%d", mask->anchor_x, mask->anchor_y);
    if (mask->dilate_x > 1 || mask->dilate_y > 1)
        printf(", dilated %dx%d", mask->dilate_x, mask->dilate_y);
    if (mask->bias != 0)
        printf(", bias %g", mask->bias);
}

void mask_print(const swathe_mask *mask, const char *title)
{
    int divisor = common_divisor(mask);
    bool small = mask->width <= LARGEST_SHOWN && mask->height <= LARGEST_SHOWN;
    printf("\n%s: %d x %d", title, mask->width, mask->height);
    if (divisor > 1)
        printf(", divided by %d", divisor);
    print_extras(mask);
    printf(small ? "\n" : "; --json prints the taps\n");
    if (small)
        print_matrix(mask, divisor);
}

void mask_json(struct json *json, const swathe_mask *mask)
{
    json_open(json, NULL, '{');
    json_integer(json, "width", mask->width);
    json_integer(json, "height", mask->height);
    json_integer(json, "anchor_x", mask->has_anchor ? mask->anchor_x : mask->width / 2);
    json_integer(json, "anchor_y", mask->has_anchor ? mask->anchor_y : mask->height / 2);
    json_integer(json, "dilate_x", mask->dilate_x ? mask->dilate_x : 1);
    json_integer(json, "dilate_y", mask->dilate_y ? mask->dilate_y : 1);
    json_number(json, "bias", mask->bias);
    json_open(json, "taps", '[');
    for (int64_t i = 0; i < tap_count(mask); i++)
        json_number(json, NULL, mask->taps[i]);
    json_close(json, ']');
    json_close(json, '}');
}
