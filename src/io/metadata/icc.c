#include "io/metadata/metadata.h"

#ifdef SWATHE_HAVE_LCMS2
#include <lcms2.h>
#include <math.h>
#include <stdbool.h>

enum { MOST_VALUES = 4095, COLOURS = 3 };

/* A curve this close to sRGB's is sRGB's: profiles round its numbers to 16 bits. */
#define NEAR_SRGB 0x1p-14

static const char *space_name(cmsColorSpaceSignature space)
{
    return space == cmsSigCmykData  ? "CMYK"
           : space == cmsSigLabData ? "Lab"
           : space == cmsSigXYZData ? "XYZ"
           : space == cmsSigHsvData ? "HSV"
                                    : "neither RGB nor grey";
}

/* Finds the curves of a profile, which own them; the number of curves is 1 or 3. */
static swathe_status find_curves(cmsHPROFILE profile, const cmsToneCurve **found, int32_t *count)
{
    static const cmsTagSignature tags[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    cmsColorSpaceSignature space = cmsGetColorSpace(profile);
    if (space != cmsSigRgbData && space != cmsSigGrayData)
        return fail_about(SWATHE_ERROR_UNSUPPORTED, "light",
                          "the colour profile (ICC) is for %s, which has no curves to linear light",
                          space_name(space));
    if (cmsIsTag(profile, cmsSigAToB0Tag) || cmsIsTag(profile, cmsSigAToB1Tag) ||
        cmsIsTag(profile, cmsSigDToB0Tag))
        return fail_about(
            SWATHE_ERROR_UNSUPPORTED, "light",
            "the colour profile (ICC) converts colours by tables, not by curves and a "
            "matrix");
    if (!cmsIsMatrixShaper(profile))
        return fail_about(SWATHE_ERROR_UNSUPPORTED, "light",
                          "the colour profile (ICC) has no curves and no matrix");
    *count = space == cmsSigGrayData ? 1 : COLOURS;
    for (int32_t i = 0; i < *count; i++) {
        found[i] = cmsReadTag(profile, *count == 1 ? cmsSigGrayTRCTag : tags[i]);
        if (!found[i])
            return fail_about(SWATHE_ERROR_UNSUPPORTED, "light",
                              "the colour profile (ICC) has a damaged curve");
    }
    return SWATHE_OK;
}

/* A table is read at its own values if all curves have equally many, others at as many as
 * possible. */
static int32_t icc_choose_size(const cmsToneCurve *const *curves, int32_t count)
{
    cmsUInt32Number size = cmsGetToneCurveEstimatedTableEntries(curves[0]);
    for (int32_t i = 0; i < count; i++)
        if (cmsGetToneCurveParametricType(curves[i]) != 0 ||
            cmsGetToneCurveEstimatedTableEntries(curves[i]) != size)
            return MOST_VALUES;
    return size >= 2 && size <= MOST_VALUES ? (int32_t)size : MOST_VALUES;
}

/* Values are rounded to 24 bits: powers may differ in their last bit between machines. */
static swathe_status sample_curve(const cmsToneCurve *curve, int32_t size, double *values,
                                  bool *is_srgb)
{
    for (int32_t i = 0; i < size; i++) {
        double t = (double)i / (size - 1);
        double v = (double)cmsEvalToneCurveFloat(curve, (cmsFloat32Number)t);
        double srgb = t <= 0.04045 ? t / 12.92 : pow((t + 0.055) / 1.055, 2.4);
        if (!isfinite(v))
            return fail_about(
                SWATHE_ERROR_UNSUPPORTED, "light",
                "the colour profile (ICC) has a curve with values that are not finite");
        v = floor(fmin(fmax(v, 0.0), 1.0) * 0x1p24 + 0.5) * 0x1p-24;
        if (i > 0 && v < values[i - 1])
            return fail_about(SWATHE_ERROR_UNSUPPORTED, "light",
                              "the colour profile (ICC) has a curve that decreases, so it has no "
                              "inverse");
        values[i] = v;
        *is_srgb &= fabs(v - srgb) <= NEAR_SRGB;
    }
    if (values[0] < values[size - 1])
        return SWATHE_OK;
    return fail_about(SWATHE_ERROR_UNSUPPORTED, "light",
                      "the colour profile (ICC) has a curve without slope");
}

static swathe_status read_curves(const struct memory *memory, cmsHPROFILE profile,
                                 struct icc_curves *curves)
{
    const cmsToneCurve *found[COLOURS];
    bool is_srgb = true;
    TRY(find_curves(profile, found, &curves->count));
    curves->size = icc_choose_size(found, curves->count);
    TRY(memory_new(memory, (int64_t)curves->count * curves->size, sizeof *curves->values, "curves",
                   &curves->values));
    swathe_status status = SWATHE_OK;
    for (int32_t i = 0; i < curves->count && status == SWATHE_OK; i++)
        status = sample_curve(found[i], curves->size, curves->values + (int64_t)i * curves->size,
                              &is_srgb);
    if (status == SWATHE_OK && !is_srgb)
        return SWATHE_OK;
    memory_free(memory, curves->values);
    *curves = (struct icc_curves){0, 0, NULL};
    return status;
}

swathe_status icc_read(const struct memory *memory, const void *profile, size_t size,
                       struct icc_curves *curves)
{
    *curves = (struct icc_curves){0, 0, NULL};
    if (size > ICC_BYTES_MAX)
        return fail_about(
            SWATHE_ERROR_UNSUPPORTED, "light",
            "the colour profile (ICC) has %zu bytes, the limit for reading its curves "
            "is %d",
            size, ICC_BYTES_MAX);
    /* A context of its own: no messages, no state that other threads share. */
    cmsContext context = cmsCreateContext(NULL, NULL);
    cmsHPROFILE open =
        context ? cmsOpenProfileFromMemTHR(context, profile, (cmsUInt32Number)size) : NULL;
    swathe_status status =
        open ? read_curves(memory, open, curves)
             : fail_about(SWATHE_ERROR_UNSUPPORTED, "light", "the colour profile (ICC) is damaged");
    if (open)
        cmsCloseProfile(open);
    if (context)
        cmsDeleteContext(context);
    return status;
}
#else
swathe_status icc_read(const struct memory *memory, const void *profile, size_t size,
                       struct icc_curves *curves)
{
    (void)memory;
    (void)profile;
    (void)size;
    *curves = (struct icc_curves){0, 0, NULL};
    return fail_about(SWATHE_ERROR_UNSUPPORTED, "light",
                      "the file has a colour profile (ICC), and this build cannot read its curves, "
                      "because it has no lcms2");
}
#endif
