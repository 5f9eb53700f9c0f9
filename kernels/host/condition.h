/* A condition variable whose waiters spin for a limited time before they sleep. They spin because waking a sleeping
 * thread takes tens of microseconds, and sleep because an idle device must not occupy a core. The caller's mutex guards
 * it, as with pthread_cond_t.
 */
#ifndef LAB_HOST_CONDITION_H
#define LAB_HOST_CONDITION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct host_condition {
    pthread_cond_t condition; /* on which sleeping waiters wait */
    atomic_uint signals;      /* number of signals so far, which spinning waiters read */
    unsigned sleepers;        /* number of waiters that sleep */
};

void lab_host_condition_init(struct host_condition *condition);
void lab_host_condition_release(struct host_condition *condition);

/* Ends the wait of every spinning waiter and of up to `count` sleeping waiters. The caller holds the mutex. */
void lab_host_condition_signal(struct host_condition *condition, size_t count);

/* Spins for up to `spin_ns`, which may be 0, then sleeps. The caller holds the mutex, which is released while waiting.
 * May return without a signal, so the caller must test its condition in a loop. */
void lab_host_condition_wait(struct host_condition *condition, pthread_mutex_t *mutex, uint64_t spin_ns);

#endif
