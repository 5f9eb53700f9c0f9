/* Records traces. Only tasks of a device's three engines are recorded; a closed latch runs on its own engine and is not
 * recorded. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* Records allocated before tracing starts; the array doubles when it is full. */
enum { RECORDS_INITIALLY = 4096 };

struct host_trace {
    struct lab_lane *lanes; /* the traced lanes; host_device.trace of their devices points to this trace */
    size_t lane_count;
    struct lab_trace_record *records; /* growing array with `count` of `capacity` entries used */
    size_t count, capacity;
    size_t dropped; /* number of records that were lost because memory ran out */
};

static void free_trace(struct host_trace *trace)
{
    if (trace == NULL)
        return;
    free(trace->lanes);
    free(trace->records);
    free(trace);
}

static struct host_trace *create_trace(const struct lab_lane *lanes, size_t count)
{
    struct host_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return NULL;
    trace->lanes = calloc(count, sizeof *trace->lanes);
    trace->records = calloc(RECORDS_INITIALLY, sizeof *trace->records);
    trace->capacity = RECORDS_INITIALLY;
    if (trace->lanes == NULL || trace->records == NULL) {
        free_trace(trace);
        return NULL;
    }
    memcpy(trace->lanes, lanes, count * sizeof *lanes);
    trace->lane_count = count;
    return trace;
}

/* --- recording ---------------------------------------------------------------------------------------------------- */

static bool kind_of(const struct host_task *task, enum lab_trace_kind *kind)
{
    static const enum lab_trace_kind of_engines[HOST_ENGINES] = {
        [HOST_ENGINE_H2D] = LAB_TRACE_H2D, [HOST_ENGINE_D2H] = LAB_TRACE_D2H, [HOST_ENGINE_COMPUTE] = LAB_TRACE_KERNEL};
    const struct host_engine *engines = task->stream->device->engines;
    for (size_t i = 0; i < HOST_ENGINES; i++) {
        if (task->engine != &engines[i])
            continue;
        *kind = of_engines[i];
        if (task->kind->copies && task->copy.between_devices)
            *kind = LAB_TRACE_PEER;
        else if (task->kind->copies && of_engines[i] == LAB_TRACE_KERNEL)
            *kind = LAB_TRACE_D2D;
        return true;
    }
    return false;
}

static bool lane_of(const struct host_trace *trace, const struct lab_stream *stream, size_t *lane)
{
    for (*lane = 0; *lane < trace->lane_count; (*lane)++)
        if (trace->lanes[*lane].stream == stream)
            return true;
    return false;
}

static bool reserve_record(struct host_trace *trace)
{
    if (trace->count < trace->capacity)
        return true;
    struct lab_trace_record *records = realloc(trace->records, 2 * trace->capacity * sizeof *records);
    if (records == NULL)
        return false;
    trace->records = records;
    trace->capacity *= 2;
    return true;
}

void lab_host_trace_add(struct host_trace *trace, const struct host_task *task, uint64_t start_ns, uint64_t end_ns)
{
    struct lab_trace_record record = {.start_ns = (int64_t)start_ns, .end_ns = (int64_t)end_ns};
    if (!lane_of(trace, task->stream, &record.lane) || !kind_of(task, &record.kind))
        return;
    if (task->kind->copies)
        record.bytes = (uint64_t)task->copy.destination.width * task->copy.destination.height;
    if (reserve_record(trace))
        trace->records[trace->count++] = record;
    else
        trace->dropped++;
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

/* Makes the devices of the lanes of `lanes_of` record into `trace`, or stop recording if it is NULL. The caller holds
 * the lock. */
static void record_into(const struct host_trace *lanes_of, struct host_trace *trace)
{
    for (size_t i = 0; i < lanes_of->lane_count; i++)
        lab_host_device(lanes_of->lanes[i].device)->trace = trace;
}

/* Waits for the lanes' devices: at the beginning, so that earlier work is not recorded; at the end, so that all queued
 * work is recorded. */
static void drain_lanes(const struct lab_lane *lanes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lab_host_drain(lab_host_device(lanes[i].device));
}

static bool host_trace_begin(const struct lab_lane *lanes, size_t count)
{
    struct lab_device *first = lanes[0].device;
    for (size_t i = 0; i < count; i++) {
        if (!lab_host_alive(lanes[i].device)) {
            first->error = lanes[i].device->error;
            return false;
        }
        if (lab_host_device(lanes[i].device)->trace != NULL)
            return lab_error_set(&first->error, LAB_ERROR_INVALID_ARGUMENT, "", "a trace is already being recorded");
    }
    struct host_trace *trace = create_trace(lanes, count);
    if (trace == NULL)
        return lab_error_set(&first->error, LAB_ERROR_INSUFFICIENT_MEMORY, "",
                             "out of memory for a trace of %zu streams", count);
    drain_lanes(lanes, count);
    lab_host_lock(lab_host_device(first));
    record_into(trace, trace);
    lab_host_unlock(lab_host_device(first));
    return true;
}

static int compare_starts(const void *left, const void *right)
{
    const struct lab_trace_record *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* Stops recording and returns the trace, or NULL if none was recorded. */
static struct host_trace *stop_recording(struct host_device *device)
{
    struct host_trace *trace = device->trace;
    if (trace == NULL)
        return NULL;
    drain_lanes(trace->lanes, trace->lane_count);
    lab_host_lock(device);
    record_into(trace, NULL);
    lab_host_unlock(device);
    return trace;
}

static bool host_trace_end(struct lab_device *base, void (*visit)(void *context, const struct lab_trace_record *record),
                           void *context)
{
    struct host_trace *trace = stop_recording(lab_host_device(base));
    bool ok = lab_host_alive(base);
    if (ok && trace == NULL)
        ok = lab_error_set(&base->error, LAB_ERROR_INVALID_ARGUMENT, "", "no trace is being recorded on this device");
    if (ok && trace->dropped > 0)
        ok = lab_error_set(&base->error, LAB_ERROR_TRACE_INCOMPLETE, "",
                           "%zu records were dropped because memory ran out", trace->dropped);
    if (ok)
        qsort(trace->records, trace->count, sizeof *trace->records, compare_starts);
    for (size_t i = 0; ok && i < trace->count; i++)
        visit(context, &trace->records[i]);
    free_trace(trace);
    return ok;
}

void lab_host_trace_cancel(struct host_device *device)
{
    struct host_trace *trace = device->trace;
    if (trace == NULL)
        return;
    lab_host_lock(device);
    record_into(trace, NULL);
    lab_host_unlock(device);
    free_trace(trace);
}

const struct lab_runtime_trace lab_host_trace = {.begin = host_trace_begin, .end = host_trace_end};
