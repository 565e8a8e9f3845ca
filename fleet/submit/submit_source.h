/* Where the keys of a set come from. */
#ifndef FLEET_SUBMIT_SUBMIT_SOURCE_H
#define FLEET_SUBMIT_SUBMIT_SOURCE_H

#include "store.h"
#include "submit/submission.h"

/* Adds the keys of the set's prefix or manifest that follow progress.last. */
swathe_status submit_source_run(struct submission *submission, struct store *store);

/* Fails if the set's prefix or manifest cannot be read, or has no images. */
swathe_status submit_source_check(const struct set *set, struct store *store);

/* The failure that it has none. */
swathe_status submit_source_empty(const struct set *set);

/* An absolute URL or path; directories, and prefixes if `is_prefix`, end in '/'. */
swathe_status submit_source_url(const char *text, bool is_prefix, char **url);

#endif
