/* exp, sin and cos computed only with correctly rounded operations, so that every platform computes
 * the same taps. The error is a few units in the last place, and the same on every platform. */
#ifndef SWATHE_FILTER_EXACT_MATH_H
#define SWATHE_FILTER_EXACT_MATH_H

double exact_exp(double x);
/* Angles in degrees; multiples of 90 give exact zeros and ones. */
double exact_sin(double degrees);
double exact_cos(double degrees);

#endif
