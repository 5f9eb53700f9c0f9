/* Plans: prepared operations. Each kind of plan is a struct that begins with struct lab_plan; all are enqueued, subject
 * to injected faults and released in the same way.
 */
#ifndef LAB_HOST_PLAN_H
#define LAB_HOST_PLAN_H

#include "device.h"

struct lab_plan {
    struct host_device *device;
    /* Executes the plan. Called on the compute engine's thread. */
    void (*run)(struct lab_plan *plan);
    /* Frees the plan and everything that it owns. Called when no queued work uses the plan. */
    void (*release)(struct lab_plan *plan);
    struct lab_region result; /* the region that the plan writes, in which a wrong byte is injected; height 0: none */
};

/* Allocates a plan of `bytes` bytes, at least sizeof(struct lab_plan); all except device, run and release are zero.
 * Returns NULL with the device's error set when out of memory. */
struct lab_plan *lab_host_plan_create(struct lab_device *device, size_t bytes, void (*run)(struct lab_plan *plan),
                                      void (*release)(struct lab_plan *plan));

/* Functions of the runtime's table (runtime.h). */
bool lab_host_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream);
void lab_host_plan_free(struct lab_device *device, struct lab_plan *plan);

#endif
