/* Metadata events ("M") name processes and threads; spans become complete events ("X"). */
#include "timeline_trace.h"
#include "openapi/schemas.h"

#include "core/json_members.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

/* A span, read from JSON. Its texts, axes and details belong to the array of spans. */
struct span {
    size_t group;    /* number of the traced variant that it belongs to */
    size_t position; /* index in the array of spans */
    const json_t *axes, *details;
    const char *lane, *kind, *label;
    char engine[48]; /* "compute", or "device 2 compute" when there are several devices */
    int64_t start_ns, end_ns;
};

/* A thread of the trace: one row of spans in the viewer. */
struct thread {
    const char *name;
    size_t row;     /* 0 for the first thread of this name, 1 for the second */
    size_t rank;    /* threads are sorted by rank, then by name */
    int64_t end_ns; /* when its last span ends */
    size_t number;  /* index before sorting, which spans refer to */
    json_int_t tid; /* its number in the trace */
};

/* How a process of the trace distributes spans to threads. */
struct view {
    const char *title;                            /* of the process */
    const char *(*name)(const struct span *span); /* of the span's thread */
};

struct trace {
    json_t *events;
    json_t *shared;      /* the axes that are the same for all variants; names of processes omit them */
    json_int_t pid, tid; /* the last process and thread number; no number is used for both */
    bool failed;         /* out of memory */
};

/* --- grouping spans by variant ------------------------------------------------------------------------------------ */

/* The number of the group with these axes; groups are numbered in the order in which they first occur. `numbers` maps
 * axes, as text, to numbers. */
static size_t group_of(json_t *numbers, const json_t *axes)
{
    char *key = json_dumps(axes, JSON_COMPACT | JSON_SORT_KEYS);
    const json_t *known = key != NULL ? json_object_get(numbers, key) : NULL;
    size_t number = known != NULL ? (size_t)json_integer_value(known) : json_object_size(numbers);
    if (key != NULL && known == NULL)
        json_object_set_new(numbers, key, json_integer((json_int_t)number));
    free(key);
    return number;
}

static int by_group_and_start(const void *a, const void *b)
{
    const struct span *one = a, *other = b;
    if (one->group != other->group)
        return one->group < other->group ? -1 : 1;
    if (one->start_ns != other->start_ns)
        return one->start_ns < other->start_ns ? -1 : 1;
    return one->position < other->position ? -1 : one->position > other->position;
}

/* With several devices, lanes have names such as "device 1, stream 2", and each device has its own engines. */
static void name_engine(struct span *span)
{
    int device = 0;
    bool several = span->lane != NULL && sscanf(span->lane, "device %d", &device) == 1;
    if (several)
        snprintf(span->engine, sizeof span->engine, "device %d %.30s", device, span->kind);
    else
        snprintf(span->engine, sizeof span->engine, "%.47s", span->kind);
}

