/* Sorts a trace that has been read, makes ranges of marks, and finds the call, stream order and GPU of each
 * operation. */
#include "trace/read.h"

#include <stdlib.h>
#include <string.h>

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* --- records that say what a GPU, stream or thread is ------------------------------------------------------------- */

/* The process and the members that follow the head, which together name the subject of the record. */
enum { GPU_WORDS = 2, STREAM_WORDS = 3, TITLE_WORDS = 4 };
_Static_assert(offsetof(struct lab_trace_gpu, device) == sizeof(struct lab_trace_head), "the key follows the process");
_Static_assert(offsetof(struct lab_trace_stream, context) == sizeof(struct lab_trace_head), "as above");
_Static_assert(offsetof(struct lab_trace_title, what) == sizeof(struct lab_trace_head), "as above");

static int by_key(const void *a, const void *b, void *words)
{
    const uint32_t *one = (const void *)((const char *)a + offsetof(struct lab_trace_head, process));
    const uint32_t *other = (const void *)((const char *)b + offsetof(struct lab_trace_head, process));
    for (size_t i = 0; i < *(const size_t *)words; i++)
        if (one[i] != other[i])
            return compare(one[i], other[i]);
    return 0;
}

/* The first record of a sorted list with the key of `wanted`. */
static const void *find(const void *wanted, const void *items, size_t count, size_t size, size_t words)
{
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (by_key((const char *)items + middle * size, wanted, &words) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    const char *found = from < count ? (const char *)items + from * size : NULL;
    return found != NULL && by_key(found, wanted, &words) == 0 ? found : NULL;
}

const struct lab_trace_gpu *lab_trace_gpu_of(const struct lab_trace *trace, uint32_t process, uint32_t device)
{
    struct lab_trace_gpu wanted = {.head.process = process, .device = device};
    return find(&wanted, trace->gpus, trace->gpu_count, sizeof wanted, GPU_WORDS);
}

enum lab_trace_order lab_trace_order_of(const struct lab_trace *trace, uint32_t process, uint32_t context,
                                        uint32_t stream)
{
    struct lab_trace_stream wanted = {.head.process = process, .context = context, .stream = stream};
    const struct lab_trace_stream *found =
        find(&wanted, trace->streams, trace->stream_count, sizeof wanted, STREAM_WORDS);
    return found != NULL ? (enum lab_trace_order)found->order : LAB_TRACE_ORDER_UNKNOWN;
}

const char *lab_trace_title_of(const struct lab_trace *trace, uint32_t process, enum lab_trace_titled what,
                               uint32_t context, uint32_t id)
{
    struct lab_trace_title wanted = {.head.process = process, .what = what, .context = context, .id = id};
    const struct lab_trace_title *found = find(&wanted, trace->titles, trace->title_count, sizeof wanted, TITLE_WORDS);
    return found != NULL ? trace->names[found->name] : NULL;
}

/* --- records with times ------------------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct lab_trace_times *one = a, *other = b;
    if (one->start_ns != other->start_ns)
        return compare((uint64_t)one->start_ns, (uint64_t)other->start_ns);
    return compare((uint64_t)other->end_ns, (uint64_t)one->end_ns); /* the outer call first */
}

static int by_correlation(const void *a, const void *b)
{
    const struct lab_trace_call *one = *(struct lab_trace_call *const *)a, *other = *(struct lab_trace_call *const *)b;
    if (one->head.process != other->head.process)
        return compare(one->head.process, other->head.process);
    return compare(one->correlation, other->correlation);
}

static bool index_calls(struct lab_trace *trace)
{
    trace->calls_by_correlation = calloc(trace->call_count + 1, sizeof *trace->calls_by_correlation);
    if (trace->calls_by_correlation == NULL)
        return false;
    for (size_t i = 0; i < trace->call_count; i++)
        trace->calls_by_correlation[i] = &trace->calls[i];
    qsort(trace->calls_by_correlation, trace->call_count, sizeof *trace->calls_by_correlation, by_correlation);
    return true;
}

