/* The algorithms that a stage could use, their predicted costs, and the choice among them. */
#ifndef SWATHE_PLAN_CANDIDATE_H
#define SWATHE_PLAN_CANDIDATE_H

#include "plan/wisdom.h"

struct candidate {
    const struct algorithm *algorithm;
    const void *analysis; /* of the op, by this algorithm */
    double work;          /* per result sample; see algorithm.h */
    double predicted_ns;  /* one run of the stage on one thread */
    double measured_ns;   /* 0: this problem was not measured */
    double error_bound;   /* for float samples within ±1 */
};

struct candidates {
    int32_t count, chosen;
    struct candidate list[ALGORITHM_COUNT];
    const struct algorithm *inapplicable; /* requested, but does not apply; NULL: none */
};

struct candidate_rule {
    struct wisdom *wisdom;
    int isa;
    bool exact;
    double accuracy;                /* that float results must have; 0: any */
    const struct algorithm *forced; /* NULL: none */
};

/* Chooses the forced algorithm if it applies; otherwise the one measured as the fastest for this
 * problem; otherwise the one predicted to be the fastest. */
swathe_status candidates_find(struct arena *arena, const struct op *op,
                              const struct candidate_rule *rule, struct candidates *candidates);

/* Adds to the candidates of an op those of the three stages that compute the same, by the names of
 * the algorithms of the second one, and chooses again. */
void candidates_add_three(const struct op *op, const struct candidate_rule *rule,
                          const struct candidates *three, struct candidates *candidates);

/* Sets the bound of a candidate from the bounds of the op. */
void candidate_bound(const struct op *op, struct candidate *candidate);

/* The key of a stage in wisdom. */
uint64_t candidate_key(const struct op *op, const struct candidate_rule *rule);

static inline const struct candidate *candidates_chosen(const struct candidates *candidates)
{
    return &candidates->list[candidates->chosen];
}

/* The measured time, or the predicted one if there is none. */
static inline double candidate_ns(const struct candidate *candidate)
{
    return candidate->measured_ns > 0.0 ? candidate->measured_ns : candidate->predicted_ns;
}

#endif
