/* Files of mosaics with a planted bug, which the tests of mosaics must find. */
#include "store.h"

#if defined(PLANT_OFFSET) /* parts are copied from one byte before their place */
#define store_parts_copy(store, url, id, number, offset, from, start, size, part)                  \
    store_parts_copy(store, url, id, number, offset, from, (start) > 0 ? (start)-1 : 0, size, part)
#include "../../fleet/mosaic/part.c"
#elif defined(PLANT_VERSION) /* every version of the source is accepted */
#include <string.h>
#define strcmp(a, b) ((void)(a), (void)(b), 0)
#include "../../fleet/mosaic/source.c"
#elif defined(PLANT_LEFT) /* temporary objects are not deleted */
#include "../../fleet/mosaic/stage.h"
#define stage_remove(store, set) ((void)(store), (void)(set), SWATHE_OK)
#include "../../fleet/mosaic/work.c"
#else
#error "no bug"
#endif
