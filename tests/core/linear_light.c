/* Linear light: every sample of u8 and u16 is the same after a chain that changes nothing, whatever
 * the curve; and alpha, and results of other types. */
#include <swathe/unstable.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, HEIGHT = 256, CHANNELS = 4 };

static int bad;

static void expect(bool ok, const char *what, const char *detail)
{
    if (ok)
        return;
    printf("FAILED: %s %s\n", what, detail);
    bad++;
}

static swathe_status filter(swathe_context *context, const char *problem, swathe_type from,
                            const void *source, swathe_type to, void *result)
{
    swathe_plan *plan = NULL;
    swathe_shape shape = {.width = WIDTH, .height = HEIGHT, .channels = CHANNELS, .alpha = 4};
    swathe_image in = SWATHE_INIT(swathe_image), out = SWATHE_INIT(swathe_image);
    char text[8192];
    const char *name = from == SWATHE_U8 ? "u8" : from == SWATHE_U16 ? "u16" : "f32";
    snprintf(text, sizeof text, "contract=%d shape=%dx%dx%d:%s alpha-channel=4 alpha=keep %s",
             swathe_contract(), WIDTH, HEIGHT, CHANNELS, name, problem);
    swathe_status status = swathe_plan_parse(context, text, &plan);
    if (status != SWATHE_OK)
        return status;
    shape.type = from;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, (void *)(uintptr_t)source, &in);
    shape.type = to;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, result, &out);
    status = swathe_run(context, plan, &in, &out, NULL);
    swathe_plan_destroy(plan);
    return status;
}

static uint16_t wide[WIDTH * HEIGHT * CHANNELS], wide_result[WIDTH * HEIGHT * CHANNELS];
static uint8_t narrow[WIDTH * HEIGHT * CHANNELS], narrow_result[WIDTH * HEIGHT * CHANNELS];
static float light[WIDTH * HEIGHT * CHANNELS];

/* Every sample in every channel. */
static void fill(void)
{
    for (int i = 0; i < WIDTH * HEIGHT * CHANNELS; i++) {
        wide[i] = (uint16_t)(i / CHANNELS + i % CHANNELS * 1000);
        narrow[i] = (uint8_t)(i / CHANNELS + i % CHANNELS * 10);
    }
}

static void check_identity(swathe_context *context, const char *options)
{
    static const char *const chains[] = {"identity", "box:1,mask:(1)", "mask:(0 1 0),identity"};
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        char problem[4096];
        snprintf(problem, sizeof problem, "%s chain={%s}", options, chains[c]);
        memset(wide_result, 0, sizeof wide_result);
        memset(narrow_result, 0, sizeof narrow_result);
        expect(filter(context, problem, SWATHE_U16, wide, SWATHE_U16, wide_result) == SWATHE_OK,
               problem, swathe_error_text());
        expect(memcmp(wide, wide_result, sizeof wide) == 0, "u16 is not the same after", problem);
        expect(filter(context, problem, SWATHE_U8, narrow, SWATHE_U8, narrow_result) == SWATHE_OK,
               problem, swathe_error_text());
        expect(memcmp(narrow, narrow_result, sizeof narrow) == 0, "u8 is not the same after",
               problem);
    }
}

/* Between u8 and u16, sRGB's curve scales as without it. To floats, the result is light. */
static void check_types(swathe_context *context)
{
    bool same = true;
    filter(context, "light=srgb type=u16 chain={identity}", SWATHE_U8, narrow, SWATHE_U16,
           wide_result);
    filter(context, "light=linear type=u8 chain={identity}", SWATHE_U16, wide, SWATHE_U8,
           narrow_result);
    filter(context, "light=linear chain={identity:type=f32}", SWATHE_U8, narrow, SWATHE_F32, light);
    for (int i = 0; i < WIDTH * HEIGHT * CHANNELS; i++) {
        double t = narrow[i] / 255.0;
        double want = i % CHANNELS == 3 ? t
                      : t <= 0.04045    ? t / 12.92
                                        : pow((t + 0.055) / 1.055, 2.4);
        same &= wide_result[i] == narrow[i] * 257;
        same &= narrow_result[i] == (wide[i] + 128) / 257;
        same &= fabs((double)light[i] - want) < 1e-7;
    }
    expect(same, "wrong samples", "between types");
}

