/* One run in the worker: what an experiment's run() is given, and where its findings go.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "experiment/experiment.h"
#include "measure/measurement.h"
#include "runtime/runtime.h"

#include <stdatomic.h>

enum { LAB_RUN_DEVICES_MAX = 16 };

/* Receives what a run finds, in order, from the run's thread. Everything passed is valid during the call only. */
struct lab_sink {
    void *context;
    void (*measurement)(void *context, const struct lab_measurement *measurement);
    void (*span)(void *context, const struct lab_span *span);
    void (*progress)(void *context, size_t done, size_t total, const char *label);
    void (*warning)(void *context, const char *text); /* shown beside the result */
};

/* Tells how a device is doing right now, where someone knows: the management library, or the runtime's own clock. */
struct lab_monitor {
    void *context;
    void (*conditions)(void *context, struct lab_device *device, struct lab_conditions *conditions);
};

struct lab_run {
    const struct lab_experiment *experiment;
    const struct lab_parameters *parameters;
    size_t device_count;
    struct lab_device *devices[LAB_RUN_DEVICES_MAX];
    struct lab_sink sink;
    struct lab_monitor monitor;
    int64_t numa_node;         /* the one this thread and its memory are bound to; LAB_UNKNOWN */
    const atomic_bool *cancel; /* set by another thread; looked at between two samples */
    bool tracing;              /* a pass of its own that measures nothing and reports spans alone */
    bool any_wrong;            /* some point did not verify: the run fails at its end */
    struct lab_error error;    /* why run() returned false; code "cancelled" when it was asked to stop */
};

static inline bool lab_run_cancelled(const struct lab_run *run)
{
    return atomic_load_explicit(run->cancel, memory_order_relaxed);
}

#endif
