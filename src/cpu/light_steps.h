/* Linear light to samples of u8, 16 at a time; see KERNEL_STEP. Compilers do not use gather
 * instructions by themselves. Returns how many samples were converted. */
#if defined(__AVX512F__)
static inline int64_t steps_vectors(const struct kernel_steps *s, const float *p, uint8_t *result,
                                    int64_t count)
{
    const __m512 lowest = _mm512_set1_ps(s->lowest), highest = _mm512_set1_ps(s->highest);
    const __m512i first = _mm512_set1_epi32((int)s->first), below = _mm512_set1_epi32(0xffff);
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        /* The second operand if one is NaN. */
        __m512 light = _mm512_min_ps(_mm512_max_ps(_mm512_loadu_ps(p + i), lowest), highest);
        __m512i at = _mm512_sub_epi32(_mm512_castps_si512(light), first);
        __m512i got =
            _mm512_i32gather_epi32(_mm512_srli_epi32(at, 16), (const void *)s->buckets, 4);
        got = _mm512_srli_epi32(_mm512_add_epi32(got, _mm512_and_si512(at, below)), 16);
        _mm_storeu_si128((void *)(result + i), _mm512_cvtepi32_epi8(got));
    }
    return i;
}
#elif defined(__AVX2__)
static inline __m256i steps_vector(const struct kernel_steps *s, const float *p)
{
    __m256 light = _mm256_max_ps(_mm256_loadu_ps(p), _mm256_set1_ps(s->lowest));
    light = _mm256_min_ps(light, _mm256_set1_ps(s->highest));
    __m256i at = _mm256_sub_epi32(_mm256_castps_si256(light), _mm256_set1_epi32((int)s->first));
    __m256i got =
        _mm256_i32gather_epi32((const int *)(const void *)s->buckets, _mm256_srli_epi32(at, 16), 4);
    got = _mm256_add_epi32(got, _mm256_and_si256(at, _mm256_set1_epi32(0xffff)));
    return _mm256_srli_epi32(got, 16);
}

static inline int64_t steps_vectors(const struct kernel_steps *s, const float *p, uint8_t *result,
                                    int64_t count)
{
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m256i pair = _mm256_packus_epi32(steps_vector(s, p + i), steps_vector(s, p + i + 8));
        pair = _mm256_permute4x64_epi64(pair, 0xd8);
        _mm_storeu_si128((void *)(result + i), _mm_packus_epi16(_mm256_castsi256_si128(pair),
                                                                _mm256_extracti128_si256(pair, 1)));
    }
    return i;
}
#else
static inline int64_t steps_vectors(const struct kernel_steps *s, const float *p, uint8_t *result,
                                    int64_t count)
{
    (void)s;
    (void)p;
    (void)result;
    (void)count;
    return 0;
}
#endif
