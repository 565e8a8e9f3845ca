/* The record of a set from the options of submit. */
#ifndef FLEET_SUBMIT_SUBMIT_SET_H
#define FLEET_SUBMIT_SUBMIT_SET_H

#include "fleet_options.h"
#include "set/set.h"

/* Checks the chain and the options that the library knows. Frees nothing on failure: call set_free
 * in either case. */
swathe_status submit_set_fill(const struct fleet_options *options, struct set *set);
/* SWATHE_ERROR_ARGUMENT, and where they differ, if the record is not that of the set. */
swathe_status submit_set_compare(const struct set *set, const char *record);

#endif
