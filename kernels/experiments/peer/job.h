/* The copies of one point, and the callbacks with which lab_measure times and verifies them.
 */
#ifndef LAB_PEER_JOB_H
#define LAB_PEER_JOB_H

#include "setup.h"

enum { PEER_TRANSFERS_MAX = LAB_RUN_DEVICES_MAX * (LAB_RUN_DEVICES_MAX - 1) };

/* One copy. If one end is the host, `source` or `target` is PEER_ALL and that buffer is page-locked host memory. */
struct peer_transfer {
    size_t source, target;
    struct lab_lane lane;
    void *from, *to;
    size_t checker; /* device that fills, poisons and checks the buffers */
    uint64_t seed;
    struct lab_plan *plan; /* the copy kernel; NULL if a copy engine copies */
};

struct peer_job {
    struct peer_setup *setup;
    struct peer_point point;
    size_t count;    /* number of copies */
    size_t measured; /* the first of them are measured, the others are the load that runs meanwhile */
    struct peer_transfer transfers[PEER_TRANSFERS_MAX];
    struct lab_lane lanes[PEER_TRANSFERS_MAX]; /* of the copies */
};

/* Sets up the copies of a point and its kernels, and switches peer access. `reason` says why the devices cannot do it,
 * or is "". Returns false with run->error set on failure. Call peer_job_close in every case. */
bool peer_job_open(struct peer_job *job, struct peer_setup *setup, const struct peer_point *point,
                   char reason[LAB_DETAIL_MAX]);
void peer_job_close(struct peer_job *job);

/* Callbacks of struct lab_work; the context is the job. `enqueue` queues each measured copy once, `load` each other
 * copy once; `poison` and `verify` treat the destinations of the measured copies. */
bool peer_job_enqueue(void *context);
bool peer_job_load(void *context);
bool peer_job_poison(void *context);
bool peer_job_verify(void *context, uint64_t *wrong);

#endif
