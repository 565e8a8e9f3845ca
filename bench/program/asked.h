/* What the command line asks to measure. */
#ifndef SWATHE_BENCH_ASKED_H
#define SWATHE_BENCH_ASKED_H

#include "agenda.h"
#include "options.h"

/* The experiments of the suite, or the chains. 0, or the exit code after a message. */
int asked_agenda(const struct options *options, struct agenda *agenda);

/* Are a suite's chains, types, layouts or borders replaced, so that published figures are about
 * other problems? */
bool asked_overrides(const struct options *options);

#endif
