/* The state of the worker process, shared by main.c and run.c. */
#ifndef LAB_WORKER_PROCESS_H
#define LAB_WORKER_PROCESS_H

#include "facts/nvml.h"
#include "measure/run.h"

/* A device of this machine. It is opened by its first run and stays open, so that later runs of a warm worker do not
 * have to create its context. */
struct worker_device {
    struct lab_device *device; /* NULL: not open yet */
    int processes_before;      /* compute processes on the device before this process opened it; -1: unknown */
};

struct worker {
    const struct lab_runtime *runtime;
    const char *fallback;          /* why this is not the runtime that `auto` prefers; NULL: it is */
    struct lab_nvml *nvml;         /* NULL where NVML is missing */
    const char *lock_dir;          /* folder of the device locks */
    const char *programs;          /* the file of the commands of this machine */
    const char *program_user;      /* as whom programs are executed; NULL: as whom this one is */
    struct worker_device *devices; /* array of device_count entries, indexed by ordinal */
    size_t device_count;
    json_t *variables;  /* lab_environment_variables at the start of the process */
    atomic_bool cancel; /* the current run must stop; set by the channel's thread */
};

/* Executes one {"op":"run"} and sends its events, `finished` last. Returns false when a device was lost; the process
 * must end then. */
bool worker_run(struct worker *worker, const json_t *operation);

#endif
