/* Body of the kernel that looks up samples of u8 in a table. Compilers do not use gather
 * instructions by themselves. */

/* The results of a cache line of samples. */
static inline void look_up_line(const float *table, const uint8_t *p, float *result)
{
#if defined(__AVX512F__)
    for (int i = 0; i < 64; i += 16) {
        __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)(p + i)));
        _mm512_storeu_ps(result + i, _mm512_i32gather_ps(at, table, 4));
    }
#elif defined(__AVX2__)
    for (int i = 0; i < 64; i += 8) {
        __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(p + i)));
        _mm256_storeu_ps(result + i, _mm256_i32gather_ps(table, at, 4));
    }
#else
    for (int i = 0; i < 64; i++)
        result[i] = table[p[i]];
#endif
}

#define DEFINE_LOOK_UP(id, src, dst)                                                               \
    static void KERNEL_NAME(ISA_ID, id)(const struct kernel_args *args)                            \
    {                                                                                              \
        const SAMPLE_##src *p = args->source[0];                                                   \
        const SAMPLE_##dst *table = args->taps;                                                    \
        SAMPLE_##dst *result = args->result;                                                       \
        const uint8_t *ahead = args->ahead ? args->ahead[0] : NULL;                                \
        int64_t i = 0, count = args->count;                                                        \
        for (; i + 64 <= count; i += 64) {                                                         \
            if (ahead)                                                                             \
                prefetch_near(ahead + i);                                                          \
            look_up_line(table, p + i, result + i);                                                \
        }                                                                                          \
        for (; i < count; i++)                                                                     \
            result[i] = table[p[i]];                                                               \
    }
