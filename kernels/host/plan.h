/* Plans: prepared operations. Each kind of plan is a struct that begins with struct lab_plan; all are enqueued, subject
 * to injected faults and released in the same way.
 */
#ifndef LAB_HOST_PLAN_H
#define LAB_HOST_PLAN_H

#include "device.h"

struct lab_plan {
    struct host_device *device;
    /* On the compute engine's thread. */
    void (*run)(struct lab_plan *plan);
    /* Frees the plan and what belongs to it. Called when no queued work uses it. */
    void (*release)(struct lab_plan *plan);
    struct lab_region result; /* what it writes; height 0: nothing. An injected wrong result goes here */
};

/* Allocates `bytes` bytes, at least sizeof(struct lab_plan); those after the struct are zero. NULL with the device's
 * error set when out of memory. */
struct lab_plan *lab_host_plan_create(struct lab_device *device, size_t bytes, void (*run)(struct lab_plan *plan),
                                      void (*release)(struct lab_plan *plan));

/* Entries of the runtime's table (runtime.h). */
bool lab_host_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream);
void lab_host_plan_release(struct lab_device *device, struct lab_plan *plan);

#endif
