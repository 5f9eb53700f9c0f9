/* Submitting and cancelling sweeps: all runs of a sweep are checked, then stored together. */
#include "jobs_state.h"

#include "submission.h"
#include "sweep.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

/* A run of a sweep. */
struct member {
    char id[LAB_RUN_ID_SIZE];
    struct lab_submission submission;
    struct lab_submission_row row;
};

/* The runs of a sweep while it is submitted. Starts as `{0}`. */
struct members {
    json_t *requests;
    struct member *items;
    size_t count;
    struct lab_run_row *rows; /* those of the items, one after the other */
};

static void members_release(struct members *members)
{
    for (size_t i = 0; i < members->count; i++) {
        lab_submission_release(&members->items[i].submission);
        lab_submission_row_release(&members->items[i].row);
    }
    free(members->items);
    free(members->rows);
    json_decref(members->requests);
}

/* Checks all runs; stops at the first one that is not valid, and says which one the errors are about. */
static bool check_all(struct lab_jobs *jobs, struct members *members, struct lab_errors *errors)
{
    const struct lab_submission_checks checks = {.devices = jobs->devices}; /* a sweep carries no program */
    size_t index;
    json_t *request;
    json_array_foreach(members->requests, index, request)
    {
        if (lab_submission_check(&members->items[index].submission, request, &checks, errors))
            continue;
        char *values = json_dumps(json_object_get(request, "parameters"), JSON_COMPACT);
        lab_errors_add(errors, LAB_ERROR_INVALID_RUN, "/parameters",
                       "The errors are those of run %zu of %zu, with %.200s.", index + 1, members->count,
                       values != NULL ? values : "other parameters");
        free(values);
        return false;
    }
    return true;
}

/* Makes the requests for runs that a sweep stands for, and checks them. */
static enum lab_submit_result expand(struct lab_jobs *jobs, const json_t *request, struct members *members,
                                     struct lab_errors *errors)
{
    if (!lab_devices_known(jobs->devices))
        return LAB_SUBMIT_NOT_READY;
    members->requests = lab_sweep_expand(request, errors);
    if (members->requests == NULL)
        return LAB_SUBMIT_INVALID;
    size_t count = json_array_size(members->requests);
    members->items = calloc(count, sizeof *members->items);
    if (members->items == NULL)
        return LAB_SUBMIT_STORE;
    members->count = count;
    return check_all(jobs, members, errors) ? LAB_SUBMIT_OK : LAB_SUBMIT_INVALID;
}

/* Makes the rows of the runs. False when out of memory. */
static bool make_rows(struct members *members, const char *sweep, const char *requested_by)
{
    members->rows = calloc(members->count, sizeof *members->rows);
    for (size_t i = 0; members->rows != NULL && i < members->count; i++) {
        struct member *member = &members->items[i];
        lab_run_id(member->id);
        if (!lab_submission_to_row(&member->submission, &member->row))
            return false;
        member->row.run.id = member->id;
        member->row.run.sweep = sweep;
        member->row.run.requested_by = requested_by;
        members->rows[i] = member->row.run;
    }
    return members->rows != NULL;
}

/* Removes what was reserved for the first `count` runs. The lock is held. */
static void unreserve(struct lab_jobs *jobs, const struct members *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lab_queue_remove(&jobs->queue, members->items[i].id, NULL);
}

/* Reserves places for all runs, if there is one for the first. */
static enum lab_submit_result reserve_all(struct lab_jobs *jobs, const struct members *members, const char *sweep,
                                          const char *requested_by)
{
    size_t added = 0;
    pthread_mutex_lock(&jobs->lock);
    bool full = jobs->queue.count >= jobs->queue_limit, memory = true;
    while (!full && memory && added < members->count) {
        const struct member *member = &members->items[added];
        struct lab_queue_entry run = lab_submission_queue_entry(&member->submission, member->id, sweep);
        lab_jobs_place(jobs, member->submission.sides[LAB_HEAD].devices, &run);
        memory = lab_queue_add(&jobs->queue, &run, requested_by);
        added += memory;
    }
    if (!memory)
        unreserve(jobs, members, added);
    pthread_mutex_unlock(&jobs->lock);
    return full ? LAB_SUBMIT_FULL : memory ? LAB_SUBMIT_OK : LAB_SUBMIT_STORE;
}

/* Makes the reserved runs available to the runner if they were stored, or else removes them from the queue. */
static void finish_reservations(struct lab_jobs *jobs, const struct members *members, bool stored)
{
    pthread_mutex_lock(&jobs->lock);
    if (!stored)
        unreserve(jobs, members, members->count);
    else
        for (size_t i = 0; i < members->count; i++)
            lab_queue_find(&jobs->queue, members->items[i].id)->stored = true;
    lab_jobs_queue_changed(jobs);
    pthread_mutex_unlock(&jobs->lock);
}

