/* Reads and publishes the state of the queue and of one run. */
#include "jobs_state.h"

#include "run_group.h"
#include "run_json.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "nodes/transport.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct lab_node *lab_jobs_node_running(struct lab_jobs *jobs, const char *run)
{
    for (size_t i = 0; i < jobs->node_count; i++)
        if (strcmp(jobs->nodes[i].current.run.id, run) == 0 && !lab_node_follows(&jobs->nodes[i]))
            return &jobs->nodes[i];
    return NULL;
}

bool lab_node_follows(const struct lab_node *node)
{
    return node->group != NULL && lab_group_leader(node->group) != node;
}

bool lab_node_is_local(const struct lab_node *node)
{
    return strcmp(node->options.transport, "local") == 0;
}

/* The index of the node that has a device {id, name, node}; 0 when none has that name. */
static size_t node_of(const struct lab_jobs *jobs, const json_t *device)
{
    ptrdiff_t node = lab_devices_node_named(jobs->devices, json_string_value(json_object_get(device, "node")));
    return node >= 0 ? (size_t)node : 0;
}

void lab_jobs_place(const struct lab_jobs *jobs, const json_t *devices, struct lab_queue_entry *run)
{
    size_t last = run->node = node_of(jobs, json_array_get(devices, 0));
    run->other_count = 0;
    for (size_t i = 1; i < json_array_size(devices); i++) {
        size_t node = node_of(jobs, json_array_get(devices, i));
        if (node > last && run->other_count < LAB_RUN_OTHERS_MAX)
            run->others[run->other_count++] = (uint8_t)node;
        last = node > last ? node : last;
    }
}

void lab_node_cancel(struct lab_node *node)
{
    struct lab_jobs *jobs = node->jobs;
    node->current.cancelled = true;
    jobs->generation++;
    lab_warm_cancel(&node->warm);
    pthread_cond_broadcast(&jobs->changed); /* its runner may be waiting for other nodes */
}

/* How long the current run of a node is expected to take from now on. The lock is held. */
static double current_left_s(const struct lab_node *node)
{
    const struct lab_current_run *current = &node->current;
    if (current->run.id[0] == '\0')
        return 0;
    double whole_s =
        lab_durations_expect(&node->jobs->queue.durations, current->run.experiment, current->run.planned_s);
    return fmax(whole_s - (lab_clock_now() - current->began_at), 0);
}

/* How long a queued run is expected to wait; NAN when one of its nodes is held. The lock is held. */
static double expected_wait_s(const struct lab_jobs *jobs, const struct lab_queue_entry *run)
{
    double left_s = current_left_s(&jobs->nodes[run->node]);
    bool held = lab_hold_active(&jobs->nodes[run->node].hold);
    for (size_t i = 0; i < run->other_count; i++) {
        const struct lab_node *node = &jobs->nodes[run->others[i]];
        left_s = fmax(left_s, current_left_s(node));
        held = held || lab_hold_active(&node->hold);
    }
    return held ? (double)NAN : left_s + run->wait_s;
}

void lab_jobs_live_state(struct lab_jobs *jobs, const char *id, struct lab_live_state *live)
{
    *live = (struct lab_live_state){.queue_position = -1, .wait_s = (double)NAN};
    pthread_mutex_lock(&jobs->lock);
    const struct lab_queue_entry *queued = lab_queue_place(&jobs->queue, id);
    const struct lab_node *running = lab_jobs_node_running(jobs, id);
    if (queued != NULL) {
        live->queue_position = (int64_t)queued->position;
        if (!jobs->paused)
            live->wait_s = expected_wait_s(jobs, queued);
    }
    if (running != NULL && running->current.has_progress) {
        const struct lab_current_run *current = &running->current;
        live->has_progress = true;
        live->done = current->done;
        live->total = current->total;
        memcpy(live->label, current->label, sizeof live->label);
    }
    pthread_mutex_unlock(&jobs->lock);
}

/* The lock is held. */
static void read_queue(const struct lab_jobs *jobs, struct lab_queue_state *state)
{
    size_t held = 0;
    *state = (struct lab_queue_state){.length = jobs->queue.count, .paused = jobs->paused};
    for (size_t i = 0; i < jobs->node_count; i++) {
        const struct lab_node *node = &jobs->nodes[i];
        if (node->current.run.id[0] != '\0' && !lab_node_follows(node))
            memcpy(state->runs[state->running++], node->current.run.id, LAB_RUN_ID_SIZE);
        held += lab_hold_active(&node->hold);
    }
    if (held == jobs->node_count)
        memcpy(state->held, jobs->nodes[0].hold.reason, sizeof state->held);
}

