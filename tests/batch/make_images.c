/* Writes small JPEGs, each with a different image, the same in every run: make_images FOLDER COUNT
 * [WIDTH HEIGHT]. They resemble photographs: gradients, discs and some grain. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { QUALITY = 90, DISCS = 12 };

struct disc {
    int x, y, radius, color[3];
};

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void draw_discs(uint64_t *state, int width, int height, struct disc *discs)
{
    for (int i = 0; i < DISCS; i++) {
        discs[i].x = (int)(draw(state) % (uint32_t)width);
        discs[i].y = (int)(draw(state) % (uint32_t)height);
        discs[i].radius = 5 + (int)(draw(state) % (uint32_t)(height / 3 + 1));
        for (int c = 0; c < 3; c++)
            discs[i].color[c] = (int)(draw(state) % 256);
    }
}

static void fill_row(uint8_t *row, int y, int width, int height, const struct disc *discs,
                     uint64_t *state)
{
    for (int x = 0; x < width; x++) {
        int color[3] = {255 * x / width, 255 * y / height, 128};
        for (int i = 0; i < DISCS; i++) {
            int dx = x - discs[i].x, dy = y - discs[i].y;
            if (dx * dx + dy * dy < discs[i].radius * discs[i].radius)
                for (int c = 0; c < 3; c++)
                    color[c] = (color[c] + discs[i].color[c]) / 2;
        }
        for (int c = 0; c < 3; c++) {
            int value = color[c] + (int)(draw(state) % 13) - 6;
            row[3 * x + c] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}

static void encode(FILE *to, int width, int height, uint64_t seed, uint8_t *row)
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    struct disc discs[DISCS];
    draw_discs(&seed, width, height, discs);
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_stdio_dest(&info, to);
    info.image_width = (JDIMENSION)width;
    info.image_height = (JDIMENSION)height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, QUALITY, TRUE);
    jpeg_start_compress(&info, TRUE);
    for (int y = 0; y < height; y++) {
        fill_row(row, y, width, height, discs, &seed);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
}

int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[2]) : 0;
    int width = argc > 4 ? atoi(argv[3]) : 320, height = argc > 4 ? atoi(argv[4]) : 240;
    uint8_t *row = width > 0 ? malloc(3 * (size_t)width) : NULL;
    if (count < 1 || height < 1 || !row)
        return fprintf(stderr, "make_images FOLDER COUNT [WIDTH HEIGHT]\n"), 2;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%06d.jpg", argv[1], i);
        FILE *to = fopen(path, "wb");
        if (!to)
            return perror(path), 1;
        encode(to, width, height, (uint64_t)i + 1, row);
        if (fclose(to) != 0)
            return perror(path), 1;
    }
    free(row);
    return 0;
}
