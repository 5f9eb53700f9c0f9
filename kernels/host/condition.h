/* A condition variable whose waiters spin for a while before they sleep: waking a sleeping thread takes tens of
 * microseconds, and an idle device must not occupy a core. The caller's mutex guards it, as with pthread_cond_t.
 */
#ifndef LAB_HOST_CONDITION_H
#define LAB_HOST_CONDITION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct host_condition {
    pthread_cond_t condition; /* of the waiters that sleep */
    atomic_uint signals;      /* given so far: what spinning waiters watch */
    unsigned sleepers;
};

void lab_host_condition_init(struct host_condition *condition);
void lab_host_condition_destroy(struct host_condition *condition);

/* Mutex held. Ends the wait of every spinning waiter and of up to `count` sleeping ones. */
void lab_host_condition_signal(struct host_condition *condition, size_t count);

/* Mutex held; released while waiting. Spins for `spin_ns` (0: not at all), then sleeps. May return without a signal, so
 * the caller tests its condition in a loop. */
void lab_host_condition_wait(struct host_condition *condition, pthread_mutex_t *mutex, uint64_t spin_ns);

#endif
