#include "mosaic/mosaic.h"

#include "fail.h"

#include <inttypes.h>
#include <stdio.h>

/* Jobs have about this many pixels, so that a lost job costs little. They have at least some rows
 * of tiles if tiles are narrow: each job also reads the halo above and below its rows. */
#define JOB_PIXELS ((int64_t)4096 * 4096)
enum { JOB_ROWS = 8 };
/* The job of the index keeps 24 bytes for each, and the sink that writes the directory as many. */
enum { MOST_TILES = 10000000 };
/* S3 takes 10,000 parts of at least 5 MiB. */
#define PART_BYTES ((int64_t)8 << 20)
enum { MOST_PARTS = 9000, PARTS_PER_JOB = 4, MEBIBYTE = 1 << 20 };

/* Of jobs that wait for others: the shortest and longest pause; a pause is this part of the set's
 * time. */
enum { WAIT_MS = 100, WAIT_MOST_MS = 4000, WAIT_SHARE = 200 };

static int64_t mosaic_layout_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* Jobs are `rows` whole rows of a column, or pieces of one row. */
struct grid {
    int64_t columns, last;       /* number of columns, tiles across the last one */
    int64_t rows, groups;        /* of tiles in a job; jobs one below the other */
    int64_t pieces, last_pieces; /* of a row; in the last column */
};

static struct grid grid_of(const struct set *set)
{
    int64_t across = set->tiles / set->tile_rows, column = set->column_tiles;
    struct grid grid = {.columns = mosaic_layout_ceil_div(across, column), .rows = 1, .pieces = 1};
    grid.last = across - (grid.columns - 1) * column;
    grid.last_pieces = 1;
    if (set->tiles_per_job >= column) {
        grid.rows = set->tiles_per_job / column;
    } else {
        grid.pieces = mosaic_layout_ceil_div(column, set->tiles_per_job);
        grid.last_pieces = mosaic_layout_ceil_div(grid.last, set->tiles_per_job);
    }
    grid.groups = mosaic_layout_ceil_div(set->tile_rows, grid.rows);
    return grid;
}

int64_t mosaic_tile_jobs(const struct set *set)
{
    struct grid grid = grid_of(set);
    return grid.groups * ((grid.columns - 1) * grid.pieces + grid.last_pieces);
}

int64_t mosaic_jobs(const struct set *set)
{
    return mosaic_tile_jobs(set) + 1 + set->parts + 1;
}

static int64_t mosaic_layout_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void fill_tiles(const struct set *set, struct job *job)
{
    struct grid grid = grid_of(set);
    int64_t column = mosaic_layout_least(job->id / (grid.groups * grid.pieces), grid.columns - 1);
    int64_t rest = job->id - column * grid.groups * grid.pieces;
    bool last = column == grid.columns - 1;
    int64_t width = last ? grid.last : set->column_tiles;
    int64_t pieces = last ? grid.last_pieces : grid.pieces;
    int64_t row = rest / pieces * grid.rows, left = rest % pieces * set->tiles_per_job;
    job->kind = JOB_TILES;
    job->offset = column * set->column_tiles * set->tile_rows + row * width + left;
    job->size = pieces > 1 ? mosaic_layout_least(set->tiles_per_job, width - left)
                           : width * mosaic_layout_least(grid.rows, set->tile_rows - row);
}

void mosaic_job(const struct set *set, int64_t id, struct job *job)
{
    int64_t after = id - mosaic_tile_jobs(set);
    *job = (struct job){.id = id, .kind = JOB_FINISH};
    snprintf(job->set, sizeof job->set, "%s", set->identity);
    if (after < 0) {
        fill_tiles(set, job);
    } else if (after == 0) {
        job->kind = JOB_INDEX;
    } else if (after <= set->parts) {
        job->kind = JOB_PART;
        job->offset = after - 1;
        job->size = set->parts;
    }
}

swathe_status mosaic_check_job(const struct set *set, const struct job *job)
{
    struct job own;
    if (!set->is_mosaic || !mosaic_kind(job->kind))
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED, "set %s has no jobs of kind '%s'", set->name,
                          job_kind_name(job->kind));
    if (job->id >= mosaic_jobs(set))
        return fleet_fail(SWATHE_ERROR_INPUT, "job %" PRId64 " of a set with %" PRId64, job->id,
                          mosaic_jobs(set));
    mosaic_job(set, job->id, &own);
    if (job->kind == own.kind && job->offset == own.offset && job->size == own.size)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_INPUT,
                      "job %" PRId64 " is '%s' %" PRId64 ", %" PRId64
                      " in set %s, not '%s' %" PRId64 ", %" PRId64,
                      job->id, job_kind_name(own.kind), own.offset, own.size, set->name,
                      job_kind_name(job->kind), job->offset, job->size);
}

void mosaic_divide(struct set *set, int64_t tiles_per_job, int64_t pixels, int64_t bytes)
{
    int64_t most = MOSAIC_TILES_PER_JOB / set->planes;
    if (tiles_per_job == 0) {
        tiles_per_job = mosaic_layout_ceil_div(JOB_PIXELS, pixels);
        if (tiles_per_job < JOB_ROWS * set->column_tiles)
            tiles_per_job = JOB_ROWS * set->column_tiles;
    }
    set->tiles_per_job = tiles_per_job < most ? tiles_per_job : most > 0 ? most : 1;
    int64_t jobs = mosaic_layout_ceil_div(mosaic_layout_ceil_div(bytes, PART_BYTES), PARTS_PER_JOB);
    set->parts = jobs < 1 ? 1 : mosaic_layout_least(jobs, MOSAIC_PARTS);
}

swathe_status mosaic_check_tiles(const struct set *set)
{
    if (set->tiles <= MOST_TILES / set->planes)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_LIMIT,
                      "the image has %" PRId64 " tiles of %" PRId64
                      " planes, limit %d in all; give "
                      "larger ones, for example --tile 1024",
                      set->tiles, set->planes, MOST_TILES);
}

swathe_status mosaic_check_numbers(const struct set *set)
{
    if (set->tiles % set->tile_rows == 0 && set->column_tiles <= set->tiles / set->tile_rows)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_INPUT,
                      "record of a set: %" PRId64 " tiles in %" PRId64 " rows, columns of %" PRId64
                      " tiles",
                      set->tiles, set->tile_rows, set->column_tiles);
}

/* A quarter of the time that the tiles still need if they go on as before, so that the wait ends
 * soon after them. After that, a small share of what the set took so far: the pauses add little to
 * it, and a long set costs few requests. */
int mosaic_wait_ms(const struct set *set, int64_t open, double age)
{
    int64_t all = mosaic_tile_jobs(set), left = open - (set->parts + 2);
    double done = (double)(left < all ? all - left : 1);
    double seconds = age / WAIT_SHARE;
    if (left > 0 && (double)left * age / done / 4 > seconds)
        seconds = (double)left * age / done / 4;
    int64_t ms = seconds < WAIT_MOST_MS ? (int64_t)(seconds * 1000) : WAIT_MOST_MS;
    return (int)(ms > WAIT_MS ? mosaic_layout_least(ms, WAIT_MOST_MS) : WAIT_MS);
}

int64_t mosaic_part_bytes(int64_t total)
{
    int64_t size =
        mosaic_layout_ceil_div(mosaic_layout_ceil_div(total, MOST_PARTS), MEBIBYTE) * MEBIBYTE;
    return size > PART_BYTES ? size : PART_BYTES;
}
