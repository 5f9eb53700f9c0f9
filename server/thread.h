/* Threads and condition variables of the server. */
#ifndef LAB_THREAD_H
#define LAB_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <time.h>

/* Starts a thread in which all signals are blocked, because the process's signals are for the main thread. Returns 0 or an
 * errno value. */
static inline int lab_thread_start(pthread_t *thread, void *(*start)(void *context), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, start, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* Initialises a condition for pthread_cond_timedwait with times from lab_clock_moment (clock.h). */
static inline void lab_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

#endif
