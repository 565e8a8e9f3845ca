/* Computes a chain on one thread. Each stage has a ring buffer of input rows, which is filled on
 * demand. To compute rows, a stage requests the input rows that its border maps name from its ring
 * buffer. The previous stage computes missing rows, and so on up to the source. Moving down an
 * image computes every row once. Edges, and borders that need distant rows, use the same mechanism
 * and need no special cases. Rows are computed in groups of the height that the algorithm of a
 * stage prefers, if necessary before they are needed. */
#ifndef SWATHE_RUN_WORKER_H
#define SWATHE_RUN_WORKER_H

#include "plan/interval.h"
#include "run/effort.h"
#include "run/ring.h"
#include "run/samples.h"

/* Provides the rows of the source. */
struct row_source {
    void *user;
    /* Returns a view that contains row y of the columns that the span needs; valid until the next
     * call. */
    swathe_status (*row)(void *user, int64_t y, const swathe_image **view);
    bool stable; /* views stay valid for the whole span: rows need not be copied */
};

struct worker {
    const struct plan *plan;
    struct row_source source;
    struct ring *rings;
    struct interval span;     /* columns of the result */
    struct interval *columns; /* [i]: computed columns of stage i's input; [count]: output */
    uint8_t *scratch, *spread, *converted;
    uint8_t **direct, **staged; /* pointers to rows of the result: in place, and in `converted` */
    int64_t plane_bytes;        /* bytes of a plane of a row of `spread` and `converted` */
    int32_t planes;             /* that each of their rows has room for */
    struct clamped *clamped;    /* NULL: clamped results are not counted */
    bool stream;                /* the result may bypass the caches */
    struct effort effort;
};

/* Computes the columns that each stage needs for a span of output columns; `columns` has count + 1
 * entries. */
void worker_columns(const struct plan *plan, struct interval span, struct interval *columns);

/* Bytes that a worker needs for spans of up to `widest` columns (per stage, count + 1 entries). */
int64_t worker_bytes(const struct plan *plan, const int64_t *widest);
/* Divides that memory, which is 64-byte aligned, among the parts of a worker. */
void worker_init(struct worker *worker, const struct plan *plan, const int64_t *widest,
                 uint8_t *memory);

/* Starts a span of the result: empties all ring buffers. */
void worker_begin(struct worker *worker, struct interval span, struct interval rows);
/* What the effort for a span is expected to be. */
double worker_expected(const struct plan *plan, struct interval span, struct interval rows,
                       struct interval *columns);
/* Computes rows of the result, in the columns of the span, into `result`, which must contain them:
 * from row y, at most up to `last`. `made` is set to the number of rows. */
swathe_status worker_rows(struct worker *worker, int64_t y, int64_t last,
                          const swathe_image *result, int64_t *made);

/* ---- Padding --------------------------------------------------------------------------------- */

/* Rows extended by their border, for kernels that do not handle borders. */

/* Reads row y of the op's input as dense planes: `columns` of it. Row and columns may be outside
 * the image, where the border defines the samples. */
swathe_status padding_row(const struct op *op, const struct row_source *source, int64_t y,
                          struct interval columns, uint8_t *to, int64_t plane_stride);

#endif
