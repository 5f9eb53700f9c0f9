/* What the members of a group share, and its leader. */
#include "run_group.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

/* After the leader's worker has finished, the others need no longer than to close their communicators. */
static const double end_grace_s = 10;

size_t lab_group_index(const struct lab_run_group *group, const struct lab_node *node)
{
    size_t index = 0;
    while (group->members[index].node != node)
        index++;
    return index;
}

/* --- forming ------------------------------------------------------------------------------------------------------ */

bool lab_group_can_form(const struct lab_jobs *jobs, const struct lab_queue_entry *run)
{
    bool free = true;
    for (size_t i = 0; i < run->other_count; i++) {
        const struct lab_node *node = &jobs->nodes[run->others[i]];
        free = free && node->current.run.id[0] == '\0' && !lab_hold_active(&node->hold) &&
               !lab_examination_is_next(&node->examination) && (jobs->reservations == 0 || !lab_node_is_local(node));
    }
    return free;
}

bool lab_group_form(struct lab_node *leader)
{
    struct lab_jobs *jobs = leader->jobs;
    const struct lab_queue_entry *run = &leader->current.run;
    if (run->other_count == 0)
        return true;
    struct lab_run_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return false;
    group->warnings = json_array();
    group->members[group->count++].node = leader;
    for (size_t i = 0; i < run->other_count; i++) {
        struct lab_node *node = &jobs->nodes[run->others[i]];
        group->members[group->count++].node = node;
        node->group = group;
        node->current = (struct lab_current_run){.run = *run, .began_at = leader->current.began_at};
    }
    leader->group = group;
    group->members[0].state = LAB_MEMBER_READY;
    return true;
}

/* The number of members in a state. */
static size_t count_in(const struct lab_run_group *group, enum lab_member_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++)
        count += group->members[i].state == state;
    return count;
}

bool lab_group_await_workers(struct lab_node *leader)
{
    struct lab_jobs *jobs = leader->jobs;
    struct lab_run_group *group = leader->group;
    if (group == NULL)
        return true;
    pthread_mutex_lock(&jobs->lock);
    while (count_in(group, LAB_MEMBER_PREPARING) > 0 && count_in(group, LAB_MEMBER_UNABLE) == 0 &&
           !leader->current.cancelled && !jobs->stopping)
        pthread_cond_wait(&jobs->changed, &jobs->lock);
    bool ready = count_in(group, LAB_MEMBER_READY) == group->count && !leader->current.cancelled && !jobs->stopping;
    pthread_mutex_unlock(&jobs->lock);
    return ready;
}

/* --- executing ---------------------------------------------------------------------------------------------------- */

json_t *lab_group_part(const struct lab_run_group *group, const struct lab_node *node)
{
    json_t *ids = json_array(), *device;
    size_t index, first = 0;
    json_array_foreach(group->devices, index, device)
    {
        const char *name = json_string_value(json_object_get(device, "node"));
        bool own = name != NULL && strcmp(name, node->options.name) == 0;
        if (own && json_array_size(ids) == 0)
            first = index;
        if (own)
            json_array_append(ids, json_object_get(device, "id"));
    }
    json_t *part = json_copy(group->operation);
    json_object_set_new(part, "devices", ids);
    json_object_set_new(part, "group",
                        json_pack("{s:I, s:I, s:I, s:I}", "size", (json_int_t)group->count, "index",
                                  (json_int_t)lab_group_index(group, node), "ranks",
                                  (json_int_t)json_array_size(group->devices), "first_rank", (json_int_t)first));
    return part;
}

/* Whether each device belongs to a member. */
static bool has_all_devices(const struct lab_run_group *group)
{
    size_t found = 0;
    for (size_t i = 0; i < group->count; i++) {
        json_t *part = lab_group_part(group, group->members[i].node);
        found += json_array_size(json_object_get(part, "devices"));
        json_decref(part);
    }
    return found == json_array_size(group->devices);
}

