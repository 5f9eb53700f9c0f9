/* The copies of one point, ready to be started together.
 */
#ifndef LAB_PEER_JOB_H
#define LAB_PEER_JOB_H

#include "setup.h"

enum { PEER_TRANSFERS_MAX = LAB_RUN_DEVICES_MAX * (LAB_RUN_DEVICES_MAX - 1) };

/* One copy. Where one of the ends is the host, `source` or `target` is PEER_ALL and the buffer is page-locked. */
struct peer_transfer {
    size_t source, target;
    struct lab_lane lane;
    void *from, *to;
    size_t checker; /* device that fills, poisons and checks what arrives */
    uint64_t seed;
    struct lab_plan *plan; /* where a kernel moves the bytes */
};

struct peer_job {
    struct peer_setup *setup;
    struct peer_point point;
    size_t count;    /* of the copies */
    size_t measured; /* of them, from the first; the others are the load beside it */
    struct peer_transfer transfers[PEER_TRANSFERS_MAX];
    struct lab_lane lanes[PEER_TRANSFERS_MAX]; /* theirs */
};

/* Lays out a point and makes its kernels ready. Where the machine cannot do it, `reason` says why, else it is "".
 * False with run->error set. To be closed in every case. */
bool peer_job_open(struct peer_job *job, struct peer_setup *setup, const struct peer_point *point,
                   char reason[LAB_DETAIL_MAX]);
void peer_job_close(struct peer_job *job);

/* The callbacks of lab_measure, the job being their context: all measured copies once, the others once, and what
 * arrived. */
bool peer_job_enqueue(void *context);
bool peer_job_load(void *context);
bool peer_job_poison(void *context);
bool peer_job_verify(void *context, uint64_t *wrong);

#endif
