/* Keeping runs from being measured while something else uses the processor. */
#include "jobs_state.h"

#include "clock.h"

bool lab_jobs_reserve(struct lab_jobs *jobs, double seconds)
{
    struct timespec moment = lab_clock_moment(lab_clock_now() + seconds);
    bool waiting = true;
    pthread_mutex_lock(&jobs->lock);
    jobs->reservations++; /* already while it waits: otherwise the next run would begin as soon as the current one has ended */
    while (waiting && jobs->current.run.id[0] != '\0' && !jobs->refusing)
        waiting = pthread_cond_timedwait(&jobs->changed, &jobs->lock, &moment) == 0;
    bool reserved = jobs->current.run.id[0] == '\0' && !jobs->refusing;
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

void lab_jobs_refuse_reservations(struct lab_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->refusing = true;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}