bool lab_group_begin(struct lab_node *leader, json_t *operation, json_t *devices)
{
    struct lab_jobs *jobs = leader->jobs;
    struct lab_run_group *group = leader->group;
    if (group == NULL)
        return true;
    pthread_mutex_lock(&jobs->lock);
    group->operation = json_copy(operation);
    group->devices = json_incref(devices);
    json_t *part = lab_group_part(group, leader);
    bool complete = has_all_devices(group);
    if (complete)
        group->phase = LAB_GROUP_EXECUTING;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    json_object_update(operation, part);
    json_decref(part);
    return complete;
}

void lab_group_join(struct lab_node *node, const json_t *event)
{
    struct lab_jobs *jobs = node->jobs;
    struct lab_run_group *group = node->group;
    if (group == NULL)
        return;
    pthread_mutex_lock(&jobs->lock);
    const char *id = json_string_value(json_object_get(event, "id"));
    if (lab_group_leader(group) == node && group->id == NULL)
        group->id = json_string(id != NULL ? id : "");
    group->members[lab_group_index(group, node)].joined = true;
    size_t joined = 0;
    for (size_t i = 0; i < group->count; i++)
        joined += group->members[i].joined;
    for (size_t i = 0; joined == group->count && i < group->count; i++)
        lab_warm_post(&group->members[i].node->warm,
                      json_pack("{s:s, s:s, s:O}", "op", "group", "run", node->current.run.id, "id", group->id));
    pthread_mutex_unlock(&jobs->lock);
}

/* --- ending ------------------------------------------------------------------------------------------------------- */

void lab_group_stop_others(struct lab_run_group *group, const struct lab_node *node)
{
    group->stopping = true;
    for (size_t i = 0; i < group->count; i++)
        if (group->members[i].node != node && group->members[i].state != LAB_MEMBER_ENDED)
            lab_warm_cancel(&group->members[i].node->warm);
}

void lab_group_await_end(struct lab_node *leader, bool succeeded)
{
    struct lab_jobs *jobs = leader->jobs;
    struct lab_run_group *group = leader->group;
    if (group == NULL || group->phase != LAB_GROUP_EXECUTING)
        return;
    struct timespec moment = lab_clock_moment(lab_clock_now() + end_grace_s);
    pthread_mutex_lock(&jobs->lock);
    group->members[0].state = LAB_MEMBER_ENDED;
    if (!succeeded)
        lab_group_stop_others(group, leader);
    while (count_in(group, LAB_MEMBER_ENDED) < group->count) {
        if (group->stopping)
            pthread_cond_wait(&jobs->changed, &jobs->lock);
        else if (pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment) != 0)
            lab_group_stop_others(group, leader);
    }
    pthread_mutex_unlock(&jobs->lock);
}

const json_t *lab_group_failure(const struct lab_node *leader, const json_t *own)
{
    const struct lab_run_group *group = leader->group;
    const char *type = json_string_value(json_object_get(own, "type"));
    const json_t *failed = group != NULL ? group->failed : NULL;
    bool elsewhere = group != NULL && type != NULL && strcmp(type, LAB_GROUP_PROBLEM) == 0;
    for (size_t i = 1; elsewhere && failed == NULL && i < group->count; i++)
        failed = group->members[i].problem;
    return failed;
}

bool lab_group_is_stopping(const struct lab_node *node)
{
    return node->group != NULL && node->group->stopping;
}

/* Whether a follower has not left yet. */
static bool has_followers(const struct lab_run_group *group)
{
    bool found = false;
    for (size_t i = 1; i < group->count; i++)
        found = found || group->members[i].node != NULL;
    return found;
}

void lab_group_dissolve(struct lab_node *leader)
{
    struct lab_jobs *jobs = leader->jobs;
    struct lab_run_group *group = leader->group;
    if (group == NULL)
        return;
    if (group->phase == LAB_GROUP_FORMING) /* some may still be starting a worker */
        lab_group_stop_others(group, leader);
    group->phase = LAB_GROUP_DISSOLVING;
    pthread_cond_broadcast(&jobs->changed);
    while (has_followers(group))
        pthread_cond_wait(&jobs->changed, &jobs->lock);
    leader->group = NULL;
    for (size_t i = 0; i < group->count; i++)
        json_decref(group->members[i].problem);
    json_decref(group->operation);
    json_decref(group->devices);
    json_decref(group->id);
    json_decref(group->warnings);
    free(group);
}
