/* Parameters of every kernel, with the same bytes in C, OpenCL, CUDA and HIP: 32-bit members
 * only. */
#ifndef GPU_TASK_H
#define GPU_TASK_H

/* A rectangle of a stage's result, computed from a rectangle of its input. Rows are `pitch` samples
 * apart, planes `plane` samples; interleaved images have one plane of `channels` samples a pixel.
 * Rows start at multiples of 64 bytes; padding bytes between rows may be read and written.
 *
 * rows[y + t*DILATE_Y] is the row of the input rectangle that tap row t of output row y reads, or
 * -1 for the border's constant value; columns[] likewise, in pixels. For outputs within `inner`
 * (left and top inclusive, right and bottom exclusive) these are y + t*DILATE_Y + row_base and x +
 * t*DILATE_X + column_base, and no table is needed.
 *
 * Sums of doubles do not use the integers of other arithmetic. These hold the words of four doubles
 * instead, the low word first: `fill` and `base` the border's value, `low` and `down_shift`, `high`
 * and `shift` the limits of the result, `add_low` and `add_high` the bias.
 *
 * Kernels that are compiled without the size of the mask have its width in `count`, its height in
 * `reciprocal`, and in the halves of `down_add` how far it extends to the left (low half) and
 * upwards. NVRTC 13.4 compiles worse if the struct has more than 128 bytes. */
struct gpu_task {
    int width, height; /* pixels of the result */
    int in_pitch, out_pitch, in_plane, out_plane;
    int first_y, last_y; /* rows of the result that this launch computes; last_y is exclusive */
    int inner_left, inner_right, inner_top, inner_bottom;
    int column_base, row_base;
    int fill; /* the border's constant value, as integer and as float */
    float fill_float;
    int low, high; /* limits of the result */
    float low_float, high_float, bias;
    int down_shift, shift; /* of the vertical pass, and of the sum */
    int down_add;
    unsigned add_low; /* a 64-bit number that is added to the sum */
    int add_high;
    /* A mean is base + (sum + add) / count. If that sum is below 2^31, the quotient is the high
     * half of its product with `reciprocal`, shifted by `shift`. */
    int count, base;
    unsigned reciprocal;
    int in_width, in_height; /* pixels of the input rectangle, for kernels that check bounds */
    int channel;             /* the first channel to compute, for kernels that are launched once per
                              * channel */
};

#endif
