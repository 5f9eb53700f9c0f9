/* Records traces with CUPTI's activity records. CUPTI requests buffers and returns them filled, possibly on its own
 * threads; the buffers are read when the trace ends.
 *
 * Kernels are recorded with CONCURRENT_KERNEL records, because KERNEL records make kernels run one at a time. Records
 * of the latch's kernel are discarded.
 */
#include "cupti_library.h"
#include "device.h"
#include "entries.h"
#include "kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Large enough for the records of 16,000 kernels, so that CUPTI requests only one buffer, during the warm-up, and no
 * further buffer during the trace. */
enum { BUFFER_BYTES = 4 << 20 };

/* A buffer for activity records. */
struct buffer {
    struct buffer *next; /* next buffer in the list tracer.filled */
    size_t valid_bytes;  /* bytes that CUPTI has filled */
    _Alignas(16) uint8_t bytes[BUFFER_BYTES];
};

/* The state of tracing. Static, because CUPTI traces the complete process and its callbacks get no context pointer. */
static struct {
    bool open;       /* CUPTI is loaded */
    bool registered; /* the buffer callbacks are registered */
    struct cupti cupti;
    struct lab_lane *lanes; /* the lanes being traced, or NULL */
    uint32_t *stream_ids;   /* CUPTI's ids of the lanes' streams */
    size_t lane_count;      /* entries of `lanes` and `stream_ids` */
    pthread_mutex_t lock;   /* guards `filled`, which the callbacks change */
    struct buffer *filled;  /* list of the buffers that CUPTI has returned */
} tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_MEMCPY2 /* between devices */};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool check_cupti(struct lab_device *device, enum lab_error_code code, CUptiResult result, const char *doing)
{
    const char *name = NULL;
    if (result == CUPTI_SUCCESS)
        return true;
    if (tracer.cupti.result_string(result, &name) != CUPTI_SUCCESS || name == NULL)
        name = "unknown error";
    return lab_error_set(&device->error, code, "", "CUPTI: %s (%d), while %s", name, (int)result, doing);
}

/* --- buffers ------------------------------------------------------------------------------------------------------ */

/* CUPTI's callback that requests a buffer. If there is no memory for it, CUPTI drops records and counts them. */
static void CUPTIAPI allocate_buffer(uint8_t **bytes, size_t *size, size_t *records_max)
{
    struct buffer *buffer = malloc(sizeof *buffer);
    *bytes = buffer != NULL ? buffer->bytes : NULL;
    *size = buffer != NULL ? sizeof buffer->bytes : 0;
    *records_max = 0;
    // cppcheck-suppress memleak // CUPTI passes the buffer to collect_buffer
}

/* CUPTI's callback that returns a filled buffer. */
static void CUPTIAPI collect_buffer(CUcontext context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid_bytes)
{
    (void)context;
    (void)stream;
    (void)size;
    struct buffer *buffer = (struct buffer *)(void *)(bytes - offsetof(struct buffer, bytes));
    buffer->valid_bytes = valid_bytes;
    pthread_mutex_lock(&tracer.lock);
    buffer->next = tracer.filled;
    tracer.filled = buffer;
    pthread_mutex_unlock(&tracer.lock);
}

static struct buffer *take_filled_buffers(void)
{
    pthread_mutex_lock(&tracer.lock);
    struct buffer *filled = tracer.filled;
    tracer.filled = NULL;
    pthread_mutex_unlock(&tracer.lock);
    return filled;
}

static void free_buffers(struct buffer *buffer)
{
    while (buffer != NULL) {
        struct buffer *next = buffer->next;
        free(buffer);
        buffer = next;
    }
}

/* --- records ------------------------------------------------------------------------------------------------------ */

/* The records of a trace, in a growing array. */
struct records {
    struct lab_trace_record *items;
    size_t count, capacity;
    size_t untimed;     /* number of records without times, for which CUPTI had no memory on the device */
    bool out_of_memory; /* records are missing, because the array could not grow */
};

/* Sets *lane to the index of the traced lane with this device and stream. Returns false if there is none. */
static bool lane_of(uint32_t device_id, uint32_t stream_id, size_t *lane)
{
    for (*lane = 0; *lane < tracer.lane_count; (*lane)++)
        if (tracer.stream_ids[*lane] == stream_id &&
            device_id == (uint32_t)cuda_device_of(tracer.lanes[*lane].device)->ordinal)
            return true;
    return false;
}

static void add(struct records *records, struct lab_trace_record record)
{
    if (record.start_ns == 0 || record.end_ns == 0) {
        records->untimed++;
        return;
    }
    if (records->count == records->capacity) {
        size_t capacity = records->capacity > 0 ? 2 * records->capacity : 1024;
        struct lab_trace_record *items = realloc(records->items, capacity * sizeof *items);
        if (items == NULL) {
            records->out_of_memory = true;
            return;
        }
        records->items = items;
        records->capacity = capacity;
    }
    records->items[records->count++] = record;
}

