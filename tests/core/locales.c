/* Numbers are the same in a locale whose decimal point is more than one byte: chains are parsed and
 * printed, plans printed, values named in errors. Started by locales.py, which creates the
 * locale. */
#include "swathe/unstable.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static int passed, failed;

static void verdict(int good, const char *what, const char *text)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, text);
}

static int is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return 0;
    return 1;
}

static void chains(swathe_context *context)
{
    static const double taps[] = {0.1, -2.75e-7, 1e300};
    char text[200];
    swathe_chain *chain = NULL;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    mask.width = 3;
    mask.height = 1;
    mask.taps = taps;
    verdict(swathe_chain_parse(context, "mask:(0.5 1.25)", &chain) == SWATHE_OK,
            "a chain is parsed", swathe_error_text());
    verdict(swathe_chain_append_mask(context, chain, &mask, 1, NULL) == SWATHE_OK, "append",
            swathe_error_text());
    swathe_chain_text(chain, text, sizeof text, NULL);
    verdict(strcmp(text, "mask:(0.5 1.25),mask:(0.1 -2.75e-07 1e+300)") == 0, "written", text);
    swathe_chain_destroy(chain);
}

static void plans(swathe_context *context)
{
    static char text[1 << 14];
    swathe_shape shape = {0};
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL, *again = NULL;
    shape.width = shape.height = 1000;
    shape.channels = 3;
    shape.type = SWATHE_F32;
    verdict(swathe_plan_options_set(&o, "border", "constant(0.125)") == SWATHE_OK &&
                o.border == SWATHE_BORDER_CONSTANT && o.border_value == 0.125,
            "a border", swathe_error_text());
    o.accuracy = 0.001;
    swathe_chain_parse(context, "gaussian:sigma=2.5:bias=0.25,box:15", &chain);
    verdict(swathe_plan_create(context, chain, &shape, &o, &plan) == SWATHE_OK, "a plan",
            swathe_error_text());
    for (int format = 0; format < 3; format++) {
        swathe_plan_text(plan, (swathe_text)format, text, sizeof text, NULL);
        verdict(is_ascii(text), "a plan's text", text);
    }
    verdict(strstr(text, "constant(0.125)") && strstr(text, "0.001"), "a problem line", text);
    verdict(swathe_plan_parse(context, text, &again) == SWATHE_OK, "read back",
            swathe_error_text());
    swathe_plan_destroy(again);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    static const char *const wrong[] = {"disk:0.05", "gaussian:sigma=900.5:truncate=9"};
    for (int i = 0; i < 2; i++)
        verdict(swathe_chain_parse(context, wrong[i], &chain) == SWATHE_ERROR_ARGUMENT &&
                    is_ascii(swathe_error_text()) && strchr(swathe_error_text(), '.'),
                "an error names its limits", swathe_error_text());
}

int main(int argc, char **argv)
{
    swathe_context *context = NULL;
    if (argc != 2 || !setlocale(LC_ALL, argv[1]) || strlen(localeconv()->decimal_point) < 2) {
        printf("skipped: %s (no such locale, or its decimal point is one byte)\n", argv[1]);
        return 77;
    }
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    chains(context);
    plans(context);
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
