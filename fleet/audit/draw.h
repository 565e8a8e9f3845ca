/* Which images are audited: drawn with a secret seed, so that no worker can know. */
#ifndef FLEET_AUDIT_DRAW_H
#define FLEET_AUDIT_DRAW_H

#include "swathe/swathe.h"

struct audit_draw {
    unsigned char seed[32];
    double share; /* above 0, at most 1 */
};

/* The seed comes from the system, or from a file of at least 16 bytes. */
swathe_status audit_draw_start(struct audit_draw *draw, double share, const char *seed_file);
/* The next index after `at` of the images of a message, or `count`. Every image is drawn with the
 * same probability, independently of all others, and always the same for the same seed. Start with
 * -1; `drawn` counts the calls for this message. */
swathe_status audit_draw_next(const struct audit_draw *draw, uint64_t sequence, int32_t drawn,
                              int32_t count, int32_t *at);

#endif