void lab_jobs_queue(struct lab_jobs *jobs, struct lab_queue_state *state)
{
    pthread_mutex_lock(&jobs->lock);
    read_queue(jobs, state);
    pthread_mutex_unlock(&jobs->lock);
}

double lab_jobs_expected_s(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    double expected_s = 0;
    for (size_t i = 0; i < jobs->node_count; i++)
        expected_s = fmax(expected_s, current_left_s(&jobs->nodes[i]) + lab_queue_expected_s(&jobs->queue, i));
    pthread_mutex_unlock(&jobs->lock);
    return expected_s;
}

void lab_jobs_queue_changed(struct lab_jobs *jobs)
{
    struct lab_queue_state state;
    read_queue(jobs, &state);
    jobs->generation++;
    pthread_cond_broadcast(&jobs->changed);
    /* with the lock held, so that the last event has the last state */
    lab_events_publish(jobs->events, "queue.updated", NULL, lab_queue_json(&state));
}

struct lab_event_subject lab_jobs_subject(const struct lab_run_row *run)
{
    return (struct lab_event_subject){run->id, run->requested_by, lab_run_is_secret(run, lab_time_now())};
}

void lab_jobs_publish_run(struct lab_jobs *jobs, const struct lab_run_row *run)
{
    struct lab_live_state live;
    lab_jobs_live_state(jobs, run->id, &live);
    const struct lab_event_subject about = lab_jobs_subject(run);
    lab_events_publish(jobs->events, LAB_EVENT_RUN_UPDATED, &about, lab_run_summary_json(run, &live));
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

/* Says how far the worker has been copied to the node; false when no copy is in progress. */
static bool describe_copy(const struct lab_node *node, char *text, size_t size)
{
    struct lab_transport *transport = node->options.worker.transport;
    size_t sent, all;
    bool copying = transport != NULL && lab_transport_copying(transport, &sent, &all);
    if (copying)
        snprintf(text, size, "Copying the worker: %.1f of %.1f MiB.", (double)sent / (1 << 20),
                 (double)all / (1 << 20));
    return copying;
}

/* Adds the state of a node to its document. The lock is held. */
static void add_state(json_t *document, const struct lab_node *node)
{
    char copy[64];
    bool copying = describe_copy(node, copy, sizeof copy);
    const char *run = node->current.run.id;
    const char *reason = copying ? copy : lab_hold_active(&node->hold) ? node->hold.reason : NULL;
    const char *state = run[0] != '\0'                   ? "running"
                        : !node->worker_tried || copying ? "starting"
                        : reason != NULL                 ? "held"
                        : node->jobs->paused             ? "paused"
                                                         : "idle";
    json_object_set_new(document, "state", json_string(state));
    json_object_set_new(document, "state_reason", lab_json_text_or_null(reason));
    json_object_set_new(document, "running", lab_json_text_or_null(run[0] != '\0' ? run : NULL));
    json_object_set_new(document, "queued",
                        json_integer((json_int_t)lab_queue_length(&node->jobs->queue, node->index)));
}

json_t *lab_jobs_nodes(struct lab_jobs *jobs)
{
    json_t *list = json_array();
    for (size_t i = 0; i < jobs->node_count; i++) {
        const struct lab_node *node = &jobs->nodes[i];
        json_t *document = json_pack("{s:s, s:s, s:s}", "name", node->options.name, "transport",
                                     node->options.transport, "target", node->options.target);
        json_t *devices = lab_devices_node_json(jobs->devices, i);
        pthread_mutex_lock(&jobs->lock);
        add_state(document, node);
        pthread_mutex_unlock(&jobs->lock);
        json_object_update_new(document, devices);
        json_array_append_new(list, document);
    }
    return list;
}

json_t *lab_jobs_node_commands(struct lab_jobs *jobs, const char *name)
{
    ptrdiff_t node = lab_devices_node_named(jobs->devices, name);
    return node >= 0 ? lab_devices_node_commands(jobs->devices, (size_t)node) : NULL;
}
