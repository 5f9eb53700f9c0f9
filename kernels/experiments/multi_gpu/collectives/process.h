/* The part of a point that is done by one process: with the devices of the run, or, of a run on several machines, with
 * those of one of them. Functions that can fail set run->error, those after _in_place the error of the run's first
 * device.
 */
#ifndef LAB_COLLECTIVES_PROCESS_H
#define LAB_COLLECTIVES_PROCESS_H

#include "benchmark/resources.h"
#include "collectives.h"
#include "measure/measure.h"
#include "measure/verify.h"

/* Contents of the source buffers. PATTERN, for operations that only move data: different elements of the test pattern
 * on each device. SUMMANDS, for reductions: summands, whose sum over all devices is the pattern. */
enum collectives_content { COLLECTIVES_NOTHING, COLLECTIVES_PATTERN, COLLECTIVES_SUMMANDS };

struct collectives_process {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    struct lab_resources resources; /* a stream of each device, then the buffers */
    size_t ranks;                   /* number of devices of the communicator; 0: none is open */
    size_t first;                   /* rank of this process's first device */
    size_t devices;                 /* devices of this process in the communicator; 0 for those that have none in it */
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX];
    struct lab_collective *communicator;
    size_t capacity; /* bytes of each buffer */
    enum collectives_content content;
    void *sources[LAB_RUN_DEVICES_MAX], *results[LAB_RUN_DEVICES_MAX]; /* send and receive buffer of each device */

    struct lab_point point; /* the prepared point */
    struct lab_collective_buffers buffers[LAB_RUN_DEVICES_MAX];
    struct lab_destinations expected; /* the results of one repetition on buffers that were just reset */
    size_t repetitions;               /* number of repetitions since the inputs were written */
};

void collectives_process_init(struct collectives_process *process, struct lab_run *run);
/* Releases everything. Waits for all devices first, unless the run has failed. `abandoned`: another process may be
 * gone. */
void collectives_process_close(struct collectives_process *process, bool abandoned);

/* Forms the group of the run's first `ranks` devices, unless it exists. `id` is that of the group; NULL if the run has
 * one process. Waits for all processes that have some of these devices. Returns false with run->error set; the code is
 * "unsupported" if the devices have no library for it. */
bool collectives_process_join(struct collectives_process *process, size_t ranks, const struct lab_collective_id *id);
/* Allocates and fills the buffers of the point, whose group has been formed. */
bool collectives_process_prepare(struct collectives_process *process, const struct lab_point *point);

bool collectives_process_in_place(const struct collectives_process *process);

/* Enqueues one repetition. */
bool collectives_process_enqueue(struct collectives_process *process);
/* Enqueues copies of the inputs to the buffers of an operation in place; does nothing for others. */
bool collectives_process_restore(struct collectives_process *process);
/* Poisons the results and restores the inputs; returns when this is done. */
bool collectives_process_reset(struct collectives_process *process);
/* Waits until the devices have done what was enqueued. */
bool collectives_process_synchronize(struct collectives_process *process);
/* Counts the wrong elements on the process's devices. */
bool collectives_process_check(struct collectives_process *process, uint64_t *wrong);

#endif
