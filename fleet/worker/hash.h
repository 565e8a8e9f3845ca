/* SHA-256 of filtered samples and of encoded bytes, as results report them. */
#ifndef FLEET_WORKER_HASH_H
#define FLEET_WORKER_HASH_H

#include "swathe/swathe.h"

enum { HASH_TEXT = 65 }; /* hexadecimal digits and NUL */

struct worker_hash;

swathe_status worker_hash_create(struct worker_hash **hash);
void worker_hash_destroy(struct worker_hash *hash);
swathe_status worker_hash_add(struct worker_hash *hash, const void *bytes, size_t size);
/* Ends the hash; it starts again with the next bytes. */
swathe_status worker_hash_finish(struct worker_hash *hash, char text[HASH_TEXT]);

/* Starts an image, or the next page of one: adds "swathe samples WIDTH HEIGHT CHANNELS TYPE\n".
 * worker_hash_rows then takes its rows from top to bottom. */
swathe_status worker_hash_image(struct worker_hash *hash, const swathe_shape *shape);
/* Adds full-width rows, as interleaved little-endian samples. */
swathe_status worker_hash_rows(struct worker_hash *hash, const swathe_image *rows);

#endif
