/* Work that a thread of its own repeats until it is stopped. */
#ifndef LAB_PERIODIC_H
#define LAB_PERIODIC_H

#include <pthread.h>
#include <stdbool.h>

struct lab_periodic {
    double interval_s;
    bool (*work)(void *context); /* true: there is more to do at once */
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;  /* for `stop` */
    pthread_cond_t wakeup; /* `stop` was set */
    bool started, stop;
};

/* Starts the thread, which calls `work` at once and then after each interval. `periodic` starts as {0}. False when no
 * more threads are allowed. */
bool lab_periodic_start(struct lab_periodic *periodic, double interval_s, bool (*work)(void *context), void *context);
/* Ends the thread when the call of `work` in progress has returned. Does nothing when it was not started. */
void lab_periodic_stop(struct lab_periodic *periodic);

#endif
