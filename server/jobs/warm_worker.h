/* The worker that the queue works with: started when one is needed, kept warm for a while, replaced after it broke, and
 * set aside when it cannot be ended. Its devices are those of the table it is given.
 *
 * All functions belong to the runner's thread, except lab_warm_cancel and lab_warm_hurry.
 */
#ifndef LAB_WARM_WORKER_H
#define LAB_WARM_WORKER_H

#include "devices.h"
#include "worker.h"

#include <pthread.h>

struct lab_stuck_worker; /* one that not even SIGKILL ended, and the devices it holds */

struct lab_warm_worker {
    struct lab_worker_options options; /* strings stay with their owner */
    double idle_s;                     /* how long a worker that does nothing is kept */
    struct lab_devices *devices;

    pthread_mutex_t lock;      /* keeps `worker` from being freed while another thread speaks to it */
    struct lab_worker *worker; /* NULL: none runs */
    double hurry_by;           /* INFINITY until lab_warm_hurry */

    double idle_since;
    struct lab_stuck_worker *stuck;
};

void lab_warm_init(struct lab_warm_worker *warm, const struct lab_worker_options *options, double idle_s,
                   struct lab_devices *devices);
/* Ends the worker; nothing else is called after it but lab_warm_cancel and lab_warm_hurry. */
void lab_warm_end(struct lab_warm_worker *warm);
/* After lab_warm_end, when no other thread uses it any more. */
void lab_warm_release(struct lab_warm_worker *warm);

/* Sees to it that a worker runs that can be given work; a new one is asked for its devices. False with *error. */
bool lab_warm_ready(struct lab_warm_worker *warm, struct lab_error *error);

/* Ends the worker, if there is one: what it held on the GPU is free again. */
void lab_warm_retire(struct lab_warm_worker *warm);

/* After a run on `ids` (a JSON array of device ids) that ended so: keeps the worker, ends it, or sets it aside and
 * condemns its devices. */
void lab_warm_settle(struct lab_warm_worker *warm, enum lab_worker_end end, json_t *ids, const struct lab_error *error);

/* Ends a worker that has been idle long enough or died, and frees the devices of stuck ones that ended at last. Returns
 * when to be called again, INFINITY for never. */
double lab_warm_tend(struct lab_warm_worker *warm);

/* Passed on to the worker, if there is one. Any thread. */
void lab_warm_cancel(struct lab_warm_worker *warm);
/* The same, and whatever worker there is or will be ends within `seconds` from now. Any thread. */
void lab_warm_hurry(struct lab_warm_worker *warm, double seconds);

#endif
