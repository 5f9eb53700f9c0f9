/* This process as a rank: its number, and the device whose memory it uses.
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
    char **devices;         /* ids of the run's devices */
    struct lab_lane lane;   /* device NULL: not opened yet */
    struct lab_error error; /* of the last request that failed on this rank */
};

/* Opens the device of this rank: that of the run's devices whose turn it is among the ranks of the machine; on another
 * machine, which does not have them, one of its own. Does nothing if it is open. Returns false with rank->error set. */
bool rank_open_device(struct rank *rank);
void rank_close_device(struct rank *rank);

/* Ends all ranks because this one cannot go on within an operation: the others wait for its messages. */
_Noreturn void rank_abort(const struct rank *rank, const char *why);

#endif
