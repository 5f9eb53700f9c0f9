/* Submitting runs: a place in the queue, then a row of the store, then the runner may take it. */
#include "jobs_state.h"

#include "submission.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

/* Whether there are as many programs as the lab takes, queued and current. The lock is held. */
static bool programs_are_full(const struct lab_jobs *jobs)
{
    size_t count = 0;
    for (size_t i = 0; i < jobs->queue.count; i++)
        count += jobs->queue.entries[i].is_program;
    for (size_t i = 0; i < jobs->node_count; i++)
        count += jobs->nodes[i].current.run.id[0] != '\0' && jobs->nodes[i].current.run.is_program;
    return jobs->program_limit > 0 && count >= jobs->program_limit;
}

/* Whether the person has as many runs as the rights allow, queued and current. The lock is held. */
static bool person_is_full(const struct lab_jobs *jobs, const struct lab_submit_options *options)
{
    size_t count = 0;
    if (options->rights.live_max == 0)
        return false;
    for (size_t i = 0; i < jobs->queue.count; i++)
        count += lab_queue_is_of(&jobs->queue.entries[i], options->requested_by);
    for (size_t i = 0; i < jobs->node_count; i++)
        count += jobs->nodes[i].current.run.id[0] != '\0' && !lab_node_follows(&jobs->nodes[i]) &&
                 lab_queue_is_of(&jobs->nodes[i].current.run, options->requested_by);
    return count >= options->rights.live_max;
}

/* Why a run gets no place in the queue; LAB_SUBMIT_OK: it gets one. The lock is held. */
static enum lab_submit_result refusal(const struct lab_jobs *jobs, const struct lab_queue_entry *run,
                                      const struct lab_submit_options *options)
{
    if (jobs->queue.count >= jobs->queue_limit)
        return LAB_SUBMIT_FULL;
    if (run->is_program && programs_are_full(jobs))
        return LAB_SUBMIT_PROGRAMS;
    return person_is_full(jobs, options) ? LAB_SUBMIT_PERSON : LAB_SUBMIT_OK;
}

/* Reserves a place in the queue for a run that is not stored yet. */
static enum lab_submit_result reserve(struct lab_jobs *jobs, const struct lab_submission *submission,
                                      const struct lab_submit_options *options, const char *id)
{
    struct lab_queue_entry run = lab_submission_queue_entry(submission, id, "");
    lab_jobs_place(jobs, submission->sides[LAB_HEAD].devices, &run);
    pthread_mutex_lock(&jobs->lock);
    enum lab_submit_result result = refusal(jobs, &run, options);
    if (result == LAB_SUBMIT_OK && !lab_queue_add(&jobs->queue, &run, options->requested_by))
        result = LAB_SUBMIT_STORE;
    pthread_mutex_unlock(&jobs->lock);
    return result;
}

/* Makes a reserved run available to the runner if it was stored, or else removes it from the queue. */
static void finish_reservation(struct lab_jobs *jobs, const char *id, bool stored)
{
    pthread_mutex_lock(&jobs->lock);
    if (stored)
        lab_queue_find(&jobs->queue, id)->stored = true;
    else
        lab_queue_remove(&jobs->queue, id, NULL);
    lab_jobs_queue_changed(jobs);
    pthread_mutex_unlock(&jobs->lock);
}

/* The result of a call of the store with an idempotency key, which left the id of an earlier run in `existing`, or
 * "". */
static enum lab_submit_result result_of(enum lab_store_result stored, const char *existing, char id[LAB_RUN_ID_SIZE])
{
    if (stored != LAB_STORE_OK)
        return stored == LAB_STORE_CONFLICT ? LAB_SUBMIT_KEY_REUSED : LAB_SUBMIT_STORE;
    if (existing[0] == '\0')
        return LAB_SUBMIT_OK;
    memcpy(id, existing, LAB_RUN_ID_SIZE);
    return LAB_SUBMIT_SAME;
}

/* Reports a run that is on disk, before the runner can publish that it runs. */
static void report_added(struct lab_jobs *jobs, const struct lab_run_row *run, const struct lab_submit_options *options)
{
    lab_jobs_publish_run(jobs, run);
    if (options->added != NULL)
        options->added(options->context, run);
}

static enum lab_submit_result enqueue(struct lab_jobs *jobs, const struct lab_submission *submission,
                                      const struct lab_submit_options *options, const struct lab_request_key *key,
                                      char id[LAB_RUN_ID_SIZE])
{
    struct lab_submission_row row;
    char existing[LAB_RUN_ID_SIZE] = "";
    lab_run_id(id);
    enum lab_submit_result result = reserve(jobs, submission, options, id);
    if (result != LAB_SUBMIT_OK)
        return result;
    enum lab_store_result stored;
    if (lab_submission_to_row(submission, &row)) {
        row.run.id = id;
        row.run.requested_by = options->requested_by;
        row.run.challenge = options->challenge;
        stored = lab_store_add_run(jobs->store, &row.run, key, existing);
    } else {
        stored = lab_store_no_memory();
    }
    bool added = stored == LAB_STORE_OK && existing[0] == '\0';
    if (added)
        report_added(jobs, &row.run, options);
    lab_submission_row_release(&row);
    finish_reservation(jobs, id, added);
    return result_of(stored, existing, id);
}

enum lab_submit_result lab_jobs_submit(struct lab_jobs *jobs, const json_t *request,
                                       const struct lab_submit_options *options, char id[LAB_RUN_ID_SIZE],
                                       struct lab_errors *errors)
{
    struct lab_submission submission = {0};
    char existing[LAB_RUN_ID_SIZE] = "";
    const json_t *key_body = options->key_body != NULL ? options->key_body : request;
    char *body = options->key != NULL ? json_dumps(key_body, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const struct lab_request_key key = {options->key, body};
    const struct lab_submission_checks checks = {jobs->devices, options->rights};
    enum lab_submit_result result = LAB_SUBMIT_OK;
    if (options->key != NULL && body == NULL)
        result = LAB_SUBMIT_STORE;
    else if (options->key != NULL) /* first: a run that exists is returned whatever has changed since */
        result = result_of(lab_store_find_key(jobs->store, &key, lab_time_now(), existing), existing, id);
    if (result != LAB_SUBMIT_OK)
        goto out;
    result = LAB_SUBMIT_INVALID;
    if (!lab_devices_known(jobs->devices))
        result = LAB_SUBMIT_NOT_READY;
    else if (lab_submission_check(&submission, request, &checks, errors))
        result = enqueue(jobs, &submission, options, body != NULL ? &key : NULL, id);
out:
    lab_submission_release(&submission);
    free(body);
    return result;
}

bool lab_jobs_plan(struct lab_jobs *jobs, const json_t *request, const struct lab_submit_rights *rights,
                   struct lab_planned_run *plan, struct lab_errors *errors)
{
    struct lab_submission submission;
    const struct lab_submission_checks checks = {jobs->devices, *rights};
    bool valid = lab_submission_check(&submission, request, &checks, errors);
    const struct lab_parameters *head = submission.sides[LAB_HEAD].parameters;
    const struct lab_parameters *base = submission.sides[LAB_BASE].parameters;
    *plan = (struct lab_planned_run){
        .estimate = submission.estimate,
        .parameters = head != NULL ? lab_parameters_to_json(head) : NULL,
        .base_parameters = base != NULL ? lab_parameters_to_json(base) : NULL,
    };
    lab_submission_release(&submission);
    return valid;
}

void lab_planned_run_release(struct lab_planned_run *plan)
{
    json_decref(plan->parameters);
    json_decref(plan->base_parameters);
    *plan = (struct lab_planned_run){0};
}
