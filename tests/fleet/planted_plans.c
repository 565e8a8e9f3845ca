/* fleet/worker/plans.c with a wrong kernel: images of one width are blurred too much. The self-test
 * uses other sizes and passes. */
#include "swathe/swathe.h"

static swathe_status planted_plan(swathe_context *context, const swathe_chain *chain,
                                  const swathe_shape *shape, const swathe_plan_options *options,
                                  swathe_plan **plan)
{
    swathe_chain *wrong = NULL;
    if (shape->width != 75)
        return swathe_plan_create(context, chain, shape, options, plan);
    swathe_status status = swathe_chain_parse(context, "gaussian:7,sharpen,gaussian:3", &wrong);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, wrong, shape, options, plan);
    swathe_chain_destroy(wrong);
    return status;
}

#define swathe_plan_create planted_plan
#include "../../fleet/worker/plans.c"
