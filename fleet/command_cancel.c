/* swathe-fleet cancel and drain: the state of a set. */
#include "fleet_fail.h"
#include "fleet_session.h"
#include "mosaic_submit.h"

#include <stdio.h>

static swathe_status cancel(struct queue *queue, const char *name, bool delete)
{
    struct set *set;
    swathe_status found = session_set(queue, name, &set);
    /* A set whose record is gone may have streams left: an earlier --delete was interrupted. */
    if (delete &&found != SWATHE_OK)
        return queue_set_delete(queue, name);
    TRY(found);
    swathe_status status = session_put_state(queue, name, SET_CANCELLED);
    if (status == SWATHE_OK)
        status = queue_purge(queue, name);
    if (status == SWATHE_OK && set->is_mosaic)
        status = mosaic_cancel(set);
    set_free(set);
    TRY(status);
    return delete ? queue_set_delete(queue, name) : SWATHE_OK;
}

int command_cancel(const struct fleet_options *options)
{
    const char *name = fleet_option_text(options, OPTION_SET);
    bool delete = fleet_option_given(options, OPTION_DELETE);
    struct queue *queue = NULL;
    swathe_status status = session_open(options, &queue);
    if (status == SWATHE_OK)
        status = cancel(queue, name, delete);
    queue_close(queue);
    if (status != SWATHE_OK)
        return fleet_complain_last(status);
    printf("%s: %s\n", name, delete ? "cancelled and deleted" : "cancelled");
    return 0;
}

static swathe_status drain(struct queue *queue, const char *name, enum set_state wanted)
{
    struct set *set;
    enum set_state state;
    TRY(session_set(queue, name, &set));
    set_free(set);
    TRY(session_state(queue, name, &state));
    if (state == SET_CANCELLED)
        return session_cancelled(name);
    return session_put_state(queue, name, wanted);
}

int command_drain(const struct fleet_options *options)
{
    const char *name = fleet_option_text(options, OPTION_SET);
    enum set_state wanted = fleet_option_given(options, OPTION_UNDO) ? SET_ACTIVE : SET_DRAINING;
    struct queue *queue = NULL;
    swathe_status status = session_open(options, &queue);
    if (status == SWATHE_OK)
        status = drain(queue, name, wanted);
    queue_close(queue);
    if (status != SWATHE_OK)
        return fleet_complain_last(status);
    printf("%s: %s\n", name, set_state_name(wanted));
    return 0;
}
