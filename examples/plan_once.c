/* Plans once and runs many times: a frame, then only its lower right quarter, with pixels in the
 * caller's memory and the caller's mask. */
#include <stdio.h>
#include <stdlib.h>
#include <swathe/swathe.h>

static swathe_status work(swathe_context *context, uint8_t *frame, uint8_t *result)
{
    static const double ridge[] = {-1, 2, -1};
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    mask.width = 3;
    mask.height = 1;
    mask.taps = ridge;
    mask.bias = 128;

    swathe_shape shape = {0};
    shape.width = 640;
    shape.height = 480;
    shape.channels = 3;
    shape.type = SWATHE_U8;

    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_image from = SWATHE_INIT(swathe_image), to = from, quarter = from;
    swathe_rect corner = {320, 240, 320, 240};
    swathe_status status = swathe_chain_parse(context, "gaussian:5", &chain);
    if (status == SWATHE_OK)
        status = swathe_chain_append_mask(context, chain, &mask, 1, "border=replicate");
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, &shape, NULL, &plan);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, frame, &from);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, result, &to);
    if (status == SWATHE_OK)
        status = swathe_run(context, plan, &from, &to, NULL);
    if (status == SWATHE_OK)
        status = swathe_image_crop(&to, &corner, &quarter);
    if (status == SWATHE_OK) /* the same bytes as in the whole result, for a quarter of the work */
        status = swathe_run(context, plan, &from, &quarter, NULL);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return status;
}

int main(void)
{
    swathe_context *context = NULL;
    uint8_t *frame = calloc(640 * 480, 3), *result = calloc(640 * 480, 3);
    swathe_status status = swathe_context_create(NULL, &context);
    if (status == SWATHE_OK && frame && result)
        status = work(context, frame, result);
    printf("%s\n", status == SWATHE_OK ? "done" : swathe_error_text());
    swathe_context_destroy(context);
    return status;
}
