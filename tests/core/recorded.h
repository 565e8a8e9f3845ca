/* Problems for the record of results. */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include "../../cli/rng.h"

#include <stddef.h>
#include <stdint.h>

/* Problems per round: every pair of types with every border and every rule. */
enum { RECORDED_ROUND = 4 * 4 * 7 * 9 };

/* Writes problem `index`, without its contract: "shape=… chain={…}". The index selects types,
 * border and rule, so that each combination occurs equally often; the rest is random. */
void recorded_draw(struct rng *rng, int64_t index, char *text, size_t size);

#endif