static bool kind_of_copy(uint8_t copy, enum lab_trace_kind *kind)
{
    static const struct {
        CUpti_ActivityMemcpyKind copy;
        enum lab_trace_kind kind;
    } table[] = {{CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, LAB_TRACE_H2D},
                 {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, LAB_TRACE_D2H},
                 {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, LAB_TRACE_D2D},
                 {CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, LAB_TRACE_PEER}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].copy == copy) {
            *kind = table[i].kind;
            return true;
        }
    return false;
}

/* Adds a record of a traced lane. Newer CUPTI versions only add members at the end of records, so that these types
 * match the records of every CUPTI from 12 on. */
static void add_activity(struct records *records, const CUpti_Activity *activity)
{
    const CUpti_ActivityKernel9 *kernel = (const void *)activity;
    const CUpti_ActivityMemcpy5 *copy = (const void *)activity;
    const CUpti_ActivityMemcpyPtoP4 *between = (const void *)activity;
    struct lab_trace_record record = {.kind = LAB_TRACE_KERNEL};
    if (activity->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
        lane_of(kernel->deviceId, kernel->streamId, &record.lane) &&
        (kernel->name == NULL || strcmp(kernel->name, LAB_CUDA_LATCH_KERNEL) != 0)) {
        record.start_ns = (int64_t)kernel->start;
        record.end_ns = (int64_t)kernel->end;
        add(records, record);
    } else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMCPY && kind_of_copy(copy->copyKind, &record.kind) &&
               lane_of(copy->deviceId, copy->streamId, &record.lane)) {
        record.start_ns = (int64_t)copy->start;
        record.end_ns = (int64_t)copy->end;
        record.bytes = copy->bytes;
        add(records, record);
    } else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMCPY2 &&
               lane_of(between->deviceId, between->streamId, &record.lane)) {
        record.kind = LAB_TRACE_PEER;
        record.start_ns = (int64_t)between->start;
        record.end_ns = (int64_t)between->end;
        record.bytes = between->bytes;
        add(records, record);
    }
}

static void read_buffers(struct records *records, struct buffer *buffers)
{
    for (struct buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
        CUpti_Activity *activity = NULL;
        while (tracer.cupti.next_record(buffer->bytes, buffer->valid_bytes, &activity) == CUPTI_SUCCESS)
            add_activity(records, activity);
    }
}

static int compare_starts(const void *left, const void *right)
{
    const struct lab_trace_record *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

static void stop_recording(void)
{
    for (size_t i = 0; i < KINDS; i++)
        (void)tracer.cupti.disable(kinds[i]);
    free(tracer.stream_ids);
    free(tracer.lanes);
    tracer.stream_ids = NULL;
    tracer.lanes = NULL;
    tracer.lane_count = 0;
}

void lab_cuda_trace_cancel(struct cuda_device *device)
{
    bool traced = false;
    for (size_t i = 0; i < tracer.lane_count; i++)
        traced = traced || tracer.lanes[i].device == &device->base;
    if (!traced)
        return;
    stop_recording();
    (void)tracer.cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    free_buffers(take_filled_buffers());
}

static bool load_cupti(struct lab_device *device)
{
    char why[LAB_DETAIL_MAX / 2];
    if (!tracer.open && !lab_cuda_cupti_open(&tracer.cupti, why, sizeof why))
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "CUPTI is not installed: %s", why);
    tracer.open = true;
    if (!tracer.registered &&
        !check_cupti(device, LAB_ERROR_UNSUPPORTED, tracer.cupti.register_callbacks(allocate_buffer, collect_buffer),
                     "registering buffer callbacks"))
        return false;
    tracer.registered = true;
    return true;
}

/* Returns `ok`. If it is false, copies the error of the lane's device to the device of the first lane. */
static bool check_lane(const struct lab_lane *lane, bool ok)
{
    if (!ok && lane->device != tracer.lanes[0].device)
        tracer.lanes[0].device->error = lane->device->error;
    return ok;
}

/* CUPTI identifies the legacy default stream by NULL and the current context. (This code is not compiled for per-thread
 * default streams.) */
static bool get_stream_id(const struct lab_lane *lane, uint32_t *id)
{
    cudaStream_t stream = cuda_stream_of(lane->stream);
    return lab_cuda_make_current(lane->device) &&
           check_cupti(
               lane->device, LAB_ERROR_UNSUPPORTED,
               tracer.cupti.stream_id(lab_cuda_current_context(), stream == cudaStreamLegacy ? NULL : stream, 0, id),
               "getting the id of a stream");
}

