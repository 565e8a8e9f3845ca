/* The algorithms that a stage could use, what each would cost, and which one it gets. */
#ifndef SWATHE_PLAN_CANDIDATE_H
#define SWATHE_PLAN_CANDIDATE_H

#include "plan/wisdom.h"

struct candidate {
    const struct algorithm *algorithm;
    const void *analysis; /* the algorithm's, of the op */
    double work;          /* of a result sample */
    double predicted_ns;  /* one run of the stage on one thread */
    double measured_ns;   /* 0: this problem was not measured */
    double error_bound;   /* float samples within ±1 */
};

struct candidates {
    int32_t count, chosen;
    struct candidate list[ALGORITHM_COUNT];
    const struct algorithm *misfit; /* was asked for, but does not fit; else NULL */
};

struct candidate_rule {
    struct wisdom *wisdom;
    int isa;
    bool exact;
    double accuracy;                /* that floats must have; 0: any */
    const struct algorithm *forced; /* NULL: none */
};

/* The forced algorithm where it fits, else the one that was measured to be the fastest for this
 * problem, else the one that is predicted to be. */
swathe_status candidates_find(struct arena *arena, const struct op *op,
                              const struct candidate_rule *rule, struct candidates *candidates);

/* Sets the bound of a candidate from those of the op. */
void candidate_bound(const struct op *op, struct candidate *candidate);

/* What wisdom knows a stage by. */
uint64_t candidate_key(const struct op *op, const struct candidate_rule *rule);

static inline const struct candidate *candidates_chosen(const struct candidates *candidates)
{
    return &candidates->list[candidates->chosen];
}

/* The better of what is known about its time. */
static inline double candidate_ns(const struct candidate *candidate)
{
    return candidate->measured_ns > 0.0 ? candidate->measured_ns : candidate->predicted_ns;
}

#endif
