/* Keeping runs from being measured while something else uses the processor. */
#include "jobs_state.h"

#include "core/clock.h"

/* Whether this machine measures. The lock is held. */
static bool is_measuring(const struct lab_jobs *jobs)
{
    bool measuring = false;
    for (size_t i = 0; i < jobs->node_count; i++)
        measuring = measuring || (lab_node_is_local(&jobs->nodes[i]) && jobs->nodes[i].current.run.id[0] != '\0');
    return measuring;
}

bool lab_jobs_reserve(struct lab_jobs *jobs, double seconds)
{
    struct timespec moment = lab_clock_moment(lab_clock_now() + seconds);
    bool waiting = true;
    pthread_mutex_lock(&jobs->lock);
    jobs->reservations++; /* before the wait: otherwise the next run would begin when the current run ends */
    while (waiting && is_measuring(jobs) && !jobs->refusing)
        waiting = pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment) == 0;
    bool reserved = !is_measuring(jobs) && !jobs->refusing;
    pthread_mutex_unlock(&jobs->lock);
    if (!reserved)
        lab_jobs_release(jobs);
    return reserved;
}

void lab_jobs_release(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->reservations--;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

void lab_jobs_end_waits(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    atomic_store(&jobs->refusing, true);
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}
