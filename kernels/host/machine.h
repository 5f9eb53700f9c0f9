/* The state of the host runtime that all devices share. It exists once in the process.
 */
#ifndef LAB_HOST_MACHINE_H
#define LAB_HOST_MACHINE_H

#include "fault.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <sched.h>

enum { HOST_DEVICES_MAX = 16 };

struct host_machine {
    /* Guards the streams, events, engines' lists and allocations of all devices: one lock, because a stream may wait
     * for another device's event. Work itself runs without it. */
    pthread_mutex_t lock;
    uint64_t order; /* number of the next task that is queued */
    /* How long a waiting thread spins before it sleeps: idle_spin_ns when nothing is queued for it, busy_spin_ns when
     * something is. Both are 0 on one core, which a spinning thread would take from the threads that have work. */
    uint64_t idle_spin_ns, busy_spin_ns;
    struct host_fault fault;
    struct host_allocation *allocations; /* list of all allocations (memory.c) */
    size_t device_count;                 /* entries of `facts` and `cores`, which are indexed by ordinal */
    struct lab_device_facts facts[HOST_DEVICES_MAX];
    cpu_set_t cores[HOST_DEVICES_MAX];
};

#endif
