/* Plans: operations made ready, of whatever kind. Each kind is a struct of its own that begins with this one; it is
 * enqueued, struck by injected faults and released in the same way as all others.
 */
#ifndef LAB_HOST_PLAN_H
#define LAB_HOST_PLAN_H

#include "internal.h"

struct lab_plan {
    struct host_device *device;
    /* On the compute engine. */
    void (*run)(struct lab_plan *plan);
    /* Frees the plan and what it has; nothing that is queued uses it any more. */
    void (*release)(struct lab_plan *plan);
    struct lab_region result; /* what it writes, height 0 for nothing: where a wrong result is planted */
};

/* A plan of `bytes`, the rest of them zero. NULL with the device's error set when there is no memory for it. */
struct lab_plan *lab_host_plan_make(struct lab_device *device, size_t bytes, void (*run)(struct lab_plan *plan),
                                    void (*release)(struct lab_plan *plan));

bool lab_host_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream);
void lab_host_plan_release(struct lab_device *device, struct lab_plan *plan);

#endif
