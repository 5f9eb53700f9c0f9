/* Cancelling and deleting runs. */
#include "jobs_state.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

/* Where a run is when it is cancelled. */
enum run_place {
    PLACE_STORE_ONLY, /* neither queued nor current */
    PLACE_QUEUE,
    PLACE_RUNNING,
    PLACE_RECORDING /* it has ended, and the runner is recording how */
};

/* Moves a queued run from the queue to *removed, or asks the worker of the current run to stop. Returns where the run
 * was. */
static enum run_place withdraw(struct lab_jobs *jobs, const char *id, struct lab_queue_entry *removed)
{
    enum run_place place = PLACE_STORE_ONLY;
    pthread_mutex_lock(&jobs->lock);
    struct lab_queue_entry *entry;
    while ((entry = lab_queue_find(&jobs->queue, id)) != NULL && !entry->stored)
        pthread_cond_wait(&jobs->changed, &jobs->lock); /* the run is being stored */
    if (lab_queue_remove(&jobs->queue, id, removed))
        place = PLACE_QUEUE;
    struct lab_node *node = place == PLACE_QUEUE ? NULL : lab_jobs_node_running(jobs, id);
    if (node != NULL)
        place = node->current.ended ? PLACE_RECORDING : PLACE_RUNNING;
    if (place == PLACE_QUEUE)
        lab_jobs_queue_changed(jobs);
    else if (place == PLACE_RUNNING)
        lab_node_cancel(node);
    pthread_mutex_unlock(&jobs->lock);
    return place;
}

/* Records the cancel of a run that was withdrawn from the queue; puts it back when that fails. LAB_STORE_CONFLICT and
 * LAB_STORE_NOT_FOUND: its sweep was cancelled meanwhile, and the run with it. */
static enum lab_store_result record_cancel(struct lab_jobs *jobs, const struct lab_queue_entry *run,
                                           struct lab_run_row **written)
{
    enum lab_store_result result =
        lab_store_finish_run(jobs->store, run->id, LAB_STATUS_CANCELLED, lab_time_now(), false, NULL, written);
    if (result == LAB_STORE_OK || result == LAB_STORE_CONFLICT || result == LAB_STORE_NOT_FOUND) {
        lab_jobs_counters_add_run(jobs->counters, run->experiment, LAB_STATUS_CANCELLED, -1);
    } else {
        pthread_mutex_lock(&jobs->lock);
        lab_queue_put_back(&jobs->queue, run);
        lab_jobs_queue_changed(jobs);
        pthread_mutex_unlock(&jobs->lock);
    }
    if (*written != NULL)
        lab_jobs_publish_run(jobs, *written);
    return result;
}

static enum lab_cancel_result cancel(struct lab_jobs *jobs, const char *id, struct lab_run_row **written)
{
    struct lab_queue_entry removed;
    struct lab_run_row *run = NULL;
    enum run_place place = withdraw(jobs, id, &removed);
    enum lab_store_result result = place == PLACE_QUEUE ? record_cancel(jobs, &removed, written) : LAB_STORE_OK;
    if (place == PLACE_RUNNING || *written != NULL)
        return LAB_CANCEL_OK;
    if (result == LAB_STORE_OK || result == LAB_STORE_CONFLICT)
        result = lab_store_get_run(jobs->store, id, &run);
    enum lab_status status = run != NULL ? run->status : LAB_STATUS_COUNT;
    free(run);
    if (result != LAB_STORE_OK)
        return result == LAB_STORE_NOT_FOUND ? LAB_CANCEL_NOT_FOUND : LAB_CANCEL_STORE;
    if (place == PLACE_STORE_ONLY && lab_status_live(status)) /* another thread is cancelling it now */
        return LAB_CANCEL_OK;
    return status == LAB_STATUS_CANCELLED ? LAB_CANCEL_ALREADY : LAB_CANCEL_FINISHED;
}

enum lab_cancel_result lab_jobs_cancel(struct lab_jobs *jobs, const char *id, struct lab_run_row **written)
{
    struct lab_run_row *row = NULL;
    enum lab_cancel_result result = cancel(jobs, id, &row);
    if (written != NULL)
        *written = row;
    else
        free(row);
    return result;
}

enum lab_store_result lab_jobs_delete(struct lab_jobs *jobs, const char *id)
{
    struct lab_run_row *run = NULL;
    enum lab_store_result result = lab_store_get_run(jobs->store, id, &run);
    if (result == LAB_STORE_OK)
        result = lab_store_delete_run(jobs->store, id);
    if (result == LAB_STORE_OK) {
        const struct lab_event_subject about = lab_jobs_subject(run);
        lab_events_publish(jobs->events, "run.deleted", &about, json_pack("{s:s}", "id", id));
    }
    free(run);
    return result;
}
