/* Submitting runs: a place in the queue, then a row of the store, then the runner may take it. */
#include "jobs_state.h"

#include "submission.h"

#include <string.h>

/* Reserves a place in the queue for a run that is not stored yet. */
static enum lab_submit_result reserve(struct lab_jobs *jobs, const char *id)
{
    pthread_mutex_lock(&jobs->lock);
    bool full = jobs->queue.count >= jobs->queue_limit;
    bool added = !full && lab_queue_add(&jobs->queue, id, false);
    pthread_mutex_unlock(&jobs->lock);
    return full ? LAB_SUBMIT_FULL : added ? LAB_SUBMIT_OK : LAB_SUBMIT_STORE;
}

/* Makes a reserved run available to the runner if it was stored, or else removes it from the queue. */
static void finish_reservation(struct lab_jobs *jobs, const char *id, bool stored)
{
    pthread_mutex_lock(&jobs->lock);
    if (stored)
        lab_queue_find(&jobs->queue, id)->stored = true;
    else
        lab_queue_remove(&jobs->queue, id);
    lab_jobs_queue_changed(jobs);
    pthread_mutex_unlock(&jobs->lock);
}

static enum lab_submit_result enqueue(struct lab_jobs *jobs, const struct lab_submission *submission,
                                      const json_t *request, const char *key, char id[LAB_RUN_ID_SIZE])
{
    char existing[LAB_RUN_ID_SIZE] = "";
    lab_run_id(id);
    enum lab_submit_result result = reserve(jobs, id);
    if (result != LAB_SUBMIT_OK)
        return result;
    enum lab_store_result stored =
        lab_submission_store(submission, jobs->store, jobs->devices, id, jobs->host, key, request, existing);
    bool added = stored == LAB_STORE_OK && existing[0] == '\0';
    if (added)
        lab_jobs_publish_run(jobs, id); /* before the runner can publish that it runs */
    finish_reservation(jobs, id, added);
    if (stored != LAB_STORE_OK)
        return stored == LAB_STORE_CONFLICT ? LAB_SUBMIT_KEY_REUSED : LAB_SUBMIT_STORE;
    if (!added)
        memcpy(id, existing, LAB_RUN_ID_SIZE);
    return added ? LAB_SUBMIT_OK : LAB_SUBMIT_SAME;
}

enum lab_submit_result lab_jobs_submit(struct lab_jobs *jobs, const json_t *request, const char *idempotency_key,
                                       char id[LAB_RUN_ID_SIZE], struct lab_errors *errors)
{
    struct lab_submission submission;
    enum lab_submit_result result = LAB_SUBMIT_INVALID;
    if (!lab_devices_known(jobs->devices))
        return LAB_SUBMIT_NOT_READY;
    if (lab_submission_check(&submission, request, jobs->devices, errors))
        result = enqueue(jobs, &submission, request, idempotency_key, id);
    lab_submission_release(&submission);
    return result;
}

bool lab_jobs_plan(struct lab_jobs *jobs, const json_t *request, struct lab_estimate *estimate,
                   struct lab_errors *errors)
{
    struct lab_submission submission;
    bool valid = lab_submission_check(&submission, request, jobs->devices, errors);
    *estimate = submission.estimate;
    lab_submission_release(&submission);
    return valid;
}
