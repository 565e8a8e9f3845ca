/* Intel IPP behind one plan and one run: 1, 3 or 4 channels, replicated border, cut into strips of
 * rows for the threads. A strip sees its neighbours' rows through the "in memory" border flags. */
#include "split.h"

#include <ipp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum { DENSE_64F, DENSE_32F, DENSE_16S, SEPARABLE_32F, GAUSSIAN, BOX } ipp_op;

typedef struct {
    IppiSize size;
    int64_t first_row;
    IppiBorderType border;
    void *spec;
    Ipp8u *buffer;
    IppStatus status;
} strip;

typedef struct {
    ipp_op op;
    IppDataType type;
    int channels, taps, threads, count;
    int64_t row_bytes;
    strip *strips;
    const uint8_t *from;
    uint8_t *to;
} plan;

/* What the plan is made from: a mask of taps × taps (DENSE), `taps` of one direction (SEPARABLE),
 * or a sigma (GAUSSIAN). Integer taps are divided by `divisor`. */
typedef struct {
    const Ipp64f *doubles;
    const Ipp32f *floats;
    const Ipp16s *shorts;
    int divisor;
    float sigma;
} ipp_mask;

static int sample_bytes(IppDataType type)
{
    return type == ipp8u ? 1 : type == ipp64f ? 8 : type == ipp32f ? 4 : 2;
}

static IppStatus allocate(strip *s, int spec_bytes, int buffer_bytes)
{
    s->spec = ippsMalloc_8u(spec_bytes + 64);
    s->buffer = ippsMalloc_8u(buffer_bytes + 64);
    return s->spec && s->buffer ? ippStsNoErr : ippStsMemAllocErr;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        IppStatus tried = (call);                                                                  \
        if (tried < 0)                                                                             \
            return tried;                                                                          \
    } while (0)

static IppStatus init_dense(const plan *p, strip *s, const ipp_mask *m)
{
    IppiSize k = {p->taps, p->taps};
    IppDataType taps = p->op == DENSE_16S ? ipp16s : p->op == DENSE_64F ? ipp64f : ipp32f;
    int spec, buffer;
    TRY(ippiFilterBorderGetSize(k, s->size, p->type, taps, p->channels, &spec, &buffer));
    TRY(allocate(s, spec, buffer));
    if (p->op == DENSE_16S)
        return ippiFilterBorderInit_16s(m->shorts, k, m->divisor, p->type, p->channels, ippRndNear,
                                        s->spec);
    if (p->op == DENSE_64F)
        return ippiFilterBorderInit_64f(m->doubles, k, p->type, p->channels, ippRndNear, s->spec);
    return ippiFilterBorderInit_32f(m->floats, k, p->type, p->channels, ippRndNear, s->spec);
}

static IppStatus init_separable(const plan *p, strip *s, const ipp_mask *m)
{
    IppiSize k = {p->taps, p->taps};
    int spec, buffer;
    TRY(ippiFilterSeparableGetSpecSize(k, p->type, p->channels, &spec));
    TRY(ippiFilterSeparableGetBufferSize(s->size, k, p->type, ipp32f, p->channels, &buffer));
    TRY(allocate(s, spec, buffer));
    return ippiFilterSeparableInit_32f(m->floats, m->floats, k, p->type, p->channels, s->spec);
}

static IppStatus init_strip(const plan *p, strip *s, const ipp_mask *m)
{
    IppiSize k = {p->taps, p->taps};
    int spec = 0, buffer;
    switch (p->op) {
    case DENSE_64F:
    case DENSE_32F:
    case DENSE_16S:
        return init_dense(p, s, m);
    case SEPARABLE_32F:
        return init_separable(p, s, m);
    case GAUSSIAN:
        TRY(ippiFilterGaussianGetBufferSize(s->size, (Ipp32u)p->taps, p->type, p->channels, &spec,
                                            &buffer));
        TRY(allocate(s, spec, buffer));
        return ippiFilterGaussianInit(s->size, (Ipp32u)p->taps, m->sigma, s->border, p->type,
                                      p->channels, s->spec, s->buffer);
    case BOX:
        TRY(ippiFilterBoxBorderGetBufferSize(s->size, k, p->type, p->channels, &buffer));
        return allocate(s, 0, buffer);
    }
    return ippStsBadArgErr;
}

static void cut(const plan *p, int index, int width, int64_t height)
{
    strip *s = &p->strips[index];
    int64_t last = height * (index + 1) / p->count;
    int border = ippBorderRepl;
    s->first_row = height * index / p->count;
    s->size.width = width;
    s->size.height = (int)(last - s->first_row);
    if (index > 0)
        border |= ippBorderInMemTop;
    if (index < p->count - 1)
        border |= ippBorderInMemBottom;
    s->border = (IppiBorderType)border;
}

void ipp_destroy(plan *p)
{
    for (int i = 0; p && p->strips && i < p->count; i++) {
        ippsFree(p->strips[i].spec);
        ippsFree(p->strips[i].buffer);
    }
    if (p)
        free(p->strips);
    free(p);
}

/* Returns NULL and sets *status if IPP refuses. Strips stay below 2^30 bytes: IPP's offsets
 * are 32-bit. */
