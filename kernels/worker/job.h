/* The run that the worker executes (run.c), what it sends (job_events.c) and its devices (job_devices.c). */
#ifndef LAB_WORKER_JOB_H
#define LAB_WORKER_JOB_H

#include "benchmark/streams.h"
#include "descriptor/parameters.h"
#include "facts/xids.h"
#include "group.h"
#include "own_kernels.h"
#include "worker.h"

enum { WORKER_DEVICES_MAX = LAB_SIDES * LAB_RUN_DEVICES_MAX };

/* A set of devices, by their ordinals. */
struct worker_ordinals {
    size_t count;
    size_t items[WORKER_DEVICES_MAX];
};

/* The request itself, or what it is compared with. */
struct worker_side {
    struct worker_job *job;
    struct lab_run run;
    struct lab_parameters *parameters;
    struct worker_own_kernels own_kernels;
    const struct lab_experiment *defined; /* made of the own kernel; NULL: none */
    struct worker_ordinals ordinals;      /* in the order of run.devices */
};

/* The current run and its resources. */
struct worker_job {
    struct worker *worker;
    const char *id;
    bool compares;              /* there is a base */
    struct lab_streams streams; /* of both sides then */
    struct worker_group group;
    struct worker_side sides[LAB_SIDES];
    struct lab_estimate estimate;    /* of both sides together */
    struct worker_ordinals ordinals; /* of the devices of both sides */
    int locks[WORKER_DEVICES_MAX];   /* descriptors from lab_device_lock; lock_count of them are locked */
    size_t lock_count;
    bool lost; /* the context of a device is unusable */
};

/* Sets run.sink: the experiment's results become events. Timeline, fields and findings are those of the head alone. */
void worker_side_set_sink(struct worker_side *side);

/* Sets run.monitor: how the experiment reads the state of its devices. */
void worker_side_set_monitor(struct worker_side *side);

/* Lock the devices of both sides, which waits while other processes measure on them, and unlock those that are locked.
 * False with the error of the head: the run was cancelled, or a lock cannot be used. */
bool worker_job_lock_devices(struct worker_job *job);
void worker_job_unlock_devices(const struct worker_job *job);

/* Opens the devices, if they are not open yet, and checks that there is memory for the estimate. The devices of a run
 * that executes a program are closed instead, so that it has their memory to itself. False with the error of the
 * head. */
bool worker_job_open_devices(struct worker_job *job);

/* Whether other processes have started to use the run's devices: whether a device has more processes than before this
 * process opened it, plus this process. A program has a device closed, and ended before this is asked: any process is
 * another. */
bool worker_job_is_contended(const struct worker_job *job);

/* Whether the context of an open device is unusable. */
bool worker_job_is_lost(const struct worker_job *job);

/* Begins to watch for Xid errors of the run's devices; NULL: they cannot be seen here. */
struct lab_xid_watch *worker_job_watch_devices(const struct worker_job *job);

/* Says which Xid errors came while the program ran. Those of the device itself make it suspect. */
void worker_job_report_xids(struct worker_job *job, const struct lab_xids *xids);

/* Opens the devices that a program had, after it has failed, and lets each compute something. What does not answer as
 * it should is lost. */
void worker_job_check_devices(struct worker_job *job);

#endif
