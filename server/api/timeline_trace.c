/* Spans as trace events: processes and threads are named by metadata events ("M"), spans are complete events ("X"). */
#include "timeline_trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A span on its way into the trace. Texts and JSON stay with the array of spans. */
struct piece {
    size_t group;    /* which traced variant */
    size_t position; /* in the array */
    const json_t *axes;
    const char *lane, *kind, *label;
    char engine[48]; /* "compute", of several devices "device 2 compute" */
    int64_t start_ns, end_ns;
};

/* A thread of the trace. */
struct thread {
    const char *name;
    size_t row;  /* 0, or which further thread of that name it is */
    size_t rank; /* where threads of that name stand */
    int64_t end_ns;
    size_t number; /* as pieces call it, before threads are sorted */
    json_int_t tid;
};

/* What of a span a process has its threads by. */
struct view {
    const char *title;
    const char *(*name)(const struct piece *piece);
    size_t (*rank)(const char *name);
};

struct trace {
    json_t *events;
    json_t *shared;      /* the axes that are the same for all variants: no name needs them */
    json_int_t pid, tid; /* the last ones given; no number is both */
    bool failed;         /* out of memory */
};

/* --- which spans belong together ---------------------------------------------------------------------------------- */

/* The number of the group with these axes, in the order in which groups first occur. `numbers` maps axes as text. */
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
    const struct piece *one = a, *other = b;
    if (one->group != other->group)
        return one->group < other->group ? -1 : 1;
    if (one->start_ns != other->start_ns)
        return one->start_ns < other->start_ns ? -1 : 1;
    return one->position < other->position ? -1 : one->position > other->position;
}

static const char *text_of(const json_t *span, const char *name)
{
    const char *text = json_string_value(json_object_get(span, name));
    return text != NULL ? text : "";
}

/* Each device has engines of its own; lanes of several are called "device 1, stream 2" or the like. */
static void name_engine(struct piece *piece)
{
    int device = 0;
    bool several = piece->lane != NULL && sscanf(piece->lane, "device %d", &device) == 1;
    if (several)
        snprintf(piece->engine, sizeof piece->engine, "device %d %.30s", device, piece->kind);
    else
        snprintf(piece->engine, sizeof piece->engine, "%.47s", piece->kind);
}

/* The spans sorted by variant and start, to be freed; NULL when out of memory. */
static struct piece *sort_spans(const json_t *spans, size_t *groups)
{
    size_t count = json_array_size(spans);
    json_t *numbers = json_object();
    struct piece *pieces = calloc(count + 1, sizeof *pieces);
    for (size_t i = 0; i < count && pieces != NULL; i++) {
        const json_t *span = json_array_get(spans, i);
        const json_t *axes = json_object_get(span, "axes");
        pieces[i] = (struct piece){.group = group_of(numbers, axes),
                                   .position = i,
                                   .axes = axes,
                                   .lane = text_of(span, "lane"),
                                   .kind = text_of(span, "kind"),
                                   .label = text_of(span, "label"),
                                   .start_ns = json_integer_value(json_object_get(span, "start_ns")),
                                   .end_ns = json_integer_value(json_object_get(span, "end_ns"))};
        name_engine(&pieces[i]);
    }
    *groups = json_object_size(numbers);
    json_decref(numbers);
    if (pieces != NULL)
        qsort(pieces, count, sizeof *pieces, by_group_and_start);
    return pieces;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* Takes the reference. */
static void add(struct trace *trace, json_t *event)
{
    if (json_array_append_new(trace->events, event) != 0)
        trace->failed = true;
}

/* How a variant is called, by the axes in which it differs from others: "depth-first, chunks 16". */
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
            continue; /* too long for a name; it is among the arguments of each event */
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

static void add_piece(struct trace *trace, const struct piece *piece, json_int_t tid)
{
    json_t *arguments = json_pack("{s:s, s:s}", "label", piece->label, "lane", piece->lane);
    json_object_update_missing(arguments, (json_t *)piece->axes);
    add(trace, json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", piece->label, "cat",
                         piece->kind, "pid", trace->pid, "tid", tid, "ts", (double)piece->start_ns / 1e3, "dur",
                         (double)(piece->end_ns - piece->start_ns) / 1e3, "args", arguments));
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static const char *lane_name(const struct piece *piece)
{
    return piece->lane;
}

static size_t lane_rank(const char *name)
{
    (void)name;
    return 0;
}

static const char *engine_name(const struct piece *piece)
{
    return piece->engine;
}

/* By kind, as work flows through a device; what is no engine comes after them. */
static size_t engine_rank(const char *name)
{
    static const char *const engines[] = {"copy-up", "compute", "copy-peer", "copy-down"};
    size_t rank = 0;
    const char *space = strrchr(name, ' ');
    while (rank < sizeof engines / sizeof *engines && strcmp(engines[rank], space != NULL ? space + 1 : name) != 0)
        rank++;
    return rank;
}

static const struct view views[] = {{"streams", lane_name, lane_rank}, {"engines", engine_name, engine_rank}};

/* "stream 2" before "stream 10". */
static int by_rank_and_name(const void *a, const void *b)
{
    const struct thread *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    int order = strverscmp(one->name, other->name);
    return order != 0 ? order : one->row < other->row ? -1 : one->row > other->row;
}

/* The thread that is free for the piece: of that name, and its last event has ended. A new one when there is none. */
static struct thread *thread_for(struct thread *threads, size_t *count, const struct view *view,
                                 const struct piece *piece)
{
    const char *name = view->name(piece);
    size_t row = 0;
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(threads[i].name, name) != 0)
            continue;
        if (threads[i].end_ns <= piece->start_ns)
            return &threads[i];
        row++;
    }
    threads[*count] = (struct thread){.name = name, .row = row, .rank = view->rank(name), .number = *count};
    return &threads[(*count)++];
}

