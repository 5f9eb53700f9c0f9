/* A job of several ranks with several devices each: every rank starts all its devices without waiting, meets the other
 * ranks at a barrier, and then waits for its devices.
 */
#include "exchange.h"

#include <mpi.h>
#include <stdlib.h>

static struct lab_lane lane_of(const struct exchange *e, size_t device)
{
    return e->rank->lanes[device];
}

/* Returns `good`, the result of a call on a device of the rank; keeps its error if it is false. */
static bool check(struct exchange *e, const struct lab_device *device, bool good)
{
    if (!good)
        e->rank->error = device->error;
    return good;
}

static bool open_part(struct exchange *e, size_t device)
{
    struct job_part *part = &e->parts[device];
    struct lab_lane lane = lane_of(e, device);
    size_t devices = e->rank->lane_count, index = (size_t)e->rank->number * devices + device;
    size_t bytes = e->bytes / ((size_t)e->rank->count * devices);
    const struct lab_offload_shape shape = {.kernel = &lab_offload_waves,
                                            .memory = LAB_MEMORY_PINNED,
                                            .bytes = bytes,
                                            .first = index * bytes / sizeof(float)};
    if (!check(e, lane.device, lab_offload_open(&part->job, lane.device, lane.stream, e->seed, &shape)))
        return false;
    part->plan = lab_offload_prepare(&part->job, 0, bytes, e->weight, LAB_OFFLOAD_BLOCK);
    return check(e, lane.device, part->plan != NULL);
}

static bool job_prepare(struct exchange *e)
{
    e->parts = calloc(e->rank->lane_count, sizeof *e->parts);
    if (e->parts == NULL)
        return lab_error_set(&e->rank->error, LAB_ERROR_OUT_OF_MEMORY, "", "a rank has no memory for its job");
    for (size_t i = 0; i < e->rank->lane_count; i++)
        if (!open_part(e, i))
            return false;
    return true;
}

static void job_release(struct exchange *e)
{
    for (size_t i = 0; e->parts != NULL && i < e->rank->lane_count; i++) {
        struct lab_device *device = lane_of(e, i).device;
        device->runtime->plan_free(device, e->parts[i].plan);
        lab_offload_close(&e->parts[i].job);
    }
    free(e->parts);
}

static void must(const struct exchange *e, const struct lab_device *device, bool good)
{
    if (!good)
        rank_abort(e->rank, device->error.detail);
}

static void start(const struct exchange *e, size_t device)
{
    const struct job_part *part = &e->parts[device];
    struct lab_lane lane = lane_of(e, device);
    must(e, lane.device,
         lab_offload_copy_in(&part->job, lane.stream, 0, 0, 0, part->job.shape.bytes) &&
             lane.device->runtime->enqueue(lane.device, part->plan, lane.stream));
}

static void finish(const struct exchange *e, size_t device)
{
    const struct job_part *part = &e->parts[device];
    struct lab_lane lane = lane_of(e, device);
    must(e, lane.device,
         lab_offload_copy_out(&part->job, lane.stream, 0, part->job.shape.bytes) &&
             lane.device->runtime->stream_synchronize(lane.device, lane.stream));
}

static void job_repeat(struct exchange *e)
{
    for (size_t i = 0; i < e->rank->lane_count; i++)
        start(e, i);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < e->rank->lane_count; i++)
        finish(e, i);
}

static bool job_poison(struct exchange *e)
{
    for (size_t i = 0; i < e->rank->lane_count; i++)
        if (!check(e, lane_of(e, i).device, lab_offload_poison(&e->parts[i].job)))
            return false;
    return true;
}

static bool job_verify(struct exchange *e, uint64_t *wrong)
{
    *wrong = 0;
    for (size_t i = 0; i < e->rank->lane_count; i++) {
        struct lab_mismatch comparison;
        if (!check(e, lane_of(e, i).device, lab_offload_verify(&e->parts[i].job, &comparison)))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}

const struct exchange_operation job_operation = {.prepare = job_prepare,
                                                 .repeat = job_repeat,
                                                 .poison = job_poison,
                                                 .verify = job_verify,
                                                 .release = job_release,
                                                 .operations = 1};
