/* fleet/worker/image.c with a planted bug, which the tests of workers must find. */
#include "store.h"
#include "worker/hash.h"

#if defined(PLANT_SAMPLES) /* the checksum of the samples does not cover the shape */
#define worker_hash_image(hash, shape) ((void)(shape), SWATHE_OK)
#elif defined(PLANT_OUTPUT) /* the last byte is lost */
#define store_put(store, url, bytes, size, mode) store_put(store, url, bytes, (size)-1, mode)
#else
#error "no bug"
#endif

#include "../../fleet/worker/image.c"