/* One variant, seen one way. */
static void add_view(struct trace *trace, const struct piece *pieces, size_t count, const struct view *view)
{
    char variant[256];
    size_t thread_count = 0;
    struct thread *threads = calloc(count, sizeof *threads);
    size_t *numbers = calloc(count, sizeof *numbers); /* of the thread of each piece */
    json_int_t *tids = calloc(count, sizeof *tids);   /* of each thread */
    if (threads == NULL || numbers == NULL || tids == NULL) {
        trace->failed = true;
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        struct thread *thread = thread_for(threads, &thread_count, view, &pieces[i]);
        thread->end_ns = pieces[i].end_ns;
        numbers[i] = thread->number;
    }
    qsort(threads, thread_count, sizeof *threads, by_rank_and_name);

    name_variant(pieces[0].axes, trace->shared, variant, sizeof variant);
    add_process(trace, variant, view->title);
    for (size_t i = 0; i < thread_count; i++) {
        add_thread(trace, &threads[i]);
        tids[threads[i].number] = threads[i].tid;
    }
    for (size_t i = 0; i < count; i++)
        add_piece(trace, &pieces[i], tids[numbers[i]]);
out:
    free(tids);
    free(numbers);
    free(threads);
}

/* The axes that have the same value for all spans, so that they tell no two variants apart; none where there is but one
 * variant. A new reference, NULL when out of memory. */
static json_t *shared_axes(const struct piece *pieces, size_t count, size_t groups)
{
    json_t *shared = groups > 1 ? json_copy((json_t *)pieces[0].axes) : json_object();
    for (size_t i = 1; i < count && groups > 1; i++) {
        const char *axis;
        json_t *value;
        void *next;
        if (pieces[i].group == pieces[i - 1].group)
            continue;
        json_object_foreach_safe(shared, next, axis, value)
        {
            if (!json_equal(value, json_object_get(pieces[i].axes, axis)))
                json_object_del(shared, axis);
        }
    }
    return shared;
}

json_t *lab_timeline_trace(const json_t *spans)
{
    size_t count = json_array_size(spans), groups = 0;
    struct piece *pieces = sort_spans(spans, &groups);
    struct trace trace = {.events = json_array(), .failed = pieces == NULL};
    if (pieces != NULL && count > 0)
        trace.shared = shared_axes(pieces, count, groups);
    trace.tid = (json_int_t)(groups * (sizeof views / sizeof *views));
    for (size_t first = 0, next; first < count && !trace.failed; first = next) {
        for (next = first; next < count && pieces[next].group == pieces[first].group;)
            next++;
        for (size_t i = 0; i < sizeof views / sizeof *views; i++)
            add_view(&trace, pieces + first, next - first, &views[i]);
    }
    json_decref(trace.shared);
    free(pieces);
    if (trace.failed) {
        json_decref(trace.events);
        return NULL;
    }
    return json_pack("{s:o, s:s}", "traceEvents", trace.events, "displayTimeUnit", "ns");
}