const struct lab_trace_call *lab_trace_call_of(const struct lab_trace *trace, uint32_t process, uint32_t correlation)
{
    struct lab_trace_call wanted = {.head.process = process, .correlation = correlation}, *key = &wanted;
    struct lab_trace_call **found =
        bsearch(&key, trace->calls_by_correlation, trace->call_count, sizeof key, by_correlation);
    return found != NULL ? *found : NULL;
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static int by_range(const void *a, const void *b)
{
    const struct lab_trace_mark *one = a, *other = b;
    if (one->head.process != other->head.process)
        return compare(one->head.process, other->head.process);
    if (one->id != other->id)
        return compare(one->id, other->id);
    if (one->start_ns != other->start_ns)
        return compare((uint64_t)one->start_ns, (uint64_t)other->start_ns);
    return compare(one->edge, other->edge);
}

/* Makes a range of each start and the end that follows it in the process, and of each instant. A range without an end
 * lasts until the end of the trace. */
static bool make_ranges(struct lab_trace *trace)
{
    if (trace->mark_count == 0)
        return true;
    trace->ranges = calloc(trace->mark_count, sizeof *trace->ranges);
    if (trace->ranges == NULL)
        return false;
    qsort(trace->marks, trace->mark_count, sizeof *trace->marks, by_range);
    for (size_t i = 0; i < trace->mark_count; i++) {
        const struct lab_trace_mark *mark = &trace->marks[i], *next = mark + 1;
        bool has_end = i + 1 < trace->mark_count && next->head.process == mark->head.process && next->id == mark->id &&
                       next->edge == LAB_TRACE_EDGE_END;
        if (mark->edge == LAB_TRACE_EDGE_END)
            continue;
        trace->ranges[trace->range_count++] =
            (struct lab_trace_range){.head = mark->head,
                                     .start_ns = mark->start_ns,
                                     .end_ns = mark->edge == LAB_TRACE_EDGE_INSTANT ? mark->start_ns
                                               : has_end                            ? next->start_ns
                                                                                    : trace->last_ns,
                                     .thread = mark->thread,
                                     .name = mark->name};
    }
    qsort(trace->ranges, trace->range_count, sizeof *trace->ranges, by_start);
    return true;
}

bool lab_trace_finish(struct lab_trace *trace)
{
    static const struct {
        size_t list, count, size, words; /* words 0: sorted by start */
    } lists[] = {
#define SORTED(tag, items, items_count, words)                                                                         \
    {offsetof(struct lab_trace, items), offsetof(struct lab_trace, items_count), sizeof(struct tag), words},
        SORTED(lab_trace_gpu, gpus, gpu_count, GPU_WORDS) SORTED(lab_trace_stream, streams, stream_count, STREAM_WORDS)
            SORTED(lab_trace_title, titles, title_count, TITLE_WORDS) SORTED(lab_trace_kernel, kernels, kernel_count, 0)
                SORTED(lab_trace_copy, copies, copy_count, 0) SORTED(lab_trace_set, sets, set_count, 0)
                    SORTED(lab_trace_call, calls, call_count, 0) SORTED(lab_trace_wait, waits, wait_count, 0)
                        SORTED(lab_trace_overhead, overheads, overhead_count, 0)};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        void *items;
        size_t count = *(size_t *)(void *)((char *)trace + lists[i].count), words = lists[i].words;
        memcpy(&items, (char *)trace + lists[i].list, sizeof items);
        if (count > 0 && words > 0)
            qsort_r(items, count, lists[i].size, by_key, &words);
        else if (count > 0)
            qsort(items, count, lists[i].size, by_start);
    }
    if (index_calls(trace) && make_ranges(trace))
        return true;
    trace->out_of_memory = true;
    return false;
}
