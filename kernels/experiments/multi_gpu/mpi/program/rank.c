/* The device of a rank. */
#include "rank.h"

#include "worker/runtimes.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t choose_ordinal(const struct rank *rank, const struct lab_runtime *runtime)
{
    size_t turn = (size_t)rank->number_on_host, count = runtime->device_count();
    const char *id = rank->devices[turn % rank->device_count];
    for (size_t i = 0; i < count; i++)
        if (strcmp(runtime->facts(i)->id, id) == 0)
            return i;
    return turn % count;
}

bool rank_open_device(struct rank *rank)
{
    const struct lab_runtime_options options = {.host_devices = rank->host_devices,
                                                .host_fault = getenv("GPULAB_HOST_FAULT")};
    if (rank->lane.device != NULL)
        return true;
    const struct lab_runtime *runtime = lab_runtime_start(rank->runtime, &options, NULL, &rank->error);
    if (runtime == NULL)
        return false;
    struct lab_device *device = runtime->open(choose_ordinal(rank, runtime), &rank->error);
    if (device == NULL)
        return false;
    rank->lane = (struct lab_lane){device, runtime->stream_create(device)};
    if (rank->lane.stream == NULL)
        rank->error = device->error;
    return rank->lane.stream != NULL;
}

void rank_close_device(struct rank *rank)
{
    struct lab_device *device = rank->lane.device;
    if (device == NULL)
        return;
    const struct lab_runtime *runtime = device->runtime;
    runtime->stream_free(device, rank->lane.stream);
    runtime->close(device);
    runtime->stop();
    rank->lane = (struct lab_lane){0};
}

_Noreturn void rank_abort(const struct rank *rank, const char *why)
{
    fprintf(stderr, "gpulab-mpi: rank %d: %s\n", rank->number, why);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}
