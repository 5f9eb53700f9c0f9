/* Flushes the last-level caches of devices, for samples with a cold cache (METHOD.md 7). */
#ifndef LAB_FLUSH_H
#define LAB_FLUSH_H

#include "measure/run.h"

/* The prepared flushes, at most one for each device. Initialise with `{0}`; release with lab_flushes_release. */
struct lab_flushes {
    size_t count;
    struct {
        struct lab_device *device;
        struct lab_plan *plan;
    } items[LAB_RUN_DEVICES_MAX];
};

void lab_flushes_release(struct lab_flushes *flushes);

/* Prepares the flush of each lane's device, unless it is prepared. Returns false with the error of the first lane's
 * device set; the code is "unsupported" if a device has no such operation. */
bool lab_flushes_prepare(struct lab_flushes *flushes, const struct lab_lane *lanes, size_t count);

/* Enqueues the flush of each lane's device, once for each device. Returns false with the error of the first lane's
 * device set. The caller synchronises the lanes. */
bool lab_flushes_enqueue(const struct lab_flushes *flushes, const struct lab_lane *lanes, size_t count);

#endif
