/* The communicator of some devices and the collective operation of one point on it, with the callbacks with which
 * lab_measure times and verifies it.
 */
#ifndef LAB_COLLECTIVES_JOB_H
#define LAB_COLLECTIVES_JOB_H

#include "data.h"
#include "measure/measure.h"

/* Initialise with {.run = run}. */
struct collectives_job {
    struct lab_run *run;
    size_t device_count; /* size of the communicator, or of the last one that was tried; 0: none */
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX];
    struct lab_collective *collective; /* the communicator; NULL if there is none */
    char refusal[LAB_DETAIL_MAX];      /* why it cannot be created; "" if it can */
    struct collectives_data data;
    bool calls_tested[LAB_COLLECTIVE_OPERATIONS]; /* whether calls_block is known for the operation */
    bool calls_block[LAB_COLLECTIVE_OPERATIONS];  /* whether its calls block until the devices have finished */

    struct collectives_point point; /* the prepared point */
    struct lab_collective_buffers buffers[LAB_RUN_DEVICES_MAX];
    size_t repetitions; /* since its buffers were reset */
};

/* Creates the communicator of the first `device_count` devices of the run, unless it exists, and reports the library.
 * If it is unsupported, job->refusal says why. Returns false with run->error set on failure. The runtime must have the
 * collective table. */
bool collectives_job_open(struct collectives_job *job, size_t device_count);

/* Closes the communicator, if there is one, and releases buffers and streams. */
void collectives_job_close(struct collectives_job *job);

/* Allocates and fills the buffers of a point and sets *work, which refers to the job. Chooses a timing without a latch
 * if the library's calls block. Returns false with run->error set on failure. */
bool collectives_job_prepare(struct collectives_job *job, const struct collectives_point *point, struct lab_work *work);

#endif
