/* Included once per instruction set by peak_fma.c, which defines
 *   RUN                   the function's name
 *   TARGET                the attribute that allows its instructions
 *   VECTOR                a vector type of floats
 *   CHAINS                the number of independent sums; they and two more vectors must fit into
 *                         the registers
 *   MULTIPLY_ADD(a, b)    a * b + b
 *   REGISTER              constraint of a vector register */
TARGET static float RUN(int64_t steps)
{
    VECTOR factor, sum[CHAINS];
    for (size_t lane = 0; lane < sizeof factor / sizeof(float); lane++) {
        factor[lane] = 0.999f;
        for (int i = 0; i < CHAINS; i++)
            sum[i][lane] = (float)i;
    }
    for (int64_t step = 0; step < steps; step++) {
#pragma GCC unroll 16
        for (int i = 0; i < CHAINS; i++)
            sum[i] = MULTIPLY_ADD(sum[i], factor);
        __asm__ volatile("" : "+" REGISTER(factor)); /* or the compiler folds the loop */
    }
    for (int i = 1; i < CHAINS; i++)
        sum[0] += sum[i];
    return sum[0][0];
}
#undef RUN
#undef TARGET
#undef VECTOR
#undef CHAINS
#undef MULTIPLY_ADD
#undef REGISTER
