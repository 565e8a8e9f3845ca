/* The experiments that the command line requests. */
#ifndef SWATHE_BENCH_ASKED_H
#define SWATHE_BENCH_ASKED_H

#include "agenda.h"
#include "commands/options.h"

/* Adds the experiments of the suite, or the chains. 0, or the exit code after a message. */
int asked_agenda(const struct options *options, struct agenda *agenda);

/* True if options replace a suite's chains, types, layouts or borders, so that published times do
 * not apply. */
bool asked_overrides(const struct options *options);

#endif
