#include "periodic.h"

#include "thread.h"

#include "core/clock.h"

/* Waits for `seconds`. False when the thread is being stopped. */
static bool wait(struct lab_periodic *periodic, double seconds)
{
    struct timespec until = lab_clock_moment(lab_clock_now() + seconds);
    int result = 0;
    pthread_mutex_lock(&periodic->lock);
    while (!periodic->stop && result == 0)
        result = pthread_cond_timedwait(&periodic->wakeup, &periodic->lock, &until);
    bool stop = periodic->stop;
    pthread_mutex_unlock(&periodic->lock);
    return !stop;
}

static void *periodic_repeat(void *context)
{
    struct lab_periodic *periodic = context;
    double pause = 0;
    while (wait(periodic, pause))
        pause = periodic->work(periodic->context) ? 0 : periodic->interval_s;
    return NULL;
}

bool lab_periodic_start(struct lab_periodic *periodic, double interval_s, bool (*work)(void *context), void *context)
{
    periodic->interval_s = interval_s;
    periodic->work = work;
    periodic->context = context;
    pthread_mutex_init(&periodic->lock, NULL);
    lab_condition_init(&periodic->wakeup);
    periodic->started = lab_thread_start(&periodic->thread, periodic_repeat, periodic) == 0;
    return periodic->started;
}

void lab_periodic_stop(struct lab_periodic *periodic)
{
    if (!periodic->started)
        return;
    pthread_mutex_lock(&periodic->lock);
    periodic->stop = true;
    pthread_cond_signal(&periodic->wakeup);
    pthread_mutex_unlock(&periodic->lock);
    pthread_join(periodic->thread, NULL);
    pthread_mutex_destroy(&periodic->lock);
    pthread_cond_destroy(&periodic->wakeup);
    periodic->started = false;
}
