/* What is missing in an image: by --nodata, by the tag of its file, or by another image (--mask).
 */
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

/* Replaces *source, which the new one owns, by one whose missing pixels --mask names. Rows of both
 * images are read together, so that neither needs to be in memory. Missing pixels get the nodata
 * value if there is one, or NaN in floats; otherwise the image gets an alpha channel, which is 0
 * there. Without --mask nothing changes. 0, or the exit code after a message; *source then remains
 * as it was. */
int mask_source_wrap(swathe_context *context, const struct options *options,
                     swathe_source **source);

#endif
