/* Reads and publishes the state of the queue and of one run. */
#include "jobs_state.h"

#include "clock.h"
#include "run_json.h"

#include <math.h>
#include <string.h>

/* How long the current run is expected to take from now on. The lock is held. */
static double current_left_s(const struct lab_jobs *jobs)
{
    const struct lab_current_run *current = &jobs->current;
    if (current->run.id[0] == '\0')
        return 0;
    double whole_s = lab_durations_expect(&jobs->queue.durations, current->run.experiment, current->run.planned_s);
    return fmax(whole_s - (lab_clock_now() - current->began_at), 0);
}

void lab_jobs_live_state(struct lab_jobs *jobs, const char *id, struct lab_live_state *live)
{
    *live = (struct lab_live_state){.queue_position = -1, .wait_s = (double)NAN};
    pthread_mutex_lock(&jobs->lock);
    const struct lab_current_run *current = &jobs->current;
    const struct lab_queue_entry *queued = lab_queue_place(&jobs->queue, id);
    if (queued != NULL) {
        live->queue_position = (int64_t)queued->position;
        if (!jobs->paused && !lab_hold_active(&jobs->hold))
            live->wait_s = current_left_s(jobs) + queued->wait_s;
    }
    if (strcmp(current->run.id, id) == 0 && current->has_progress) {
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
    state->length = jobs->queue.count;
    state->paused = jobs->paused;
    memcpy(state->running, jobs->current.run.id, sizeof state->running);
    memcpy(state->held, jobs->hold.reason, sizeof state->held);
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
    double expected_s = current_left_s(jobs) + lab_queue_expected_s(&jobs->queue);
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

static void publish_row(void *context, const struct lab_run_row *row)
{
    struct lab_jobs *jobs = context;
    struct lab_live_state live;
    lab_jobs_live_state(jobs, row->id, &live);
    lab_events_publish(jobs->events, "run.updated", row->id, lab_run_summary_json(row, &live));
}

void lab_jobs_publish_run(struct lab_jobs *jobs, const char *id)
{
    lab_store_get_run(jobs->store, id, publish_row, jobs);
}
