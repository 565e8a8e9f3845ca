/* A planted bug: jobs whose acknowledgement did not arrive are forgotten. */
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
