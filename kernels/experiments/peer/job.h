/* The copies of one point, and the callbacks with which lab_measure times and verifies them.
 */
#ifndef LAB_PEER_JOB_H
#define LAB_PEER_JOB_H

#include "setup.h"

enum { PEER_TRANSFERS_MAX = LAB_RUN_DEVICES_MAX * (LAB_RUN_DEVICES_MAX - 1) };

/* One copy of a point. */
struct peer_transfer {
    struct lab_device *source, *target; /* NULL: the host, whose buffer is page-locked memory */
    void *from, *to;                    /* source and destination buffer */
    uint64_t seed;                      /* of the test pattern in the source buffer */
    struct lab_lane checker;            /* fills, poisons and checks the buffers; a utility stream */
    struct lab_event *mark; /* of the checker's device: start of a repetition of the load on the first copy's, end of
                             * their copies on the others */
    struct lab_plan *plan;  /* the copy kernel; NULL if a copy engine copies */
};

struct peer_job {
    struct peer_setup *setup;
    size_t bytes; /* of each copy */
    size_t count; /* number of copies */
    /* number of copies that are measured, the first ones; the others are the load that runs meanwhile */
    size_t measured;
    struct peer_transfer transfers[PEER_TRANSFERS_MAX];
    struct lab_lane lanes[PEER_TRANSFERS_MAX]; /* of each copy: the device that copies, and its stream */
};

/* Sets up the copies and copy kernels of a point, and allows or denies peer access as the point requires. `reason`
 * becomes the reason why the devices do not support the point, or "". Returns false with run->error set on failure.
 * Call peer_job_close in every case. */
bool peer_job_open(struct peer_job *job, struct peer_setup *setup, const struct lab_point *point,
                   char reason[LAB_DETAIL_MAX]);
void peer_job_close(struct peer_job *job);

/* Callbacks of struct lab_work; the context is the job. peer_job_enqueue queues each measured copy once, peer_job_load
 * each copy of the load once; peer_job_poison and peer_job_verify overwrite and check the destinations of the measured
 * copies. */
bool peer_job_enqueue(void *context);
bool peer_job_load(void *context);
bool peer_job_poison(void *context);
bool peer_job_verify(void *context, uint64_t *wrong);

#endif
