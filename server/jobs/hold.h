/* Holding the queue: while no worker answers, no run is started, and after growing pauses another worker is tried. A
 * run is not failed because workers are broken: it waits. Times are those of clock.h. No function waits; not
 * thread-safe.
 */
#ifndef LAB_HOLD_H
#define LAB_HOLD_H

#include "core/errors.h"

#include <stdbool.h>

enum { LAB_HOLD_REASON_MAX = LAB_DETAIL_MAX + 128 };

/* Starts as `{0}`: not held. */
struct lab_hold {
    char reason[LAB_HOLD_REASON_MAX]; /* why no run is started, as sentences; "": the queue is not held */
    double retry_at;                  /* when a worker is to be tried again */
    double pause_s;                   /* the pause that leads to retry_at */
    unsigned failed_starts;           /* runs in a row whose worker ended before it had begun to measure */
};

/* Holds the queue until a worker has answered for the first time; it is to be tried at once. */
void lab_hold_begin(struct lab_hold *hold);
static inline bool lab_hold_active(const struct lab_hold *hold)
{
    return hold->reason[0] != '\0';
}

/* Holds the queue for good: no worker is started. */
void lab_hold_for_good(struct lab_hold *hold, const char *why);

/* No worker could be started or described, because of `why`. */
void lab_hold_no_worker(struct lab_hold *hold, const char *why, double now);
/* A worker has described its devices. */
void lab_hold_worker_answered(struct lab_hold *hold);

/* The worker of a run has begun to measure. */
void lab_hold_run_began(struct lab_hold *hold);
/* The worker of a run ended before it had begun to measure, because of `why`. After LAB_FAILED_STARTS_MAX such runs in
 * a row the queue is held, and after the pause one more run is tried. */
enum { LAB_FAILED_STARTS_MAX = 3 };
void lab_hold_start_failed(struct lab_hold *hold, const char *why, double now);

#endif