static enum lab_submit_result enqueue_all(struct lab_jobs *jobs, const struct members *members,
                                          struct lab_sweep_row *sweep)
{
    enum lab_submit_result result = reserve_all(jobs, members, sweep->id, sweep->requested_by);
    if (result != LAB_SUBMIT_OK)
        return result;
    bool stored = lab_store_add_sweep(jobs->store, sweep, members->rows, members->count) == LAB_STORE_OK;
    for (size_t i = 0; stored && i < members->count; i++)
        lab_jobs_publish_run(jobs, &members->rows[i]); /* before the runner can publish that it runs */
    finish_reservations(jobs, members, stored);
    return stored ? LAB_SUBMIT_OK : LAB_SUBMIT_STORE;
}

enum lab_submit_result lab_jobs_submit_sweep(struct lab_jobs *jobs, const json_t *request, const char *requested_by,
                                             void (*added)(void *context, const struct lab_sweep_row *sweep),
                                             void *context, struct lab_errors *errors)
{
    struct members members = {0};
    char *text = json_dumps(request, JSON_COMPACT), id[LAB_RUN_ID_SIZE];
    lab_run_id(id);
    struct lab_sweep_row sweep = {.id = id,
                                  .experiment = json_string_value(json_object_get(request, "experiment")),
                                  .request = text,
                                  .requested_by = requested_by,
                                  .created_at = lab_time_now()};
    enum lab_submit_result result = expand(jobs, request, &members, errors);
    if (result == LAB_SUBMIT_OK)
        result = text != NULL && make_rows(&members, id, requested_by) ? enqueue_all(jobs, &members, &sweep)
                                                                       : LAB_SUBMIT_STORE;
    if (result == LAB_SUBMIT_OK)
        added(context, &sweep);
    members_release(&members);
    free(text);
    return result;
}

/* What all runs take together: one after the other, so the most memory that one of them uses. */
static struct lab_estimate sum(const struct members *members)
{
    struct lab_estimate all = {0};
    for (size_t i = 0; i < members->count; i++) {
        const struct lab_estimate *one = &members->items[i].submission.estimate;
        all.points += one->points;
        all.seconds += one->seconds;
        all.device_bytes = one->device_bytes > all.device_bytes ? one->device_bytes : all.device_bytes;
        all.host_bytes = one->host_bytes > all.host_bytes ? one->host_bytes : all.host_bytes;
    }
    return all;
}

enum lab_submit_result lab_jobs_plan_sweep(struct lab_jobs *jobs, const json_t *request, size_t *runs,
                                           struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct members members = {0};
    enum lab_submit_result result = expand(jobs, request, &members, errors);
    *runs = members.count;
    *estimate = sum(&members);
    members_release(&members);
    return result;
}

/* --- cancelling --------------------------------------------------------------------------------------------------- */

/* Moves the queued runs of a sweep from the queue to `removed`, and asks the workers to stop whose current run is one
 * of them. Returns how many were removed. The lock is held. */
static size_t withdraw_all(struct lab_jobs *jobs, const char *sweep, struct lab_queue_entry *removed)
{
    size_t count = 0;
    for (size_t i = jobs->queue.count; i > 0; i--)
        if (jobs->queue.entries[i - 1].stored && strcmp(jobs->queue.entries[i - 1].sweep, sweep) == 0)
            lab_queue_remove(&jobs->queue, jobs->queue.entries[i - 1].id, &removed[count++]);
    for (size_t i = 0; i < jobs->node_count; i++)
        if (strcmp(jobs->nodes[i].current.run.sweep, sweep) == 0 && !jobs->nodes[i].current.ended &&
            !lab_node_follows(&jobs->nodes[i]))
            lab_node_cancel(&jobs->nodes[i]);
    if (count > 0)
        lab_jobs_queue_changed(jobs);
    return count;
}

static void sweep_publish_run(void *context, const struct lab_run_row *run)
{
    lab_jobs_publish_run(context, run);
}

enum lab_store_result lab_jobs_cancel_sweep(struct lab_jobs *jobs, const char *id, struct lab_sweep_row **written)
{
    pthread_mutex_lock(&jobs->lock);
    struct lab_queue_entry *removed = calloc(jobs->queue.count + 1, sizeof *removed);
    size_t count = removed != NULL ? withdraw_all(jobs, id, removed) : 0;
    pthread_mutex_unlock(&jobs->lock);
    if (removed == NULL)
        return lab_store_no_memory();
    enum lab_store_result result =
        lab_store_cancel_sweep(jobs->store, id, lab_time_now(), sweep_publish_run, jobs, written);
    if (result == LAB_STORE_OK) {
        for (size_t i = 0; i < count; i++)
            lab_jobs_counters_add_run(jobs->counters, removed[i].experiment, LAB_STATUS_CANCELLED, -1);
    } else { /* in the store the runs are still queued */
        pthread_mutex_lock(&jobs->lock);
        for (size_t i = 0; i < count; i++)
            lab_queue_put_back(&jobs->queue, &removed[i]);
        lab_jobs_queue_changed(jobs);
        pthread_mutex_unlock(&jobs->lock);
    }
    free(removed);
    return result;
}
