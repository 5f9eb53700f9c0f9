/* The worker process, between its files.
 */
#ifndef LAB_WORKER_PROCESS_H
#define LAB_WORKER_PROCESS_H

#include "facts/nvml.h"
#include "measure/run.h"

/* A device of this machine, opened at its first run and kept open: the context is what makes a warm worker warm. */
struct worker_device {
    struct lab_device *device; /* NULL: not open */
    int processes_before;      /* compute processes on it before our context; -1 unknown */
};

struct worker {
    const struct lab_runtime *runtime;
    struct lab_nvml *nvml; /* NULL where there is none */
    const char *lock_dir;  /* folder of the device locks */
    struct worker_device *devices;
    size_t device_count;
    atomic_bool cancel;
};

/* Executes one {"op":"run"} and sends everything that belongs to it, `finished` last. False when a device was lost: the
 * process must end. */
bool worker_run(struct worker *worker, const json_t *operation);

#endif
