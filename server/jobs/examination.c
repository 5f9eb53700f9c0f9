/* Examining the machine of a node. The node's own thread does it, because that alone uses its transport, and because an
 * examination would disturb a run. */
#include "examination.h"

#include "jobs_state.h"

#include "core/clock.h"

#include <string.h>

bool lab_node_examine(struct lab_node *node)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_error error = {0};
    pthread_mutex_lock(&jobs->lock);
    bool wanted = node->examination.waiting > 0 && node->group == NULL && !jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
    if (!wanted)
        return false;
    json_t *document = lab_warm_examine(&node->warm, &error);
    pthread_mutex_lock(&jobs->lock);
    json_decref(node->examination.document);
    node->examination.document = document;
    node->examination.error = error;
    node->examination.count++;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    return true;
}

/* The node of that name, or, for NULL, this machine; NULL where there is none. */
static struct lab_node *find(struct lab_jobs *jobs, const char *name)
{
    for (size_t i = 0; i < jobs->node_count; i++)
        if (name != NULL ? strcmp(jobs->nodes[i].options.name, name) == 0 : lab_node_is_local(&jobs->nodes[i]))
            return &jobs->nodes[i];
    return NULL;
}

/* Waits for the next examination of the node. The lock is held. */
static json_t *await(struct lab_node *node, double seconds, struct lab_error *error)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_examination *examination = &node->examination;
    struct timespec moment = lab_clock_moment(lab_clock_now() + seconds);
    uint64_t before = examination->count;
    examination->waiting++;
    pthread_cond_broadcast(&jobs->changed);
    while (examination->count == before && !jobs->stopping &&
           pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment) == 0)
        ;
    examination->waiting--;
    if (examination->count != before) {
        *error = examination->error;
        return json_incref(examination->document);
    }
    lab_error_set(error, LAB_ERROR_RUN_IN_PROGRESS, "",
                  "%s is busy: a run is being measured there, which an examination would disturb, or a worker is being "
                  "started; try again later.",
                  node->options.name);
    return NULL;
}

json_t *lab_jobs_examine(struct lab_jobs *jobs, const char *name, double seconds, struct lab_error *error)
{
    json_t *document = NULL;
    pthread_mutex_lock(&jobs->lock);
    struct lab_node *node = find(jobs, name);
    if (node != NULL)
        document = await(node, seconds, error);
    pthread_mutex_unlock(&jobs->lock);
    if (node == NULL && name == NULL)
        document = lab_worker_examine(&jobs->here, NULL, error);
    else if (node == NULL)
        lab_error_set(error, LAB_ERROR_NOT_FOUND, "", "Node not found; GET /api/v1/nodes lists the names.");
    return document;
}