/* The spans sorted by variant and start, to be freed; NULL when out of memory. *groups is the number of variants. */
static struct span *sort_spans(const json_t *array, size_t *groups)
{
    size_t count = json_array_size(array);
    json_t *numbers = json_object();
    struct span *spans = calloc(count + 1, sizeof *spans);
    for (size_t i = 0; i < count && spans != NULL; i++) {
        const json_t *object = json_array_get(array, i);
        const json_t *axes = json_object_get(object, "axes");
        spans[i] = (struct span){
            .group = group_of(numbers, axes),
            .position = i,
            .axes = axes,
            .details = json_object_get(object, "details"),
            .lane = lab_text_of(object, "lane"),
            .kind = lab_text_of(object, "kind"),
            .label = lab_text_of(object, json_is_string(json_object_get(object, "label")) ? "label" : "kind"),
            .start_ns = json_integer_value(json_object_get(object, "start_ns")),
            .end_ns = json_integer_value(json_object_get(object, "end_ns"))};
        name_engine(&spans[i]);
    }
    *groups = json_object_size(numbers);
    json_decref(numbers);
    if (spans != NULL)
        qsort(spans, count, sizeof *spans, by_group_and_start);
    return spans;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* Takes the reference. */
static void add(struct trace *trace, json_t *event)
{
    if (json_array_append_new(trace->events, event) != 0)
        trace->failed = true;
}

/* Names a variant by the axes in which it differs from others: "depth-first, chunks 16". */
static void name_variant(const json_t *axes, const json_t *shared, char *text, size_t size)
{
    const char *axis;
    json_t *value;
    size_t used = 0;
    text[0] = '\0';
    json_object_foreach((json_t *)axes, axis, value)
    {
        if (json_object_get(shared, axis) != NULL)
            continue;
        char *number = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        char part[128];
        int length = json_is_string(value) ? snprintf(part, sizeof part, "%s", json_string_value(value))
                                           : snprintf(part, sizeof part, "%s %s", axis, number != NULL ? number : "");
        free(number);
        if (length < 0 || (size_t)length >= sizeof part || used + (size_t)length + 3 > size)
            continue; /* too long for the name; the arguments of each event have the axis too */
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", part);
    }
}

static void add_process(struct trace *trace, const char *variant, const char *title)
{
    trace->pid++;
    json_t *name = variant[0] != '\0' ? json_sprintf("%s: %s", variant, title) : json_string(title);
    add(trace, json_pack("{s:s, s:s, s:I, s:{s:o}}", "ph", "M", "name", "process_name", "pid", trace->pid, "args",
                         "name", name));
    add(trace, json_pack("{s:s, s:s, s:I, s:{s:I}}", "ph", "M", "name", "process_sort_index", "pid", trace->pid, "args",
                         "sort_index", trace->pid));
}

static void add_thread(struct trace *trace, struct thread *thread)
{
    thread->tid = ++trace->tid;
    json_t *name =
        thread->row > 0 ? json_sprintf("%s (%zu)", thread->name, thread->row + 1) : json_string(thread->name);
    add(trace, json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name", "thread_name", "pid", trace->pid, "tid",
                         thread->tid, "args", "name", name));
    add(trace, json_pack("{s:s, s:s, s:I, s:I, s:{s:I}}", "ph", "M", "name", "thread_sort_index", "pid", trace->pid,
                         "tid", thread->tid, "args", "sort_index", thread->tid));
}

static void add_span(struct trace *trace, const struct span *span, json_int_t tid)
{
    json_t *arguments = json_pack("{s:s, s:s}", "label", span->label, "lane", span->lane);
    json_object_update_missing(arguments, (json_t *)span->axes);
    if (json_is_object(span->details))
        json_object_update_missing(arguments, (json_t *)span->details);
    add(trace, json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", span->label, "cat", span->kind,
                         "pid", trace->pid, "tid", tid, "ts", (double)span->start_ns / 1e3, "dur",
                         (double)((uint64_t)span->end_ns - (uint64_t)span->start_ns) / 1e3, "args", arguments));
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static const char *lane_name(const struct span *span)
{
    return span->lane;
}

static const char *engine_name(const struct span *span)
{
    return span->engine;
}

/* The place of a thread among those of its process: the host, engines in the order in which data passes through a
 * device ("compute", "device 2 compute"), then all other names alike. */
static size_t rank_of(const char *name)
{
    static const char *const engines[] = {"range",   "call",        "wait",      "copy-up",   "set",
                                          "compute", "copy-device", "copy-peer", "copy-down", "copy-other"};
    size_t rank = 0;
    const char *space = strrchr(name, ' ');
    while (rank < sizeof engines / sizeof *engines && strcmp(engines[rank], space != NULL ? space + 1 : name) != 0)
        rank++;
    return rank;
}

static const struct view views[] = {{"streams", lane_name}, {"engines", engine_name}};

/* "stream 2" before "stream 10". */
static int by_rank_and_name(const void *a, const void *b)
{
    const struct thread *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    int order = strverscmp(one->name, other->name);
    return order != 0 ? order : one->row < other->row ? -1 : one->row > other->row;
}

/* The thread for a span: the first of the right name whose last span has ended by then, or else a new one. */
static struct thread *thread_for(struct thread *threads, size_t *count, const struct view *view,
                                 const struct span *span)
{
    const char *name = view->name(span);
    size_t row = 0;
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(threads[i].name, name) != 0)
            continue;
        if (threads[i].end_ns <= span->start_ns)
            return &threads[i];
        row++;
    }
    threads[*count] = (struct thread){.name = name, .row = row, .rank = rank_of(name), .number = *count};
    return &threads[(*count)++];
}

