/* The job of a point: a part of the arrays on each device, the operations on it, and the callbacks with which
 * lab_measure times and verifies it.
 */
#ifndef LAB_SCALING_JOB_H
#define LAB_SCALING_JOB_H

#include "benchmark/resources.h"
#include "device_threads.h"
#include "measure/run.h"
#include "scaling.h"

/* The part of the job on one device. */
struct scaling_part {
    struct lab_device *device;
    struct lab_stream *stream;
    struct lab_offload arrays;
    struct lab_plan *kernel;
    struct lab_event *events[SCALING_PHASES][2]; /* before and after each phase */
    bool failed; /* the device's thread failed in the last job; the device's error is set */
};

struct scaling_job {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    struct scaling_workload workload;
    uint32_t weight;                /* number of partners of the kernel pairs */
    struct lab_resources resources; /* streams and events of all parts */
    size_t part_count;              /* 0: not open */
    struct scaling_part parts[LAB_RUN_DEVICES_MAX];
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX]; /* device and stream of each part */
    enum scaling_variant variant;
    struct scaling_threads *threads; /* NULL for variants with one host thread */
    int64_t numa_node;               /* of the host's arrays; LAB_UNKNOWN: several nodes */
    bool timing_phases;              /* record all events, not only those that the variant waits for */
};

/* Allocates and fills the arrays on the run's first `device_count` devices and prepares the kernels. Returns false with
 * run->error set on failure, code "unsupported" if a device lacks the kernel or the kind of memory; the job is not open
 * then. */
bool scaling_job_open(struct scaling_job *job, struct lab_run *run, const struct scaling_workload *workload,
                      size_t device_count);
/* Releases everything; allowed for `{0}`. */
void scaling_job_close(struct scaling_job *job);

/* Finds the weight of the kernel pairs at which the job takes about target_s on the first device alone. Returns false
 * with run->error set on failure, code "unsupported" if the device does not support the kernel. */
bool scaling_find_weight(struct lab_run *run, const struct scaling_workload *workload, double target_s,
                         uint32_t *weight);

/* Selects the variant and starts or ends its threads. Returns false with run->error set if threads cannot be
 * started. */
bool scaling_job_set_variant(struct scaling_job *job, enum scaling_variant variant);

/* Callbacks of struct lab_work; the context is the job. On failure they return false and set the error of the first
 * part's device. */
bool scaling_job_enqueue(void *context);
bool scaling_job_poison(void *context);
bool scaling_job_verify(void *context, uint64_t *wrong);

/* Runs the whole job once and waits for its end. Fails like the callbacks. */
bool scaling_job_run(void *context);

/* Runs the job once with all events recorded, waits for its end and stores the seconds of each phase in `seconds`, by
 * part and phase. Returns false with run->error set on failure. */
bool scaling_job_run_timed(struct scaling_job *job, double seconds[][SCALING_PHASES]);

/* Longest busy time of a device / mean busy time of all devices - 1; the busy time of a device is the sum of its
 * phases. */
double scaling_imbalance(const double seconds[][SCALING_PHASES], size_t device_count);

#endif
