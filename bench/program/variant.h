/* What the reports call their ways to compute: variant.def. */
#ifndef SWATHE_BENCH_VARIANT_H
#define SWATHE_BENCH_VARIANT_H

struct variant {
    const char *suite, *name, *strategy;
};

/* NULL past the end. */
const struct variant *variant_at(int index);

/* The variant of a suite that is this strategy, under its first name; NULL: none. */
const struct variant *variant_of(const char *suite, const char *strategy);

/* The variant with this name, with or without spaces, in a suite or, if `suite` is NULL, in any.
 * NULL: none. If suites use the name for different strategies, `other` is set to another one. */
const struct variant *variant_named(const char *suite, const char *name,
                                    const struct variant **other);

#endif