/* Adds one process: one variant in one view. */
static void add_view(struct trace *trace, const struct span *spans, size_t count, const struct view *view)
{
    char variant[256];
    size_t thread_count = 0;
    struct thread *threads = calloc(count, sizeof *threads);
    size_t *numbers = calloc(count, sizeof *numbers); /* of the thread of each span */
    json_int_t *tids = calloc(count, sizeof *tids);   /* of each thread */
    if (threads == NULL || numbers == NULL || tids == NULL) {
        trace->failed = true;
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        struct thread *thread = thread_for(threads, &thread_count, view, &spans[i]);
        thread->end_ns = spans[i].end_ns;
        numbers[i] = thread->number;
    }
    qsort(threads, thread_count, sizeof *threads, by_rank_and_name);

    name_variant(spans[0].axes, trace->shared, variant, sizeof variant);
    add_process(trace, variant, view->title);
    for (size_t i = 0; i < thread_count; i++) {
        add_thread(trace, &threads[i]);
        tids[threads[i].number] = threads[i].tid;
    }
    for (size_t i = 0; i < count; i++)
        add_span(trace, &spans[i], tids[numbers[i]]);
out:
    free(tids);
    free(numbers);
    free(threads);
}

/* The axes that have the same value for all spans and so do not distinguish variants; none when there is only one
 * variant. A new reference; NULL when out of memory. */
static json_t *shared_axes(const struct span *spans, size_t count, size_t groups)
{
    json_t *shared = groups > 1 ? json_copy((json_t *)spans[0].axes) : json_object();
    for (size_t i = 1; i < count && groups > 1; i++) {
        const char *axis;
        json_t *value;
        void *next;
        if (spans[i].group == spans[i - 1].group)
            continue;
        json_object_foreach_safe(shared, next, axis, value)
        {
            if (!json_equal(value, json_object_get(spans[i].axes, axis)))
                json_object_del(shared, axis);
        }
    }
    return shared;
}

json_t *lab_timeline_trace(const json_t *array)
{
    size_t count = json_array_size(array), groups = 0;
    struct span *spans = sort_spans(array, &groups);
    struct trace trace = {.events = json_array(), .failed = spans == NULL};
    if (spans != NULL && count > 0)
        trace.shared = shared_axes(spans, count, groups);
    trace.tid = (json_int_t)groups * (json_int_t)(sizeof views / sizeof *views);
    for (size_t first = 0, next; first < count && !trace.failed; first = next) {
        for (next = first; next < count && spans[next].group == spans[first].group;)
            next++;
        for (size_t i = 0; i < sizeof views / sizeof *views; i++)
            add_view(&trace, spans + first, next - first, &views[i]);
    }
    json_decref(trace.shared);
    free(spans);
    if (trace.failed) {
        json_decref(trace.events);
        return NULL;
    }
    return json_pack("{s:o, s:s}", "traceEvents", trace.events, "displayTimeUnit", "ns");
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema trace_event_members[] = {
    {LAB_GIVEN(CHOICE, "ph"), .choices = LAB_TEXTS("M", "X")},
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(INTEGER, "pid")},
    {.name = "tid", .type = LAB_TYPE_INTEGER},
    {.name = "cat", .type = LAB_TYPE_STRING, .text = "The kind of a span."},
    {.name = "ts", .type = LAB_TYPE_NUMBER, .unit = "us"},
    {.name = "dur", .type = LAB_TYPE_NUMBER, .unit = "us"},
    {LAB_GIVEN(OBJECT, "args")},
    {0},
};

static const struct lab_schema trace_members[] = {
    {LAB_GIVEN(OBJECT, "traceEvents"), .count = LAB_LIST, .members = trace_event_members},
    {.name = "displayTimeUnit", .type = LAB_TYPE_CHOICE, .choices = LAB_TEXTS("ms", "ns")},
    {0},
};

const struct lab_schema lab_timeline_trace_documents[] = {
    {.name = "Trace",
     .type = LAB_TYPE_OBJECT,
     .members = trace_members,
     .text = "The Trace Event format, which Perfetto and chrome://tracing open."},
    {0},
};
