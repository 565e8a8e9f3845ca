/* A rectangle of the result and the inputs that every stage needs for it, as stored on a device.
 * The stages are those of the device, which may be more than those of the chain. */
#ifndef SWATHE_RUN_DEVICE_CELL_H
#define SWATHE_RUN_DEVICE_CELL_H

#include "plan/plan.h"

/* The image between two stages, cut to the part that is needed. */
struct device_cell_image {
    struct interval columns, rows;
    int64_t pitch, plane; /* samples between rows, and between planes */
    int64_t bytes;
    int64_t part; /* bytes of one buffer: the whole image, or a plane if each plane has a buffer */
};

struct device_cell {
    int32_t count;
    struct device_cell_image
        images[ON_GPU_STAGES_MAX + 1]; /* [i]: input of stage i; [count]: result */
    int64_t largest;                   /* bytes of the largest buffer */
    int64_t table_bytes;               /* bytes of the tables of all stages */
};

void device_cell_measure(const struct plan *plan, const swathe_rect *rect,
                         struct device_cell *cell);

/* Number of entries of stage i's tables: the rows or columns that its part of the output reads; 0:
 * no tables. */
int64_t device_cell_table_count(const struct plan *plan, const struct device_cell *cell, int32_t i,
                                enum interval_axis axis);
/* Fills a table: the position of each entry in the stage's input; -1: the border's constant
 * value. */
void device_cell_table(const struct plan *plan, const struct device_cell *cell, int32_t i,
                       enum interval_axis axis, int32_t *table);

/* Sets the kernel arguments that describe the rectangle of stage i. */
void device_cell_task(const struct plan *plan, const struct device_cell *cell, int32_t i,
                      struct gpu_task *task);

#endif
