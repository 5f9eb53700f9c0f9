#include "trace/timeline.h"

#include "core/text.h"
#include "trace/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FULL_NAME_SIZE = 512 }; /* of a kernel in details; a longer name is cut */

static const struct {
    const char *kind, *label;
} directions[LAB_TRACE_DIRECTIONS] = {
    [LAB_TRACE_COPY_OTHER] = {"copy-other", "copy"}, [LAB_TRACE_COPY_H2D] = {"copy-up", "H2D"},
    [LAB_TRACE_COPY_D2H] = {"copy-down", "D2H"},     [LAB_TRACE_COPY_D2D] = {"copy-device", "D2D"},
    [LAB_TRACE_COPY_P2P] = {"copy-peer", "P2P"},     [LAB_TRACE_COPY_H2H] = {"copy-other", "H2H"},
};

static const char *const memories[LAB_TRACE_MEMORIES] = {
    [LAB_TRACE_MEMORY_PAGEABLE] = "pageable", [LAB_TRACE_MEMORY_PINNED] = "pinned",
    [LAB_TRACE_MEMORY_DEVICE] = "device",     [LAB_TRACE_MEMORY_ARRAY] = "array",
    [LAB_TRACE_MEMORY_MANAGED] = "managed",
};

struct timeline {
    const struct lab_trace *trace;
    struct lab_trace_names names;
    char lane[LAB_TRACE_LANE_SIZE];
    struct lab_trace_span span; /* that is being made */
    void (*visit)(void *context, const struct lab_trace_span *span);
    void *context;
    bool failed; /* out of memory */
};

/* --- making a span ------------------------------------------------------------------------------------------------ */

static void begin(struct timeline *timeline, const void *record, const char *kind)
{
    const struct lab_trace_times *times = record;
    timeline->span = (struct lab_trace_span){.lane = timeline->lane,
                                             .kind = kind,
                                             .start_ns = times->start_ns,
                                             .end_ns = times->end_ns,
                                             .details = json_object()};
}

static void detail(struct timeline *timeline, const char *name, json_t *value)
{
    if (json_object_set_new(timeline->span.details, name, value) != 0)
        timeline->failed = true;
}

static void number(struct timeline *timeline, const char *name, uint64_t value)
{
    detail(timeline, name, json_integer(value <= INT64_MAX ? (json_int_t)value : INT64_MAX));
}

static void end(struct timeline *timeline)
{
    if (!timeline->failed)
        timeline->visit(timeline->context, &timeline->span);
    json_decref(timeline->span.details);
}

/* --- what GPUs did ------------------------------------------------------------------------------------------------ */

static void begin_work(struct timeline *timeline, const void *record, const char *kind)
{
    const struct lab_trace_place *place = record;
    const struct lab_trace *trace = timeline->trace;
    const struct lab_trace_call *call = lab_trace_call_of(trace, place->head.process, place->correlation);
    lab_trace_stream_lane(&timeline->names, place, timeline->lane);
    begin(timeline, record, kind);
    number(timeline, "device", place->device);
    number(timeline, "stream", place->stream);
    number(timeline, "correlation", place->correlation);
    if (place->graph != 0)
        number(timeline, "graph", place->graph);
    if (call != NULL) {
        char name[LAB_TRACE_NAME_SIZE];
        lab_trace_call_name(trace->names[call->name], name);
        detail(timeline, "call", json_string(name));
        number(timeline, "called_ns", (uint64_t)call->start_ns);
    }
}

static void three(struct timeline *timeline, const char *name, const uint32_t sizes[3])
{
    detail(timeline, name, json_pack("[I, I, I]", (json_int_t)sizes[0], (json_int_t)sizes[1], (json_int_t)sizes[2]));
}

