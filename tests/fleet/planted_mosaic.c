/* Files of mosaics with a planted bug, which the tests of mosaics must find. */
#include "store.h"

#if defined(PLANT_OFFSET) /* parts are copied to one byte before their place */
#define store_parts_copy(store, url, id, number, offset, from, start, size, part)                  \
    store_parts_copy(store, url, id, number, (offset) > 0 ? (offset)-1 : 0, from, start, size, part)
#include "../../fleet/mosaic_part.c"
#elif defined(PLANT_PLACE) /* the first tiles start one byte too early */
#define prefix_bytes prefix_bytes - 1
#include "../../fleet/mosaic_ahead.c"
#elif defined(PLANT_ALONE) /* the tiles after those of a job are not copied */
#include "../../fleet/mosaic_work.h"
#define mosaic_tile_jobs(set) (job + 1)
#include "../../fleet/mosaic_ahead.c"
#elif defined(PLANT_FEW) /* only places of tiles that are copied at once are recorded */
#include "../../fleet/mosaic_work.h"
#define mosaic_tile_jobs(set) (job + 16)
#include "../../fleet/mosaic_ahead.c"
#elif defined(PLANT_EARLIER) /* records of an earlier set are used */
#include <string.h>
#define strcmp(a, b) ((void)(a), (void)(b), 0)
#include "../../fleet/mosaic_record.c"
#elif defined(PLANT_TRUST) /* tiles that a worker was going to copy count as copied */
#include "../../fleet/mosaic_work.h"
#define stage_get_part(store, set, number, size, part)                                             \
    ((void)(part), stage_get_place(store, set, (number)-2, &(struct stage_place){0}))
#include "../../fleet/mosaic_part.c"
#elif defined(PLANT_VERSION) /* every version of the source is accepted */
#include <string.h>
#define strcmp(a, b) ((void)(a), (void)(b), 0)
#include "../../fleet/mosaic_source.c"
#elif defined(PLANT_LEFT) /* temporary objects are not deleted */
#include "../../fleet/mosaic_stage.h"
#define stage_remove(store, set) ((void)(store), (void)(set), SWATHE_OK)
#include "../../fleet/mosaic_work.c"
#else
#error "no bug"
#endif
