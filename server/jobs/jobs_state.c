/* Reads and publishes the state of the queue and of one run. */
#include "jobs_state.h"

#include "run_json.h"

#include <string.h>

void lab_jobs_live_state(struct lab_jobs *jobs, const char *id, struct lab_live_state *live)
{
    *live = (struct lab_live_state){.queue_position = -1};
    pthread_mutex_lock(&jobs->lock);
    live->queue_position = lab_queue_position(&jobs->queue, id);
    const struct lab_current_run *current = &jobs->current;
    if (strcmp(current->id, id) == 0 && current->has_progress) {
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
    memcpy(state->running, jobs->current.id, sizeof state->running);
    memcpy(state->held, jobs->hold.reason, sizeof state->held);
}

void lab_jobs_queue(struct lab_jobs *jobs, struct lab_queue_state *state)
{
    pthread_mutex_lock(&jobs->lock);
    read_queue(jobs, state);
    pthread_mutex_unlock(&jobs->lock);
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
