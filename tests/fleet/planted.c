/* Planted bugs, which the tests of fleets must find: files of the fleet with one wrong call. A
 * macro chooses the bug. */
#include "queue/inside.h"
#include "store.h"
#include "swathe/swathe.h"

#include <string.h>

#if defined(PLANT_VERDICT) /* two claims always agree */
#include "audit/audit.h"

static enum audit_verdict real_judge(const struct audit_case *audit_case,
                                     const struct audit_claim **truth);
#define audit_case_judge real_judge
#include "../../fleet/audit/judge.c"
#undef audit_case_judge

enum audit_verdict audit_case_judge(const struct audit_case *audit_case,
                                    const struct audit_claim **truth)
{
    enum audit_verdict verdict = real_judge(audit_case, truth);
    return audit_case->claim_count >= 2 ? AUDIT_AGREED : verdict;
}

#elif defined(PLANT_MISSING) /* of a job that is made again, the last image is lost */
static swathe_status format_shorter(const struct job *job, char **json, size_t *size)
{
    struct job shorter = *job;
    shorter.count -= shorter.count > 1;
    return job_format(&shorter, json, size);
}
#define job_format format_shorter
#include "../../fleet/submit/source_jobs.c"

#elif defined(PLANT_OFFSET) /* parts of a mosaic are copied from one byte before their place */
#define store_parts_copy(store, url, id, number, offset, from, start, size, part)                  \
    store_parts_copy(store, url, id, number, offset, from, (start) > 0 ? (start)-1 : 0, size, part)
#include "../../fleet/mosaic/part.c"

#elif defined(PLANT_VERSION) /* every version of a mosaic's source is accepted */
#define strcmp(a, b) ((void)(a), (void)(b), 0)
#include "../../fleet/mosaic/source.c"

#elif defined(PLANT_LEFT) /* temporary objects of a mosaic are not deleted */
#include "mosaic/mosaic.h"
#define stage_remove(store, set) ((void)(store), (void)(set), SWATHE_OK)
#include "../../fleet/mosaic/work.c"

#elif defined(                                                                                     \
    PLANT_KERNEL) /* images of one width are blurred too much; the self-test uses others */
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
#include "../../fleet/worker/image_options.c"

#elif defined(PLANT_SUBMIT) /* jobs whose acknowledgement did not arrive are forgotten */
#define queue_acknowledged queue_acknowledged_unused
#include "../../fleet/queue/submit.c"
#undef queue_acknowledged

void queue_acknowledged(jsCtx *js, natsMsg *message, jsPubAck *ack, jsPubAckErr *error, void *user)
{
    (void)js;
    (void)ack;
    (void)error;
    (void)user;
    natsMsg_Destroy(message);
}

#elif defined(                                                                                     \
    PLANT_TALLY) /* every result counts as a job of its own, also of one that was counted */
static swathe_status parse_as_new(const char *json, size_t size, struct outcome **outcome)
{
    static int64_t next;
    swathe_status status = outcome_parse(json, size, outcome);
    if (status == SWATHE_OK && (*outcome)->id >= 0)
        (*outcome)->id = next++;
    return status;
}
#define outcome_parse parse_as_new
#include "../../fleet/status/tally.c"

#elif defined(PLANT_SAMPLES) /* the checksum of the samples does not cover the shape */
#include "worker/hash.h"
#define worker_hash_image(hash, shape) ((void)(shape), SWATHE_OK)
#include "../../fleet/worker/image.c"

#elif defined(PLANT_OUTPUT) /* the last byte of an output is lost */
#define store_put(store, url, bytes, size, mode) store_put(store, url, bytes, (size)-1, mode)
#include "../../fleet/worker/image.c"

#else
#error "no bug"
#endif
