/* Converts options to structs of the library. */
#ifndef SWATHE_CLI_COMMANDS_REQUEST_H
#define SWATHE_CLI_COMMANDS_REQUEST_H

#include "commands/options.h"

swathe_status request_context(const struct options *options, swathe_context **context);
/* --threads, or CPUs of the machine. */
int32_t request_threads(const struct options *options);
/* --max-memory, or half of the free memory. */
int64_t request_memory(const struct options *options);
/* 0, or the exit code after a message. */
int request_plan(const struct options *options, swathe_plan_options *plan);
/* True if --values fit measures the image, from one share of its samples to another, in percent. */
bool request_shares(const struct options *options, double shares[2]);
/* Is alpha the weight of colours, if nothing else has weights? */
bool request_weighs_alpha(const struct options *options);
swathe_read_options request_read(const struct options *options);
swathe_write_options request_write(const struct options *options);

/* Parses a chain; on failure prints a message and returns the exit code. */
int request_chain(swathe_context *context, const struct options *options, swathe_chain **chain);

/* Opens an image file or standard input; on failure prints a message and returns the exit code. */
int request_source(swathe_context *context, const struct options *options, const char *path,
                   swathe_source **source);
/* The same for standard input whose first bytes were read already. */
int request_started(swathe_context *context, const struct options *options, const char *path,
                    const void *head, size_t head_size, swathe_source **source);
/* The same for a given page instead of that of --page; `same_file` has another page, or is NULL. */
int request_page(swathe_context *context, const struct options *options, const char *path,
                 int64_t page, const swathe_source *same_file, swathe_source **source);

/* Fills in the curves of --light linear, those of the source's profile; NULL if it has none, or
 * they are not needed. */
const swathe_curves *request_curves(const struct options *options, const swathe_source *source,
                                    swathe_curves *curves);

#endif