plan *ipp_create(int op, int type, int width, int64_t height, int channels, int taps,
                 const ipp_mask *mask, int threads, int *status)
{
    plan *p = calloc(1, sizeof *p);
    *status = ippStsMemAllocErr;
    if (!p)
        return NULL;
    *p = (plan){.op = (ipp_op)op,
                .type = (IppDataType)type,
                .channels = channels,
                .taps = taps,
                .threads = threads};
    p->row_bytes = (int64_t)width * channels * sample_bytes(p->type);
    p->count = threads * (int)(p->row_bytes * height / threads / (1 << 30) + 1);
    p->strips = calloc((size_t)p->count, sizeof *p->strips);
    *status = p->strips ? ippInit() : ippStsMemAllocErr;
    for (int i = 0; *status >= 0 && i < p->count; i++) {
        cut(p, i, width, height);
        *status = init_strip(p, &p->strips[i], mask);
    }
    if (*status >= 0)
        return p;
    ipp_destroy(p);
    return NULL;
}

#define ARGUMENTS from, step, to, step, s->size

/* One function for each sample type and number of channels. IPP takes the border value of one
 * channel as a number in some functions and as an array in others. */
#define RUN(T, S, C, VALUE, GAUSSIAN_CASE)                                                         \
    static IppStatus run_##S##_##C(const plan *p, const strip *s, const T *from, T *to)            \
    {                                                                                              \
        T none[4] = {0};                                                                           \
        int step = (int)p->row_bytes;                                                              \
        IppiSize k = {p->taps, p->taps};                                                           \
        switch (p->op) {                                                                           \
        case DENSE_32F:                                                                            \
        case DENSE_16S:                                                                            \
            return ippiFilterBorder_##S##_##C##R(ARGUMENTS, s->border, none, s->spec, s->buffer);  \
        case SEPARABLE_32F:                                                                        \
            return ippiFilterSeparable_##S##_##C##R(ARGUMENTS, s->border, VALUE, s->spec,          \
                                                    s->buffer);                                    \
            GAUSSIAN_CASE(S, C, VALUE)                                                             \
        case BOX:                                                                                  \
            return ippiFilterBoxBorder_##S##_##C##R(ARGUMENTS, k, s->border, none, s->buffer);     \
        default:                                                                                   \
            return ippStsBadArgErr;                                                                \
        }                                                                                          \
    }

#define HAS_GAUSSIAN(S, C, VALUE)                                                                  \
    case GAUSSIAN:                                                                                 \
        return ippiFilterGaussianBorder_##S##_##C##R(ARGUMENTS, VALUE, s->spec, s->buffer);
#define NO_GAUSSIAN(S, C, VALUE)

#define RUN_ALL(T, S)                                                                              \
    RUN(T, S, C1, 0, HAS_GAUSSIAN)                                                                 \
    RUN(T, S, C3, none, HAS_GAUSSIAN)                                                              \
    RUN(T, S, C4, none, NO_GAUSSIAN)                                                               \
    static IppStatus run_##S(const plan *p, const strip *s, const T *from, T *to)                  \
    {                                                                                              \
        return p->channels == 1   ? run_##S##_C1(p, s, from, to)                                   \
               : p->channels == 3 ? run_##S##_C3(p, s, from, to)                                   \
                                  : run_##S##_C4(p, s, from, to);                                  \
    }

RUN_ALL(Ipp8u, 8u)
RUN_ALL(Ipp16u, 16u)
RUN_ALL(Ipp16s, 16s)
RUN_ALL(Ipp32f, 32f)

static IppStatus run_64f(const plan *p, const strip *s, const Ipp64f *from, Ipp64f *to)
{
    const Ipp64f none[1] = {0};
    int step = (int)p->row_bytes;
    if (p->op != DENSE_64F || p->channels != 1)
        return ippStsBadArgErr;
    return ippiFilterBorder_64f_C1R(ARGUMENTS, s->border, none, s->spec, s->buffer);
}

static IppStatus run_strip(const plan *p, const strip *s)
{
    const void *from = p->from + s->first_row * p->row_bytes;
    void *to = p->to + s->first_row * p->row_bytes;
    switch (p->type) {
    case ipp8u:
        return run_8u(p, s, from, to);
    case ipp16u:
        return run_16u(p, s, from, to);
    case ipp16s:
        return run_16s(p, s, from, to);
    case ipp64f:
        return run_64f(p, s, from, to);
    default:
        return run_32f(p, s, from, to);
    }
}

static void run_thread(void *user, int index)
{
    plan *p = user;
    int each = p->count / p->threads;
    for (int i = index * each; i < (index + 1) * each; i++)
        p->strips[i].status = run_strip(p, &p->strips[i]);
}

int ipp_run(plan *p, const void *from, void *to)
{
    p->from = from;
    p->to = to;
    if (split_run(p->threads, run_thread, p) != 0)
        return ippStsErr;
    for (int i = 0; i < p->count; i++)
        if (p->strips[i].status < 0)
            return p->strips[i].status;
    return 0;
}

const char *ipp_error(int status)
{
    return ippGetStatusString((IppStatus)status);
}

/* Excludes the instruction sets above AVX2. ippSetCpuFeatures warns if the CPU has more. */
int ipp_hold_avx2(void)
{
    Ipp64u features = 0;
    const Ipp64u above = ippCPUID_AVX512F | ippCPUID_AVX512CD | ippCPUID_AVX512BW |
                         ippCPUID_AVX512DQ | ippCPUID_AVX512VL | ippCPUID_AVX512VBMI |
                         ippCPUID_AVX512VBMI2 | ippCPUID_AVX512IFMA | ippAVX512_ENABLEDBYOS |
                         ippCPUID_AVX512_FP16;
    IppStatus status = ippGetCpuFeatures(&features, NULL);
    return status < 0 ? status : ippSetCpuFeatures(features & ~above) < 0;
}

/* The name of the library for this CPU, such as "ippIP AVX2 (l9)". */
const char *ipp_variant(void)
{
    return ippiGetLibVersion()->Name;
}

const char *ipp_version(void)
{
    return ippiGetLibVersion()->Version;
}
