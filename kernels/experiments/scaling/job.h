/* The job: an array on several devices, a part on each, and the orders in which the parts are served.
 */
#ifndef LAB_SCALING_JOB_H
#define LAB_SCALING_JOB_H

#include "scaling.h"

#include "device_threads.h"
#include "measure/verify.h"
#include "verify_pairs.h"

enum { SCALING_INPUTS = 2 };

enum scaling_phase { SCALING_UP, SCALING_KERNEL, SCALING_DOWN, SCALING_PHASES };

/* Points in a part's stream. */
enum scaling_event {
    SCALING_UP_BEGINS,
    SCALING_UP_ENDS,
    SCALING_KERNEL_BEGINS,
    SCALING_KERNEL_ENDS,
    SCALING_DOWN_BEGINS,
    SCALING_DOWN_ENDS,
    SCALING_EVENTS
};

/* An array on both sides. */
struct scaling_array {
    void *host, *device;
    size_t bytes;
    struct lab_expectation holds; /* of the result of `pairs`: the elements it was made of */
};

/* What one device has of the job. */
struct scaling_part {
    struct lab_device *device;
    struct lab_stream *stream;
    struct scaling_array inputs[SCALING_INPUTS]; /* pairs: elements and partners; average: two arrays alike */
    struct scaling_array result;
    struct lab_plan *kernel;
    struct lab_event *events[SCALING_EVENTS];
    bool failed; /* its thread did, with the device's error set */
};

struct scaling_job {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    struct scaling_workload workload;
    uint32_t weight; /* partners of `pairs` */
    struct scaling_partner_sums partners;
    size_t part_count;
    struct scaling_part parts[LAB_RUN_DEVICES_MAX];
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX]; /* of the parts */
    enum scaling_variant variant;
    struct scaling_threads *threads; /* of a variant with a thread for each device, else NULL */
    bool timing_phases;              /* all marks are recorded, not only those that a variant waits for */
};

/* Allocates and fills the arrays on the run's first `device_count` devices and makes the kernels ready. False with
 * run->error set, code "unsupported" where a device has no such kernel or memory; to be closed all the same. */
bool scaling_job_open(struct scaling_job *job, struct lab_run *run, const struct scaling_workload *workload,
                      size_t device_count, uint32_t weight);
void scaling_job_close(struct scaling_job *job);

/* Makes the job lighter: fewer partners than it was opened with. False with run->error set. */
bool scaling_job_set_weight(struct scaling_job *job, uint32_t weight);

/* How the parts are served from now on. False with run->error set when there are no threads for it. */
bool scaling_job_set_variant(struct scaling_job *job, enum scaling_variant variant);

/* For lab_measure; the context is the job. False with the error of the first part's device set. */
bool scaling_job_enqueue(void *context);
bool scaling_job_poison(void *context);
bool scaling_job_verify(void *context, uint64_t *wrong);

/* Does the whole job once and waits for its end. False with run->error set. */
bool scaling_job_run(struct scaling_job *job);

/* The same with all marks, and how long each part was in each phase. */
bool scaling_job_run_timed(struct scaling_job *job, double seconds[][SCALING_PHASES]);

#endif
