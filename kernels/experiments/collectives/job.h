/* A communicator of the run's first devices, the collective operation of one point, and the callbacks with which
 * lab_measure times and verifies that operation.
 */
#ifndef LAB_COLLECTIVES_JOB_H
#define LAB_COLLECTIVES_JOB_H

#include "data.h"
#include "measure/measure.h"

/* Initialise with {.run = run}. */
struct collectives_job {
    struct lab_run *run;
    size_t device_count; /* number of devices of the communicator, also if it could not be created; 0 if none is open */
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX];
    struct lab_collective *collective; /* the communicator; NULL if there is none */
    char refusal[LAB_DETAIL_MAX];      /* why the communicator cannot be created; "" if it can */
    struct collectives_data data;

    struct lab_point point; /* the prepared point */
    struct lab_collective_buffers buffers[LAB_RUN_DEVICES_MAX];
    size_t repetitions; /* number of repetitions since the inputs were written */
};

/* Creates the communicator of the first `device_count` devices of the run, unless it exists, and reports the name of
 * the library as a note. If the devices do not support a communicator, returns true and writes the reason to
 * job->refusal. Returns false with run->error set on failure. The runtime must have the collective table. */
bool collectives_job_open(struct collectives_job *job, size_t device_count);

/* Closes the communicator, if there is one, and releases buffers and streams. */
void collectives_job_close(struct collectives_job *job);

/* Allocates and fills the buffers of a point and sets *work, which refers to the job. Returns false with run->error set on
 * failure. */
bool collectives_job_prepare(struct collectives_job *job, const struct lab_point *point, struct lab_work *work);

#endif