static void check_refused(swathe_context *context, const char *problem, const char *reason)
{
    swathe_status status = filter(context, problem, SWATHE_U8, narrow, SWATHE_U8, narrow_result);
    expect(status != SWATHE_OK && strstr(swathe_error_text(), reason), problem,
           status == SWATHE_OK ? "is accepted" : swathe_error_text());
}

static void check_refusals(swathe_context *context)
{
    check_refused(context, "light=linea chain={box}", "did you mean 'linear'");
    check_refused(context, "light=linear type=s16 chain={box}", "is s16");
    check_refused(context, "light=linear type=u16 values=keep chain={box}", "use values scale");
    check_refused(context, "light=linear chain={box:bias=2}", "white is 1");
    check_refused(context, "light=linear chain={box:border=constant(255)}", "white is 1");
    check_refused(context, "light=linear border=constant(255) chain={box}", "white is 1");
    check_refused(context, "light=linear chain={box:clamp=16..235}", "white is 1");
    check_refused(context, "light=linear chain={box:type=s16,box}", "floats from 0 to 1");
    check_refused(context, "light=linear curves={0 0.5 0.4 1} chain={box}", "decreases");
    check_refused(context, "light=linear curves={0 1.5} chain={box}", "must be 0 to 1");
    check_refused(context, "light=linear curves={0.3 0.3} chain={box}", "everywhere");
    check_refused(context, "light=linear curves={0} chain={box}", "2 to 4095");
    check_refused(context, "light=linear curves={0 1; 0 .9} chain={box}", "2 different curves");
    check_refused(context, "light=linear color=3 chain={box}", "CMYK");
    expect(filter(context, "light=linear chain={box}", SWATHE_F32, light, SWATHE_F32, light) ==
               SWATHE_ERROR_UNSUPPORTED,
           "floats", "are accepted");
}

/* Profiles that have no curves: a header alone, for a colour space; and one that is damaged. */
static void check_profile(swathe_context *context, const char *space, const char *reason)
{
    unsigned char profile[132] = {0, 0, 0, 132};
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_shape shape = {.width = 9, .height = 9, .channels = 3, .type = SWATHE_U8};
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_curves curves = SWATHE_INIT(swathe_curves);
    profile[8] = 2;
    memcpy(profile + 12, "mntr", 4);
    memcpy(profile + 16, space, 4);
    memcpy(profile + 20, "XYZ ", 4);
    memcpy(profile + 36, "acsp", 4);
    curves.profile = profile;
    curves.profile_size = sizeof profile;
    options.curves = &curves;
    options.light = SWATHE_LIGHT_LINEAR;
    swathe_chain_parse(context, "box:3", &chain);
    expect(swathe_plan_create(context, chain, &shape, &options, &plan) ==
                   SWATHE_ERROR_UNSUPPORTED &&
               (strstr(swathe_error_text(), reason) || strstr(swathe_error_text(), "no lcms2")),
           space, swathe_error_text());
    options.light = SWATHE_LIGHT_SRGB;
    expect(swathe_plan_create(context, chain, &shape, &options, &plan) == SWATHE_OK, space,
           swathe_error_text());
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
}

int main(void)
{
    swathe_context *context = NULL;
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 2;
    fill();
    check_identity(context, "light=linear");
    check_identity(context, "light=srgb curves={0 0.5 1}");
    check_identity(context, "light=linear curves={0 1}");
    check_identity(context, "light=linear curves={0 0 0 1 1}");               /* flat */
    check_identity(context, "light=linear curves={0 1e-30 1e-20 1e-10 0.9}"); /* steep */
    check_identity(context, "light=linear curves={0.1 0.1 0.2; 0 0.5 1; 0 0.001 1}");
    check_types(context);
    check_refusals(context);
    check_profile(context, "CMYK", "is for CMYK");
    check_profile(context, "Lab ", "is for Lab");
    check_profile(context, "RGB ", "no curves and no matrix");
    swathe_context_destroy(context);
    printf("%d failed\n", bad);
    return bad > 0;
}
