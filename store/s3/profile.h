/* The profile files of AWS: sections in brackets, lines `name = value`. */
#ifndef STORE_S3_PROFILE_H
#define STORE_S3_PROFILE_H

#include <stddef.h>
#include <swathe/swathe.h>

struct profile_field {
    const char *name; /* such as "region" */
    char *value;      /* filled if it is empty and the profile has the name */
    size_t size;
};

/* Reads a profile of a file. `section` is its name in brackets. A file that does not exist changes
 * nothing. */
swathe_status store_profile_read(const char *path, const char *section,
                                 const struct profile_field *fields, size_t count);

#endif
