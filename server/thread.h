/* Threads of the server. */
#ifndef LAB_THREAD_H
#define LAB_THREAD_H

#include <pthread.h>
#include <signal.h>

/* Starts a thread in which all signals are blocked, because the process's signals are for the main thread. Returns 0 or
 * an errno value. */
static inline int lab_thread_start(pthread_t *thread, void *(*start)(void *context), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, start, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

#endif
