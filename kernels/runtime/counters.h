/* Optional: what the counters of a device's hardware count while work runs. */
#ifndef LAB_RUNTIME_COUNTERS_H
#define LAB_RUNTIME_COUNTERS_H

#include "core/hardware_counters.h"

#include <stdbool.h>
#include <stddef.h>

struct lab_device;

enum { LAB_HARDWARE_METRIC_MAX = 96 };

/* What was counted, in the units of the table. */
struct lab_hardware_counts {
    struct lab_hardware_count {
        double value;                         /* NAN: the device does not count it */
        char metric[LAB_HARDWARE_METRIC_MAX]; /* the device's own name */
    } items[LAB_HARDWARE_COUNTER_COUNT];
};

/* Work that is counted. The functions return false with the device's error set. */
struct lab_counted_work {
    void *context;
    bool (*prepare)(
        void *context); /* called before each `run`; what it does is not counted. Must wait until it has ended */
    bool (*run)(void *context); /* must do the same each time, and wait until it has ended */
};

/* Counting needs several passes, in each of which the work runs once, because the hardware counts only some things at a
 * time. */
struct lab_runtime_counters {
    /* Loads what counting needs, at the first call for a device, and sets *passes. This may take a second. Returns
     * false with device->error set: code "unsupported" with what to do if the device or the driver does not allow to
     * count. */
    bool (*prepare)(struct lab_device *device, size_t *passes);
    /* Runs the work once in each pass. The device is held for counting only during this call. Fails like prepare(), and
     * so if another program counts on the device. An error of the work is kept. */
    bool (*count)(struct lab_device *device, const struct lab_counted_work *work, struct lab_hardware_counts *counts);
};

#endif
