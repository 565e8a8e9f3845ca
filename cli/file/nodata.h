/* What is missing in an image: by --nodata, or by the tag of its file. */
#ifndef SWATHE_CLI_FILE_NODATA_H
#define SWATHE_CLI_FILE_NODATA_H

#include "commands/options.h"

enum { NODATA_TEXT = 120 };

struct nodata {
    char text[NODATA_TEXT]; /* for swathe_plan_options; empty: nothing is missing */
    bool from_tag;          /* of the file */
    bool ignored;           /* --nodata none: the result has no tag */
};

/* Finds it for a source, or without one (NULL). 0, or the exit code after a message. */
int nodata_find(const struct options *options, const swathe_source *source, struct nodata *nodata);

/* The text for the library; NULL: nothing is missing. */
const char *nodata_text(const struct nodata *nodata);

#endif