static void add_kernel(struct timeline *timeline, const struct lab_trace_kernel *kernel)
{
    const char *full = timeline->trace->names[kernel->name];
    char name[LAB_TRACE_NAME_SIZE], shown[FULL_NAME_SIZE];
    lab_trace_kernel_name(full, name);
    begin_work(timeline, kernel, "compute");
    lab_utf8_copy(timeline->span.label, LAB_TRACE_LABEL_SIZE, name);
    lab_utf8_copy(shown, sizeof shown, full);
    detail(timeline, "name", json_string(shown));
    three(timeline, "grid", kernel->grid);
    three(timeline, "block", kernel->block);
    number(timeline, "registers", kernel->registers);
    number(timeline, "shared_bytes", (uint64_t)kernel->static_shared_bytes + kernel->dynamic_shared_bytes);
    number(timeline, "local_bytes", kernel->local_bytes);
    end(timeline);
}

/* The size of what was moved and the rate: GB/s are bytes per ns. */
static void add_bytes(struct timeline *timeline, uint64_t bytes)
{
    int64_t duration_ns = timeline->span.end_ns - timeline->span.start_ns;
    number(timeline, "bytes", bytes);
    if (duration_ns > 0)
        detail(timeline, "gb_per_s", json_real((double)bytes / (double)duration_ns));
}

static void add_copy(struct timeline *timeline, const struct lab_trace_copy *copy)
{
    char size[32];
    const char *from = memories[copy->from], *to = memories[copy->to];
    uint16_t direction = copy->direction;
    begin_work(timeline, copy, directions[direction].kind);
    lab_text_size(copy->bytes, size, sizeof size);
    const char *host = direction == LAB_TRACE_COPY_H2D ? from : direction == LAB_TRACE_COPY_D2H ? to : NULL;
    snprintf(timeline->span.label, LAB_TRACE_LABEL_SIZE, "%s %s%s%s", directions[direction].label, size,
             host != NULL ? " · " : "", host != NULL ? host : "");
    add_bytes(timeline, copy->bytes);
    if (from != NULL)
        detail(timeline, "from", json_string(from));
    if (to != NULL)
        detail(timeline, "to", json_string(to));
    if (direction == LAB_TRACE_COPY_P2P) {
        number(timeline, "from_device", copy->from_device);
        number(timeline, "to_device", copy->to_device);
    }
    detail(timeline, "asynchronous", json_boolean(copy->asynchronous != 0));
    end(timeline);
}

static void add_set(struct timeline *timeline, const struct lab_trace_set *set)
{
    char size[32];
    begin_work(timeline, set, "set");
    lab_text_size(set->bytes, size, sizeof size);
    snprintf(timeline->span.label, LAB_TRACE_LABEL_SIZE, "memset %s", size);
    add_bytes(timeline, set->bytes);
    number(timeline, "value", set->value);
    if (memories[set->memory] != NULL)
        detail(timeline, "to", json_string(memories[set->memory]));
    end(timeline);
}

/* --- what the host did -------------------------------------------------------------------------------------------- */

static int by_call(const void *a, const void *b)
{
    const struct lab_trace_wait *one = *(struct lab_trace_wait *const *)a, *other = *(struct lab_trace_wait *const *)b;
    if (one->head.process != other->head.process)
        return one->head.process < other->head.process ? -1 : 1;
    return (one->correlation > other->correlation) - (one->correlation < other->correlation);
}

/* Pointers to the waits of the host, sorted by the calls that waited. NULL when out of memory. */
static struct lab_trace_wait **sort_waits(const struct lab_trace *trace, size_t *count)
{
    struct lab_trace_wait **waits = calloc(trace->wait_count + 1, sizeof *waits);
    *count = 0;
    for (size_t i = 0; i < trace->wait_count && waits != NULL; i++)
        if (trace->waits[i].what != LAB_TRACE_WAIT_STREAM_EVENT)
            waits[(*count)++] = &trace->waits[i];
    if (waits != NULL)
        qsort(waits, *count, sizeof *waits, by_call);
    return waits;
}

