/* This process as a rank: its number, and the devices that it uses.
 */
#ifndef GPULAB_MPI_RANK_H
#define GPULAB_MPI_RANK_H

#include "measure/run.h"

struct rank {
    int number, count;   /* of all ranks */
    int number_on_host;  /* among the ranks of this machine */
    const char *runtime; /* "cuda", "host" */
    size_t host_devices; /* devices into which the host runtime divides the machine */
    size_t device_count;
    char **devices;                              /* ids of the run's devices */
    const struct lab_runtime *started;           /* NULL: not yet */
    struct lab_lane opened[LAB_RUN_DEVICES_MAX]; /* by ordinal; device NULL: not opened yet */
    size_t lane_count;
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX]; /* of those that the rank uses now */
    struct lab_error error;                     /* of the last request that failed on this rank */
};

/* Makes rank->lanes those of `count` devices, which are opened if they are not: of the run's devices those whose turn
 * it is among the ranks of the machine; on another machine, which does not have them, some of its own. Returns false
 * with rank->error set, code "unsupported" if there are fewer devices. */
bool rank_use_devices(struct rank *rank, size_t count);
void rank_close_devices(struct rank *rank);

/* Ends all ranks because this one cannot go on within an operation: the others wait for its messages. */
_Noreturn void rank_abort(const struct rank *rank, const char *why);

#endif
