/* A row for each kind of activity. CUPTI adds members only at the end of its structs, so the oldest type of each kind
 * from CUDA 12.0 on fits those of all later versions.
 */
#include "activity.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT(recording, text) tracer_text_number(&(recording)->texts, &(recording)->output, text)
#define ADD(recording, TYPE, record)                                                                                   \
    tracer_output_add(&(recording)->output, LAB_TRACE_TYPE_##TYPE, &(record), sizeof(record))

/* --- what a GPU did ----------------------------------------------------------------------------------------------- */

/* Whether there are times, which CUPTI lacks where it had no memory on the device. */
static bool is_timed(struct tracer_recording *recording, uint64_t start, uint64_t end)
{
    if (start != 0 && end != 0)
        return true;
    tracer_output_lose(&recording->output, LAB_TRACE_LOSS_UNTIMED, 1);
    return false;
}

#define TIMES(activity) .start_ns = (int64_t)(activity)->start, .end_ns = (int64_t)(activity)->end
#define PLACE(activity)                                                                                                \
    TIMES(activity), .device = (activity)->deviceId, .context = (activity)->contextId, .stream = (activity)->streamId, \
                     .correlation = (activity)->correlationId, .graph = (activity)->graphId

static void add_kernel(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityKernel9 *kernel = activity;
    if (!is_timed(recording, kernel->start, kernel->end))
        return;
    struct lab_trace_kernel record = {
        PLACE(kernel),
        .name = TEXT(recording, kernel->name),
        .grid = {(uint32_t)kernel->gridX, (uint32_t)kernel->gridY, (uint32_t)kernel->gridZ},
        .block = {(uint32_t)kernel->blockX, (uint32_t)kernel->blockY, (uint32_t)kernel->blockZ},
        .registers = kernel->registersPerThread,
        .local_bytes = kernel->localMemoryPerThread,
        .static_shared_bytes = (uint32_t)kernel->staticSharedMemory,
        .dynamic_shared_bytes = (uint32_t)kernel->dynamicSharedMemory};
    ADD(recording, KERNEL, record);
}

/* Arrays are memory of the device. */
static const uint16_t directions[] = {
    [CUPTI_ACTIVITY_MEMCPY_KIND_HTOD] = LAB_TRACE_COPY_H2D, [CUPTI_ACTIVITY_MEMCPY_KIND_DTOH] = LAB_TRACE_COPY_D2H,
    [CUPTI_ACTIVITY_MEMCPY_KIND_HTOA] = LAB_TRACE_COPY_H2D, [CUPTI_ACTIVITY_MEMCPY_KIND_ATOH] = LAB_TRACE_COPY_D2H,
    [CUPTI_ACTIVITY_MEMCPY_KIND_ATOA] = LAB_TRACE_COPY_D2D, [CUPTI_ACTIVITY_MEMCPY_KIND_ATOD] = LAB_TRACE_COPY_D2D,
    [CUPTI_ACTIVITY_MEMCPY_KIND_DTOA] = LAB_TRACE_COPY_D2D, [CUPTI_ACTIVITY_MEMCPY_KIND_DTOD] = LAB_TRACE_COPY_D2D,
    [CUPTI_ACTIVITY_MEMCPY_KIND_HTOH] = LAB_TRACE_COPY_H2H, [CUPTI_ACTIVITY_MEMCPY_KIND_PTOP] = LAB_TRACE_COPY_P2P};

static uint8_t memory_of(unsigned kind)
{
    static const uint8_t memories[] = {[CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE] = LAB_TRACE_MEMORY_PAGEABLE,
                                       [CUPTI_ACTIVITY_MEMORY_KIND_PINNED] = LAB_TRACE_MEMORY_PINNED,
                                       [CUPTI_ACTIVITY_MEMORY_KIND_DEVICE] = LAB_TRACE_MEMORY_DEVICE,
                                       [CUPTI_ACTIVITY_MEMORY_KIND_ARRAY] = LAB_TRACE_MEMORY_ARRAY,
                                       [CUPTI_ACTIVITY_MEMORY_KIND_MANAGED] = LAB_TRACE_MEMORY_MANAGED,
                                       [CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC] = LAB_TRACE_MEMORY_DEVICE,
                                       [CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC] = LAB_TRACE_MEMORY_MANAGED};
    return kind < sizeof memories ? memories[kind] : LAB_TRACE_MEMORY_UNKNOWN;
}

static void add_copy(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityMemcpy5 *copy = activity;
    if (!is_timed(recording, copy->start, copy->end))
        return;
    bool is_known = copy->copyKind < sizeof directions / sizeof *directions;
    struct lab_trace_copy record = {PLACE(copy),
                                    .direction = is_known ? directions[copy->copyKind] : LAB_TRACE_COPY_OTHER,
                                    .from = memory_of(copy->srcKind),
                                    .to = memory_of(copy->dstKind),
                                    .asynchronous = (copy->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0,
                                    .bytes = copy->bytes};
    ADD(recording, COPY, record);
}

static void add_copy_between(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityMemcpyPtoP4 *copy = activity;
    if (!is_timed(recording, copy->start, copy->end))
        return;
    struct lab_trace_copy record = {PLACE(copy),
                                    .direction = LAB_TRACE_COPY_P2P,
                                    .from = memory_of(copy->srcKind),
                                    .to = memory_of(copy->dstKind),
                                    .from_device = copy->srcDeviceId,
                                    .to_device = copy->dstDeviceId,
                                    .asynchronous = (copy->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0,
                                    .bytes = copy->bytes};
    ADD(recording, COPY, record);
}

static void add_set(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityMemset4 *set = activity;
    if (!is_timed(recording, set->start, set->end))
        return;
    struct lab_trace_set record = {PLACE(set), .memory = memory_of(set->memoryKind), .value = set->value,
                                   .bytes = set->bytes};
    ADD(recording, SET, record);
}

/* --- what the host did -------------------------------------------------------------------------------------------- */

static void add_call(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityAPI *call = activity;
    const char *name = NULL;
    CUpti_CallbackDomain domain =
        call->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
    if (!is_timed(recording, call->start, call->end))
        return;
    if (recording->cupti.callback_name(domain, call->cbid, &name) != CUPTI_SUCCESS)
        name = NULL;
    struct lab_trace_call record = {TIMES(call), .thread = call->threadId, .correlation = call->correlationId,
                                    .name = TEXT(recording, name), .result = call->returnValue};
    ADD(recording, CALL, record);
}

static void add_wait(struct tracer_recording *recording, const void *activity)
{
    static const uint32_t waitings[] = {
        [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE] = LAB_TRACE_WAIT_EVENT,
        [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT] = LAB_TRACE_WAIT_STREAM_EVENT,
        [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE] = LAB_TRACE_WAIT_STREAM,
        [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE] = LAB_TRACE_WAIT_CONTEXT};
    const CUpti_ActivitySynchronization *wait = activity;
    if (!is_timed(recording, wait->start, wait->end))
        return;
    bool is_known = (unsigned)wait->type < sizeof waitings / sizeof *waitings;
    struct lab_trace_wait record = {TIMES(wait), .what = is_known ? waitings[wait->type] : LAB_TRACE_WAIT_UNKNOWN,
                                    .context = wait->contextId, .stream = wait->streamId,
                                    .correlation = wait->correlationId};
    ADD(recording, WAIT, record);
}

/* By number, because the headers of CUDA 12.0 lack some of them. */
static const char *overhead_name(unsigned kind)
{
    static const char *const names[] = {[1] = "writing CUPTI's buffers",
                                        [2] = "CUPTI's instrumentation",
                                        [3] = "CUPTI's resources",
                                        [4] = "loading a module at the first call",
                                        [5] = "loading a kernel at its first launch",
                                        [6] = "the queue of commands is full",
                                        [7] = "requesting a buffer for CUPTI",
                                        [8] = "preparing records of unified memory"};
    unsigned high = kind >> 16;
    if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER)
        return "compiling in the driver";
    return high < sizeof names / sizeof *names && names[high] != NULL ? names[high] : "other overhead";
}

static void add_overhead(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityOverhead *overhead = activity;
    if (!is_timed(recording, overhead->start, overhead->end))
        return;
    bool has_thread = overhead->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
    struct lab_trace_overhead record = {TIMES(overhead),
                                        .name = TEXT(recording, overhead_name((unsigned)overhead->overheadKind)),
                                        .thread = has_thread ? overhead->objectId.pt.threadId : 0};
    ADD(recording, OVERHEAD, record);
}

static void add_mark(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityMarker2 *mark = activity;
    bool starts = (mark->flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0;
    bool ends = (mark->flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0;
    if (!is_timed(recording, mark->timestamp, mark->timestamp))
        return;
    struct lab_trace_mark record = {.start_ns = (int64_t)mark->timestamp,
                                    .end_ns = (int64_t)mark->timestamp,
                                    .thread = mark->objectId.pt.threadId,
                                    .name = TEXT(recording, mark->name),
                                    .id = mark->id,
                                    .edge = starts ? LAB_TRACE_EDGE_START
                                            : ends ? LAB_TRACE_EDGE_END
                                                   : LAB_TRACE_EDGE_INSTANT};
    ADD(recording, MARK, record);
}

/* --- what there is ------------------------------------------------------------------------------------------------ */

static void add_gpu(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityDevice4 *gpu = activity;
    struct lab_trace_gpu record = {.device = gpu->id,
                                   .multiprocessors = gpu->numMultiprocessors,
                                   .copy_engines = gpu->numMemcpyEngines,
                                   .name = TEXT(recording, gpu->name),
                                   .memory_bytes = gpu->globalMemorySize};
    ADD(recording, GPU, record);
}

static void add_context(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityContext *context = activity;
    struct lab_trace_stream record = {
        .context = context->contextId, .stream = context->nullStreamId, .order = LAB_TRACE_ORDER_DEFAULT};
    ADD(recording, STREAM, record);
}

static void add_stream(struct tracer_recording *recording, const void *activity)
{
    static const uint32_t orders[] = {[CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT] = LAB_TRACE_ORDER_BLOCKING,
                                      [CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING] = LAB_TRACE_ORDER_NON_BLOCKING,
                                      [CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL] = LAB_TRACE_ORDER_DEFAULT};
    const CUpti_ActivityStream *stream = activity;
    bool is_known = (unsigned)stream->flag < sizeof orders / sizeof *orders;
    struct lab_trace_stream record = {.context = stream->contextId,
                                      .stream = stream->streamId,
                                      .order = is_known ? orders[stream->flag] : LAB_TRACE_ORDER_UNKNOWN};
    ADD(recording, STREAM, record);
}

static void add_title(struct tracer_recording *recording, const void *activity)
{
    const CUpti_ActivityName *name = activity;
    bool is_thread = name->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
    if (!is_thread && name->objectKind != CUPTI_ACTIVITY_OBJECT_STREAM)
        return;
    struct lab_trace_title record = {.what = is_thread ? LAB_TRACE_TITLE_THREAD : LAB_TRACE_TITLE_STREAM,
                                     .context = is_thread ? 0 : name->objectId.dcs.contextId,
                                     .id = is_thread ? name->objectId.pt.threadId : name->objectId.dcs.streamId,
                                     .name = TEXT(recording, name->name)};
    ADD(recording, TITLE, record);
}

static const struct {
    CUpti_ActivityKind kind;
    const char *what; /* in a note */
    void (*add)(struct tracer_recording *recording, const void *activity);
} kinds[] = {
    {CUPTI_ACTIVITY_KIND_DEVICE, "devices", add_gpu},
    {CUPTI_ACTIVITY_KIND_CONTEXT, "contexts", add_context},
    {CUPTI_ACTIVITY_KIND_STREAM, "streams", add_stream},
    {CUPTI_ACTIVITY_KIND_NAME, "names of threads and streams", add_title},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels", add_kernel}, /* KERNEL would make them run one at a time */
    {CUPTI_ACTIVITY_KIND_MEMCPY, "copies", add_copy},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices", add_copy_between},
    {CUPTI_ACTIVITY_KIND_MEMSET, "memsets", add_set},
    {CUPTI_ACTIVITY_KIND_RUNTIME, "calls of the runtime", add_call},
    {CUPTI_ACTIVITY_KIND_DRIVER, "calls of the driver", add_call},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronisation", add_wait},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead", add_overhead},
    {CUPTI_ACTIVITY_KIND_MARKER, "NVTX ranges", add_mark},
};

void tracer_activity_enable(struct tracer_recording *recording)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CUptiResult result = recording->cupti.enable(kinds[i].kind);
        const char *why = NULL;
        char text[160];
        if (result == CUPTI_SUCCESS)
            continue;
        if (recording->cupti.result_string(result, &why) != CUPTI_SUCCESS || why == NULL)
            why = "unknown error";
        snprintf(text, sizeof text, "Not recorded: %s, because CUPTI answers %.60s.", kinds[i].what, why);
        pthread_mutex_lock(
            &recording->output.lock); /* not before, because CUPTI may return a buffer while it enables */
        tracer_output_add_text(&recording->output, LAB_TRACE_TYPE_NOTE, text);
        pthread_mutex_unlock(&recording->output.lock);
    }
}

void tracer_activity_add(struct tracer_recording *recording, const CUpti_Activity *activity)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == activity->kind)
            kinds[i].add(recording, activity);
}
