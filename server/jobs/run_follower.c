/* A follower's part of a run on several nodes: executes it, and tells the leader how it ended. Only the leader reports
 * measurements. */
#include "run_group.h"

#include "problem.h"

#include <string.h>

enum { LOG_SIZE = 4096 };

/* What the worker has reported of its part. */
struct part {
    struct lab_node *node;
    bool began, finished, succeeded;
    bool contended;
    json_t *error;    /* of `finished`; NULL: none */
    json_t *warnings; /* its texts */
};

static void keep_finished(struct part *part, const json_t *event)
{
    const char *status = json_string_value(json_object_get(event, "status"));
    json_t *error = json_object_get(event, "error");
    part->finished = true;
    part->succeeded = lab_status_is(status, LAB_STATUS_SUCCEEDED);
    part->contended = json_is_true(json_object_get(event, "contended"));
    if (lab_status_is(status, LAB_STATUS_FAILED))
        part->error = json_is_object(error) ? json_copy(error) : json_object();
}

static void take_event(void *context, const char *name, const json_t *event)
{
    struct part *part = context;
    const char *text = json_string_value(json_object_get(event, "text"));
    if (strcmp(name, "started") == 0)
        part->began = true;
    else if (strcmp(name, "group") == 0)
        lab_group_join(part->node, event);
    else if (strcmp(name, "warning") == 0 && text != NULL)
        json_array_append_new(part->warnings, json_sprintf("On %s: %s", part->node->options.name, text));
    else if (strcmp(name, "finished") == 0)
        keep_finished(part, event);
}

/* Why the part failed; NULL if it did not, or was stopped on request. `error` is that of lab_worker_run. */
static json_t *problem_of(const struct part *part, const struct lab_error *error, const char *log)
{
    bool ended = error->code != LAB_ERROR_NONE && error->code != LAB_ERROR_CANCELLED;
    json_t *problem = part->error != NULL ? json_incref(part->error)
                      : ended             ? lab_problem_json(error->code, error->detail, log)
                                          : NULL;
    if (problem != NULL)
        lab_problem_name_machine(problem, part->node->options.name);
    return problem;
}

/* Tells the group how the part ended. The lock is held. */
static void report_end(struct lab_run_group *group, const struct part *part, json_t *problem)
{
    struct lab_group_member *member = &group->members[lab_group_index(group, part->node)];
    member->problem = problem;
    if (problem != NULL && group->failed == NULL && !group->stopping)
        group->failed = problem;
    group->contended = group->contended || part->contended;
    json_array_extend(group->warnings, part->warnings);
    if (!part->succeeded)
        lab_group_stop_others(group, part->node);
}

/* Executes the follower's part of the run, which is {"op":"run",…}. */
static void execute(struct lab_node *node, json_t *operation)
{
    struct lab_jobs *jobs = node->jobs;
    struct part part = {.node = node, .warnings = json_array()};
    const struct lab_worker_listener listener = {&part, take_event};
    struct lab_error error;
    char log[LOG_SIZE];
    enum lab_worker_end end = lab_worker_run(node->warm.worker, operation, 0, &listener, &error);
    lab_worker_log(node->warm.worker, log, sizeof log);
    lab_warm_run_ended(&node->warm, end, json_object_get(operation, "devices"), &error);
    json_t *problem = problem_of(&part, &error, log);
    pthread_mutex_lock(&jobs->lock);
    report_end(node->group, &part, problem);
    if (part.began)
        lab_hold_run_began(&node->hold);
    pthread_mutex_unlock(&jobs->lock);
    json_decref(part.error);
    json_decref(part.warnings);
}

/* Leaves the group. The lock is held. */
static void leave(struct lab_node *node)
{
    struct lab_run_group *group = node->group;
    group->members[lab_group_index(group, node)].node = NULL;
    node->group = NULL;
    node->current = (struct lab_current_run){0};
    lab_warm_clear_cancel(&node->warm);
    lab_jobs_queue_changed(node->jobs);
}

/* Waits as long as the group is in that phase. The lock is held. */
static void await_end_of(struct lab_node *node, enum lab_group_phase phase)
{
    while (node->group->phase == phase)
        pthread_cond_wait(&node->jobs->changed, &node->jobs->lock);
}

/* Changes the follower's state, for which the leader waits. The lock is held. */
static void enter(struct lab_node *node, enum lab_member_state state)
{
    node->group->members[lab_group_index(node->group, node)].state = state;
    pthread_cond_broadcast(&node->jobs->changed);
}

bool lab_group_follow(struct lab_node *node, bool ready)
{
    struct lab_jobs *jobs = node->jobs;
    pthread_mutex_lock(&jobs->lock);
    bool follows = lab_node_follows(node);
    if (follows) {
        enter(node, ready ? LAB_MEMBER_READY : LAB_MEMBER_UNABLE);
        await_end_of(node, LAB_GROUP_FORMING);
    }
    json_t *part = follows && node->group->phase == LAB_GROUP_EXECUTING ? lab_group_part(node->group, node) : NULL;
    pthread_mutex_unlock(&jobs->lock);
    if (part != NULL)
        execute(node, part);
    json_decref(part);
    pthread_mutex_lock(&jobs->lock);
    if (follows) {
        enter(node, LAB_MEMBER_ENDED);
        await_end_of(node, LAB_GROUP_EXECUTING);
        leave(node);
    }
    pthread_mutex_unlock(&jobs->lock);
    return follows;
}
