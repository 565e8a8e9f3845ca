/* Least squares with few unknowns, none of which may be negative: solves for every subset of
 * non-zero unknowns and takes the best solution without negative ones. */
#include "plan/cost.h"

#include <math.h>

struct system {
    double matrix[COST_TERMS][COST_TERMS + 1]; /* normal equations, right-hand side last */
};

static bool cost_fit_holds(unsigned set, int term)
{
    return set >> term & 1;
}

/* Normal equations of Σ over loads of ((Σ_t x_t·count_t − ns) / scale)². */
static struct system normal_equations(const struct cost_load *loads, const double *ns,
                                      const double *scale, int32_t count, unsigned set)
{
    struct system s = {{{0}}};
    for (int i = 0; i < COST_TERMS; i++)
        for (int32_t n = 0; n < count && cost_fit_holds(set, i); n++) {
            double a = loads[n].count[i] / scale[n];
            for (int j = 0; j < COST_TERMS; j++)
                s.matrix[i][j] += cost_fit_holds(set, j) ? a * loads[n].count[j] / scale[n] : 0.0;
            s.matrix[i][COST_TERMS] += a * ns[n] / scale[n];
        }
    for (int i = 0; i < COST_TERMS; i++)
        if (!cost_fit_holds(set, i))
            s.matrix[i][i] = 1.0; /* unknown fixed at zero */
    return s;
}

/* Gauss-Jordan elimination. The matrix is symmetric and positive semidefinite, so the diagonal
 * serves as pivots. */
static bool cost_fit_solve(struct system *s, struct cost_rate *rate)
{
    double start[COST_TERMS];
    for (int i = 0; i < COST_TERMS; i++)
        start[i] = s->matrix[i][i];
    for (int i = 0; i < COST_TERMS; i++) {
        double pivot = s->matrix[i][i];
        if (!(pivot > 1e-9 * start[i]) || !(pivot > 0.0))
            return false;
        for (int j = 0; j <= COST_TERMS; j++)
            s->matrix[i][j] /= pivot;
        for (int r = 0; r < COST_TERMS; r++) {
            double factor = s->matrix[r][i];
            for (int j = 0; j <= COST_TERMS && r != i; j++)
                s->matrix[r][j] -= factor * s->matrix[i][j];
        }
    }
    for (int i = 0; i < COST_TERMS; i++)
        rate->ns[i] = s->matrix[i][COST_TERMS];
    return true;
}

/* The value of that sum; infinite if a term is negative. */
static double squared_error(const struct cost_load *loads, const double *ns, const double *scale,
                            int32_t count, const struct cost_rate *rate)
{
    double sum = 0.0;
    for (int t = 0; t < COST_TERMS; t++)
        if (!(rate->ns[t] >= 0.0))
            return INFINITY;
    for (int32_t n = 0; n < count; n++) {
        double error = (cost_ns(&loads[n], rate) - ns[n]) / scale[n];
        sum += error * error;
    }
    return sum;
}

static bool fit_once(const struct cost_load *loads, const double *ns, const double *scale,
                     int32_t count, struct cost_rate *rate)
{
    double best = INFINITY;
    for (unsigned set = 1; set < 1u << COST_TERMS; set++) {
        struct cost_rate got;
        struct system s = normal_equations(loads, ns, scale, count, set);
        double error =
            cost_fit_solve(&s, &got) ? squared_error(loads, ns, scale, count, &got) : INFINITY;
        if (error < best) {
            best = error;
            *rate = got;
        }
    }
    return best < INFINITY;
}

/* Errors relative to the measured times alone would favour rates that are too low: a prediction of
 * half the time would count less than one of twice the time. Relative to the mean of time and
 * prediction, both count the same. */
bool cost_fit(const struct cost_load *loads, const double *ns, int32_t count,
              struct cost_rate *rate)
{
    enum { ROUNDS = 6 };
    double scale[COST_FIT_MAX];
    if (count < 1 || count > COST_FIT_MAX)
        return false;
    for (int r = 0; r < ROUNDS; r++) {
        for (int32_t n = 0; n < count; n++)
            scale[n] = r == 0 ? ns[n] : sqrt(ns[n] * cost_ns(&loads[n], rate));
        if (!fit_once(loads, ns, scale, count, rate))
            return false;
    }
    return true;
}
