/* The cost of a stage: how often each kind of work occurs, times the time that this machine needs
 * for it. */
#ifndef SWATHE_PLAN_COST_H
#define SWATHE_PLAN_COST_H

#include "algorithm/algorithm.h"

/* The class of samples that a stage's arithmetic processes. */
enum cost_class { COST_U8, COST_16, COST_F32, COST_F64, COST_CLASSES };

/* The time is a constant per run plus, for each row and for each result sample, a constant and an
 * amount per unit of the algorithm's work. The work of a row is done before and after its full
 * vectors; without it, small images would be predicted several times too fast. */
enum cost_term { COST_RUN, COST_ROW, COST_ROW_WORK, COST_SAMPLE, COST_WORK, COST_TERMS };

/* How often each term occurs in one run of a stage, and its nanoseconds on one thread. The time is
 * the sum of the products. */
struct cost_load {
    double count[COST_TERMS];
};
struct cost_rate {
    double ns[COST_TERMS];
};

enum cost_class cost_class(const struct op *op);
const char *cost_class_name(enum cost_class kind);

/* `work`: per result sample, from an algorithm. */
struct cost_load cost_load(const struct op *op, double work);
double cost_ns(const struct cost_load *load, const struct cost_rate *rate);

/* The built-in table (rate.def), used if this machine was not measured. */
struct cost_rate cost_built_in(int isa, const struct algorithm *algorithm, enum cost_class kind);

/* Finds the rate without negative terms that fits the times of `count` loads best, by relative
 * error. False if there are no usable times. */
enum { COST_FIT_MAX = 256 };
bool cost_fit(const struct cost_load *loads, const double *ns, int32_t count,
              struct cost_rate *rate);

#endif