/* Stores the traced lanes and the ids of their streams in `tracer`. */
static bool store_lanes(const struct lab_lane *lanes, size_t count)
{
    tracer.lanes = calloc(count, sizeof *tracer.lanes);
    tracer.stream_ids = calloc(count, sizeof *tracer.stream_ids);
    if (tracer.lanes == NULL || tracer.stream_ids == NULL)
        return lab_error_set(&lanes[0].device->error, LAB_ERROR_OUT_OF_MEMORY, "",
                             "out of memory for a trace of %zu streams", count);
    memcpy(tracer.lanes, lanes, count * sizeof *lanes);
    tracer.lane_count = count;
    for (size_t i = 0; i < count; i++)
        if (!check_lane(&lanes[i], get_stream_id(&lanes[i], &tracer.stream_ids[i])))
            return false;
    return true;
}

static bool enable(struct lab_device *device)
{
    for (size_t i = 0; i < KINDS; i++)
        if (!check_cupti(device, LAB_ERROR_UNSUPPORTED, tracer.cupti.enable(kinds[i]), "enabling activity records"))
            return false;
    return true;
}

/* Runs a kernel and copies on the service stream, which is not traced, so that CUPTI requests its buffer and finishes
 * its other initialisation. */
static bool warm_up(struct cuda_device *device)
{
    struct cuda_region words = {(unsigned char *)device->device_words, sizeof *device->words, 1, 0};
    cudaError_t status =
        lab_cuda_launch_fill(device->service, 1, words, (struct lab_expectation){.content = LAB_CONTENT_WORDS});
    if (status == cudaSuccess)
        status = lab_cuda_warm_up(device);
    return lab_cuda_check(&device->base, status, "warming up the tracer");
}

static bool wait_for_lanes(const struct lab_lane *lanes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lab_device *device = lanes[i].device;
        if (lab_cuda_make_current(device) && lab_cuda_check(device, cudaDeviceSynchronize(), "waiting for the device"))
            continue;
        lanes[0].device->error = device->error;
        return false;
    }
    return true;
}

static bool warm_up_lanes(void)
{
    for (size_t i = 0; i < tracer.lane_count; i++) {
        const struct lab_lane *lane = &tracer.lanes[i];
        if (!check_lane(lane, lab_cuda_make_current(lane->device) && warm_up(cuda_device_of(lane->device))))
            return false;
    }
    return true;
}

static bool cuda_trace_begin(const struct lab_lane *lanes, size_t count)
{
    struct lab_device *first = lanes[0].device;
    size_t dropped_before;
    if (tracer.lanes != NULL)
        return lab_error_set(&first->error, LAB_ERROR_INVALID_ARGUMENT, "", "a trace is already being recorded");
    if (!wait_for_lanes(lanes, count) || !lab_cuda_make_current(first) || !load_cupti(first))
        return false;
    if (enable(first) && store_lanes(lanes, count) && warm_up_lanes()) {
        (void)tracer.cupti.dropped_records(NULL, 0, &dropped_before); /* reading the count resets it */
        return true;
    }
    stop_recording();
    return false;
}

/* Waits for the lanes and reads all records. The first flush makes CUPTI return the buffers that it considers complete,
 * the forced flush the others too. */
static bool collect(struct lab_device *device, struct records *records)
{
    size_t dropped = 0;
    bool ok = wait_for_lanes(tracer.lanes, tracer.lane_count) &&
              check_cupti(device, LAB_ERROR_TRACE_FAILED, tracer.cupti.flush_all(0), "collecting records") &&
              check_cupti(device, LAB_ERROR_TRACE_FAILED, tracer.cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED),
                          "collecting records") &&
              check_cupti(device, LAB_ERROR_TRACE_FAILED, tracer.cupti.dropped_records(NULL, 0, &dropped),
                          "counting dropped records");
    struct buffer *buffers = take_filled_buffers();
    if (ok)
        read_buffers(records, buffers);
    free_buffers(buffers);
    if (ok && records->out_of_memory)
        ok = lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the records of a trace");
    if (ok && dropped + records->untimed > 0)
        ok = lab_error_set(&device->error, LAB_ERROR_TRACE_INCOMPLETE, "",
                           "CUPTI dropped %zu records and recorded %zu without times", dropped, records->untimed);
    return ok;
}

static bool cuda_trace_end(struct lab_device *device,
                           void (*visit)(void *context, const struct lab_trace_record *record), void *context)
{
    struct records records = {0};
    if (tracer.lanes == NULL || tracer.lanes[0].device != device)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "no trace is being recorded on this device");
    bool ok = collect(device, &records);
    stop_recording();
    if (ok && records.count > 0)
        qsort(records.items, records.count, sizeof *records.items, compare_starts);
    for (size_t i = 0; ok && i < records.count; i++)
        visit(context, &records.items[i]);
    free(records.items);
    return ok;
}

const struct lab_runtime_trace lab_cuda_trace = {.begin = cuda_trace_begin, .end = cuda_trace_end};
