/* Copies. A copy between host and device is a memcpy on one thread, the engine of its direction. A copy within the
 * device uses all its cores, as on a GPU. */
#include "copy.h"

#include "memory.h"
#include "scheduler.h"

#include "core/clock.h"

#include <string.h>

/* The smallest part of a copy for one core, in bytes: copying fewer bytes takes less time than waking another core. */
enum { COPY_GRAIN = 512 * 1024 };

static bool is_contiguous(const struct lab_region *region)
{
    return region->height == 1 || region->pitch == region->width;
}

/* Copies the bytes begin <= i < end of a region. Bytes are numbered row by row, without the gaps between rows. */
static void copy_bytes(const struct lab_region *destination, const struct lab_region *source, size_t begin, size_t end)
{
    unsigned char *to = destination->address;
    const unsigned char *from = source->address;
    if (begin >= end)
        return;
    if (is_contiguous(destination) && is_contiguous(source)) {
        memcpy(to + begin, from + begin, end - begin);
        return;
    }
    size_t width = destination->width;
    size_t row = begin / width, column = begin % width;
    while (begin < end) {
        size_t bytes = width - column < end - begin ? width - column : end - begin;
        memcpy(to + row * destination->pitch + column, from + row * source->pitch + column, bytes);
        begin += bytes;
        column = 0;
        row++;
    }
}

static void copy_part(void *context, size_t begin, size_t end)
{
    const struct lab_region *regions = context;
    copy_bytes(&regions[0], &regions[1], begin, end);
}

void lab_host_copy_by_cores(struct host_device *device, const struct lab_region *destination,
                            const struct lab_region *source)
{
    struct lab_region regions[2] = {*destination, *source};
    lab_host_pool_run(&device->pool, destination->width * destination->height, COPY_GRAIN, copy_part, regions);
}

static void run_copy(struct host_device *device, struct host_task *task)
{
    const struct lab_region *destination = &task->copy.destination;
    uint64_t start_ns = lab_clock_ns();
    if (task->engine == &device->engines[HOST_ENGINE_COMPUTE])
        lab_host_copy_by_cores(device, destination, &task->copy.source);
    else
        copy_bytes(destination, &task->copy.source, 0, destination->width * destination->height);
    lab_host_fault_delay(task->fault, lab_clock_ns() - start_ns);
    lab_host_fault_corrupt(&device->machine->fault, task->fault == HOST_FAULT_WRONG_RESULT, destination);
}

static const struct host_task_kind copy_kind = {.name = "copy", .copies = true, .run = run_copy};

/* For each direction: the engine, and whether the destination and the source are device memory. */
static const struct {
    size_t engine;
    bool to_device, from_device;
} directions[] = {
    [LAB_H2D] = {HOST_ENGINE_H2D, true, false},
    [LAB_D2H] = {HOST_ENGINE_D2H, false, true},
    [LAB_D2D] = {HOST_ENGINE_COMPUTE, true, true},
};

static bool queue_copy(struct lab_device *device, struct lab_stream *stream, struct lab_region destination,
                       struct lab_region source, enum lab_direction direction)
{
    struct host_device *host = lab_host_device(device);
    struct host_fault *fault = &host->machine->fault;
    if (!lab_host_alive(device))
        return false;
    if (destination.width != source.width || destination.height != source.height)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "the source and destination of a copy must have the same width and height");
    bool empty = destination.width == 0 || destination.height == 0;
    if (!empty && ((directions[direction].to_device && !lab_host_in_device_memory(host, &destination, false)) ||
                   (directions[direction].from_device && !lab_host_in_device_memory(host, &source, false))))
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "the device side of a copy is outside the device's memory");
    if (lab_host_fault_due(fault, HOST_FAULT_COPY))
        return lab_host_mark_lost(device, "a copy failed (injected fault)");
    const struct host_task task = {.kind = &copy_kind,
                                   .engine = &host->engines[directions[direction].engine],
                                   .fault = lab_host_fault_for_copy(fault, !empty),
                                   .copy = {.destination = destination, .source = source}};
    return lab_host_submit(stream, &task);
}

bool lab_host_copy_between(const struct lab_lane *lane, struct lab_device *target, struct lab_region destination,
                           struct lab_device *source, struct lab_region from)
{
    struct lab_device *device = lane->device;
    struct host_device *host = lab_host_device(device);
    struct host_fault *fault = &host->machine->fault;
    bool empty = destination.width == 0;
    if (!lab_host_alive(device))
        return false;
    if (device != target && device != source)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "a peer copy must be queued on its source or its destination device");
    if (!empty && (!lab_host_in_device_memory(lab_host_device(target), &destination, false) ||
                   !lab_host_in_device_memory(lab_host_device(source), &from, false)))
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "the source or destination of a peer copy is outside its device's memory");
    if (lab_host_fault_due(fault, HOST_FAULT_COPY))
        return lab_host_mark_lost(device, "a copy failed (injected fault)");
    const struct host_task task = {.kind = &copy_kind,
                                   .engine = &host->engines[device == target ? HOST_ENGINE_H2D : HOST_ENGINE_D2H],
                                   .fault = lab_host_fault_for_copy(fault, !empty),
                                   .copy = {.destination = destination, .source = from, .between_devices = true}};
    return lab_host_submit(lane->stream, &task);
}

bool lab_host_copy(struct lab_device *device, struct lab_stream *stream, void *destination, const void *source,
                   size_t bytes, enum lab_direction direction)
{
    /* struct lab_region has no const form; the source is never written. */
    return queue_copy(device, stream, lab_region_of(destination, bytes),
                      lab_region_of((void *)(uintptr_t)source, bytes), direction);
}

/* The layers follow one another in memory, as the rows do. */
static bool queue_box(struct lab_device *device, struct lab_stream *stream, struct lab_region destination,
                      struct lab_region source, size_t layers, enum lab_direction direction)
{
    if (layers == 0 || source.height % layers != 0)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "%zu rows are not %zu equal layers",
                             source.height, layers);
    return queue_copy(device, stream, destination, source, direction);
}

const struct lab_runtime_copy2d lab_host_copy2d = {.copy = queue_copy, .copy3d = queue_box};
