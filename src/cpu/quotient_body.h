/* Body of the kernel that divides sums by sums of weights. */

/* Loops that compilers vectorize: one for each kind of result. */
#define QUOTIENT_LOOP(rounded)                                                                     \
    for (int64_t i = 0, count = args->count; i < count; i++) {                                     \
        double v = n[i] / (d[i] == all ? unit : d[i]);                                             \
        v = (d[i] == all ? v : v * ratio) + bias;                                                  \
        v = rounded;                                                                               \
        v = v < low ? low : v > high ? high : v;                                                   \
        v = v == taken ? beside : v;                                                               \
        result[i] = ((fabs(d[i]) >= least) & (m[i] != 0.0)) ? v : none;                            \
    }
#define DEFINE_QUOTIENT(id, src, dst)                                                              \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const double *n = args->source[0], *d = args->source[1], *m = args->source[2];             \
        const struct kernel_quotient *q = args->taps;                                              \
        double all = q->all, unit = q->unit, least = q->least, none = q->none, bias = args->bias;  \
        double beside = q->beside, low = args->low, high = args->high, ratio = all / unit;         \
        const double taken = beside == none ? NAN : none; /* otherwise -0 would become 0 */        \
        double *restrict result = args->result;                                                    \
        if (q->is_integer)                                                                         \
            QUOTIENT_LOOP(half_up(v))                                                              \
        else if (q->is_f32)                                                                        \
            QUOTIENT_LOOP((double)(float)v)                                                        \
        else                                                                                       \
            QUOTIENT_LOOP(v)                                                                       \
    }
