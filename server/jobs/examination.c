/* Examining the machine of a node. The node's own thread does it, because that alone uses its transport, and because an
 * examination would disturb a run. */
#include "examination.h"

#include "jobs_state.h"

#include "core/clock.h"

#include <string.h>

/* Calls keep threads of the server: so few wait, for a machine and in all, that enough remain for other requests. */
enum { CALLS_OF_MACHINE_MAX = 2, CALLS_MAX = 4 };

/* --- the node's thread -------------------------------------------------------------------------------------------- */

bool lab_examination_is_next(const struct lab_examination *examination)
{
    return examination->waiting > 0 && !examination->last;
}

void lab_examination_begin(struct lab_node *node)
{
    node->examination.waiting = 0;
    node->examination.begun++;
    node->examination.last = true;
    pthread_cond_broadcast(&node->jobs->changed);
}

void lab_node_examine(struct lab_node *node)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_error error = {0};
    json_t *document = lab_warm_examine(&node->warm, &error);
    pthread_mutex_lock(&jobs->lock);
    json_decref(node->examination.document);
    node->examination.document = document;
    node->examination.error = error;
    node->examination.ended = node->examination.begun;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

/* --- the callers -------------------------------------------------------------------------------------------------- */

/* The node of that name, or, for NULL, this machine; NULL where there is none. */
static struct lab_node *find(struct lab_jobs *jobs, const char *name)
{
    for (size_t i = 0; i < jobs->node_count; i++)
        if (name != NULL ? strcmp(jobs->nodes[i].options.name, name) == 0 : lab_node_is_local(&jobs->nodes[i]))
            return &jobs->nodes[i];
    return NULL;
}

/* Waits until a count is `number`, at most `seconds`; false if it is not, or when the lab stops. The lock is held. */
static bool reaches(struct lab_jobs *jobs, const uint64_t *count, uint64_t number, double seconds)
{
    struct timespec moment = lab_clock_moment(lab_clock_now() + seconds);
    while (*count < number && !jobs->stopping && !jobs->refusing &&
           pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment) == 0)
        ;
    return *count >= number;
}

/* Why the examination has not begun. The lock is held. */
static void explain_wait(const struct lab_node *node, struct lab_error *error)
{
    const char *name = node->options.name;
    if (node->current.run.id[0] != '\0')
        lab_error_set(error, LAB_ERROR_RUN_IN_PROGRESS, "",
                      "%s is busy: a run is being measured there, which an examination would disturb; try again later.",
                      name);
    else if (node->examination.begun > node->examination.ended)
        lab_error_set(error, LAB_ERROR_NOT_EXAMINED, "",
                      "%s is busy: an examination that was requested earlier is in progress there; try again later.",
                      name);
    else
        lab_error_set(error, LAB_ERROR_NOT_EXAMINED, "",
                      "%s is busy: a worker is being started or stopped there; try again later.", name);
}

/* Waits for the next examination of the node. The lock is held. */
static json_t *await(struct lab_node *node, double begin_s, double end_s, struct lab_error *error)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_examination *examination = &node->examination;
    uint64_t number = examination->begun + 1;
    examination->waiting++;
    pthread_cond_broadcast(&jobs->changed);
    bool begun = reaches(jobs, &examination->begun, number, begin_s);
    if (!begun) {
        examination->waiting--;
        pthread_cond_broadcast(&jobs->changed); /* a run of several nodes may have waited for it */
    }
    if (begun && reaches(jobs, &examination->ended, number, end_s)) {
        *error = examination->error;
        return json_incref(examination->document);
    }
    if (jobs->stopping || jobs->refusing)
        lab_error_set(error, LAB_ERROR_STOPPING, "", "The server is stopping.");
    else if (!begun)
        explain_wait(node, error);
    else
        lab_error_set(error, LAB_ERROR_NOT_EXAMINED, "",
                      "The examination of %s has begun, but did not end within %g s; try again later.",
                      node->options.name, end_s);
    return NULL;
}

/* Counts a call, unless too many wait. The lock is held. */
static bool enter(struct lab_jobs *jobs, size_t *calls, struct lab_error *error)
{
    if (jobs->refusing)
        return lab_error_set(error, LAB_ERROR_STOPPING, "", "The server is stopping.");
    if (*calls >= CALLS_OF_MACHINE_MAX || jobs->examining >= CALLS_MAX)
        return lab_error_set(error, LAB_ERROR_TOO_BUSY, "",
                             "Other requests wait for an examination, at most %d for a machine and %d in all; try "
                             "again later.",
                             CALLS_OF_MACHINE_MAX, CALLS_MAX);
    (*calls)++;
    jobs->examining++;
    return true;
}

/* Examines this machine, which is no node. The lock is held, and released meanwhile. */
static json_t *examine_here(struct lab_jobs *jobs, struct lab_error *error)
{
    pthread_mutex_unlock(&jobs->lock);
    json_t *document = lab_worker_examine(&jobs->here, &jobs->refusing, error);
    pthread_mutex_lock(&jobs->lock);
    return document;
}

json_t *lab_jobs_examine(struct lab_jobs *jobs, const char *name, double begin_s, double end_s, struct lab_error *error)
{
    json_t *document = NULL;
    struct lab_node *node = find(jobs, name);
    if (node == NULL && name != NULL) {
        lab_error_set(error, LAB_ERROR_NOT_FOUND, "", "Node not found; GET /api/v1/nodes lists the names.");
        return NULL;
    }
    size_t *calls = node != NULL ? &node->examination.calls : &jobs->here_calls;
    pthread_mutex_lock(&jobs->lock);
    if (enter(jobs, calls, error)) {
        document = node != NULL ? await(node, begin_s, end_s, error) : examine_here(jobs, error);
        (*calls)--;
        jobs->examining--;
    }
    pthread_mutex_unlock(&jobs->lock);
    return document;
}
