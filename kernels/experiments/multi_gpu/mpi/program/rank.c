/* The devices of a rank. */
#include "rank.h"

#include "worker/runtimes.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ordinal of the device of that turn; that of another rank, or of this one, may be the same. */
static size_t choose_ordinal(const struct rank *rank, size_t turn)
{
    size_t count = rank->started->device_count();
    const char *id = rank->devices[turn % rank->device_count];
    for (size_t i = 0; i < count; i++)
        if (strcmp(rank->started->facts(i)->id, id) == 0)
            return i;
    return turn % count;
}

static bool start_runtime(struct rank *rank)
{
    const struct lab_runtime_options options = {.host_devices = rank->host_devices,
                                                .host_fault = getenv("GPULAB_HOST_FAULT")};
    if (rank->started == NULL)
        rank->started = lab_runtime_start(rank->runtime, &options, NULL, &rank->error);
    return rank->started != NULL;
}

/* Sets rank->lanes[index]. */
static bool use_device(struct rank *rank, size_t index, size_t count)
{
    size_t ordinal = choose_ordinal(rank, (size_t)rank->number_on_host * count + index);
    struct lab_lane *lane = &rank->opened[ordinal];
    if (lane->device == NULL) {
        struct lab_device *device = rank->started->open(ordinal, &rank->error);
        if (device == NULL)
            return false;
        *lane = (struct lab_lane){device, rank->started->stream_create(device)};
        if (lane->stream == NULL)
            rank->error = device->error;
    }
    rank->lanes[index] = *lane;
    return lane->stream != NULL;
}

bool rank_use_devices(struct rank *rank, size_t count)
{
    if (!start_runtime(rank))
        return false;
    if (count > rank->device_count || count > rank->started->device_count())
        return lab_error_set(&rank->error, LAB_ERROR_UNSUPPORTED, "",
                             "a rank needs %zu devices: the run has %zu, and the machine of rank %d has %zu", count,
                             rank->device_count, rank->number, rank->started->device_count());
    rank->lane_count = count;
    for (size_t i = 0; i < count; i++)
        if (!use_device(rank, i, count))
            return false;
    return true;
}

void rank_close_devices(struct rank *rank)
{
    for (size_t i = 0; i < LAB_RUN_DEVICES_MAX; i++) {
        struct lab_lane *lane = &rank->opened[i];
        if (lane->device == NULL)
            continue;
        rank->started->stream_free(lane->device, lane->stream);
        rank->started->close(lane->device);
    }
    if (rank->started != NULL)
        rank->started->stop();
    rank->started = NULL;
    memset(rank->opened, 0, sizeof rank->opened);
    rank->lane_count = 0;
}

_Noreturn void rank_abort(const struct rank *rank, const char *why)
{
    fprintf(stderr, "gpulab-mpi: rank %d: %s\n", rank->number, why);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}
