/* swathe-fleet cancel and drain: the state of a set. */
#include "fail.h"
#include "mosaic/mosaic.h"
#include "session.h"

#include <errno.h>
#include <stdio.h>

/* Deletes what submit leaves if it is interrupted before it has stored the record: streams. */
static swathe_status delete_rest(struct queue *queue, const char *name)
{
    int64_t jobs;
    if (queue_stored(queue, name, &jobs) != SWATHE_OK)
        return fleet_fail_number() == ENOENT ? session_no_set(name) : SWATHE_ERROR_IO;
    return queue_set_delete(queue, name);
}

/* The jobs are gone if an earlier --delete was interrupted. */
static swathe_status submit_cancel_stop(struct queue *queue, const char *name, bool deletes)
{
    swathe_status status = queue_state_put(queue, name, set_state_name(SET_CANCELLED));
    if (status == SWATHE_OK)
        status = queue_purge(queue, name);
    return deletes && status != SWATHE_OK && fleet_fail_number() == ENOENT ? SWATHE_OK : status;
}

/* Nothing is deleted if the record cannot be read: it has the upload of a mosaic. */
static swathe_status submit_cancel(struct queue *queue, const char *name, bool deletes)
{
    struct set *set;
    swathe_status found = session_set(queue, name, &set);
    if (deletes && found != SWATHE_OK && fleet_fail_number() == ENOENT)
        return delete_rest(queue, name);
    TRY(found);
    swathe_status status = submit_cancel_stop(queue, name, deletes);
    if (status == SWATHE_OK && set->is_mosaic)
        status = mosaic_cancel(set);
    set_free(set);
    TRY(status);
    return deletes ? queue_set_delete(queue, name) : SWATHE_OK;
}

int command_cancel(const struct fleet_options *options)
{
    const char *name = fleet_option_text(options, OPTION_SET);
    bool deletes = fleet_option_given(options, OPTION_DELETE);
    struct queue *queue = NULL;
    swathe_status status = session_open(options, &queue);
    if (status == SWATHE_OK)
        status = submit_cancel(queue, name, deletes);
    queue_close(queue);
    if (status != SWATHE_OK)
        return fleet_complain_last(status);
    printf("%s: %s\n", name, deletes ? "cancelled and deleted" : "cancelled");
    return 0;
}

static swathe_status submit_cancel_drain(struct queue *queue, const char *name,
                                         enum set_state wanted)
{
    struct set *set;
    enum set_state state;
    TRY(session_set(queue, name, &set));
    set_free(set);
    TRY(session_state(queue, name, &state));
    if (state == SET_CANCELLED)
        return session_cancelled(name);
    return queue_state_put(queue, name, set_state_name(wanted));
}

int command_drain(const struct fleet_options *options)
{
    const char *name = fleet_option_text(options, OPTION_SET);
    enum set_state wanted = fleet_option_given(options, OPTION_UNDO) ? SET_ACTIVE : SET_DRAINING;
    struct queue *queue = NULL;
    swathe_status status = session_open(options, &queue);
    if (status == SWATHE_OK)
        status = submit_cancel_drain(queue, name, wanted);
    queue_close(queue);
    if (status != SWATHE_OK)
        return fleet_complain_last(status);
    printf("%s: %s\n", name, set_state_name(wanted));
    return 0;
}
