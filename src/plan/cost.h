/* What a stage costs: how much there is to do, times what this machine takes for it. */
#ifndef SWATHE_PLAN_COST_H
#define SWATHE_PLAN_COST_H

#include "plan/algorithm.h"

/* Which samples a stage's arithmetic is made for. */
enum cost_class { COST_U8, COST_16, COST_F32, COST_CLASSES };

/* What time is spent on: the run as such, and for each row and each result sample something fixed
 * and something for each unit of the algorithm's work. Work of a row is what comes before and after
 * its full vectors; without it small images would be predicted several times too fast. */
enum cost_term { COST_RUN, COST_ROW, COST_ROW_WORK, COST_SAMPLE, COST_WORK, COST_TERMS };

/* How often each of them occurs in one run of a stage, and the nanoseconds that one takes on one
 * thread: time is the sum of the products. */
struct cost_load {
    double count[COST_TERMS];
};
struct cost_rate {
    double ns[COST_TERMS];
};

enum cost_class cost_class(const struct op *op);
const char *cost_class_name(enum cost_class kind);

/* `work`: of a result sample, by an algorithm. */
struct cost_load cost_load(const struct op *op, double work);
double cost_ns(const struct cost_load *load, const struct cost_rate *rate);

/* The table that the library brings along (rate.def), for when this machine was not measured. */
struct cost_rate cost_built_in(int isa, const struct algorithm *algorithm, enum cost_class kind);

/* The rate without negative parts that explains the times of `count` loads best, by relative
 * error. False where there is nothing to go by. */
enum { COST_FIT_MAX = 256 };
bool cost_fit(const struct cost_load *loads, const double *ns, int32_t count,
              struct cost_rate *rate);

#endif