static void add_call(struct timeline *timeline, const struct lab_trace_call *call, bool waits)
{
    char name[LAB_TRACE_NAME_SIZE];
    lab_trace_thread_lane(&timeline->names, call->head.process, call->thread, timeline->lane);
    lab_trace_call_name(timeline->trace->names[call->name], name);
    begin(timeline, call, waits ? "wait" : "call");
    lab_utf8_copy(timeline->span.label, LAB_TRACE_LABEL_SIZE, name);
    number(timeline, "correlation", call->correlation);
    if (call->result != 0)
        number(timeline, "result", call->result);
    end(timeline);
}

/* Adds the calls that are not within another call of their thread; calls are sorted by start, outer ones first. */
static void add_calls(struct timeline *timeline)
{
    const struct lab_trace *trace = timeline->trace;
    size_t wait_count;
    struct lab_trace_wait **waits = sort_waits(trace, &wait_count);
    int64_t *busy_ns = calloc(timeline->names.thread_count + 1, sizeof *busy_ns); /* until when, by thread */
    timeline->failed = timeline->failed || waits == NULL || busy_ns == NULL;
    for (size_t i = 0; i < trace->call_count && !timeline->failed; i++) {
        const struct lab_trace_call *call = &trace->calls[i];
        size_t thread = lab_trace_thread_index(&timeline->names, call->head.process, call->thread);
        struct lab_trace_wait wanted = {.head = call->head, .correlation = call->correlation}, *key = &wanted;
        if (call->start_ns < busy_ns[thread])
            continue;
        busy_ns[thread] = call->end_ns;
        add_call(timeline, call, bsearch(&key, waits, wait_count, sizeof key, by_call) != NULL);
    }
    free(busy_ns);
    free(waits);
}

/* The lane of a thread's ranges, or of what tracing and the driver spent. */
static void add_named(struct timeline *timeline, const void *record, const char *kind, const char *name)
{
    begin(timeline, record, kind);
    snprintf(timeline->span.label, LAB_TRACE_LABEL_SIZE, "%.*s", LAB_TRACE_LABEL_SIZE - 1, name);
    lab_utf8_drop_invalid(timeline->span.label);
    end(timeline);
}

static void add_range(struct timeline *timeline, const struct lab_trace_range *range)
{
    char thread[LAB_TRACE_LANE_SIZE], lane[LAB_TRACE_LANE_SIZE + sizeof ", ranges"];
    lab_trace_thread_lane(&timeline->names, range->head.process, range->thread, thread);
    snprintf(lane, sizeof lane, "%s, ranges", thread);
    lab_utf8_copy(timeline->lane, LAB_TRACE_LANE_SIZE, lane);
    add_named(timeline, range, "range", timeline->trace->names[range->name]);
}

static void add_overhead(struct timeline *timeline, const struct lab_trace_overhead *overhead)
{
    snprintf(timeline->lane, sizeof timeline->lane, "overhead");
    add_named(timeline, overhead, "overhead", timeline->trace->names[overhead->name]);
}

bool lab_trace_timeline(const struct lab_trace *trace, void (*visit)(void *context, const struct lab_trace_span *span),
                        void *context)
{
    struct timeline timeline = {.trace = trace, .visit = visit, .context = context};
    timeline.failed = !lab_trace_names_init(&timeline.names, trace);
    if (!timeline.failed)
        add_calls(&timeline);
#define ADD(list, count, add)                                                                                          \
    for (size_t i = 0; i < trace->count && !timeline.failed; i++)                                                      \
        add(&timeline, &trace->list[i]);
    ADD(ranges, range_count, add_range)
    ADD(kernels, kernel_count, add_kernel)
    ADD(copies, copy_count, add_copy)
    ADD(sets, set_count, add_set)
    ADD(overheads, overhead_count, add_overhead)
#undef ADD
    lab_trace_names_release(&timeline.names);
    return !timeline.failed;
}
