/* Rules about launches, waits and streams: the order in which the host gives work to the GPU. */
#include "trace/rules.h"

#include "core/order.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a recorded launch takes longer because it is recorded: 2.5 us with all kinds of activity, measured with an
 * H100. */
#define TRACING_NS 2500.0
/* A program with fewer barriers has them in its set-up and clean-up, around the work. */
enum { BARRIERS_MIN = 10 };
/* Barriers that take this share of the time are reported however few they are: a few long barriers stop the other
 * streams as much as many short ones. */
#define BARRIERS_SHARE_MIN 0.1

bool lab_trace_rule_launches(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    size_t count = 0;
    double kernel_ns = 0, call_ns = 0;
    double *kernels = calloc(facts->works.count, sizeof *kernels), *calls = calloc(facts->works.count, sizeof *calls);
    finding->out_of_memory = kernels == NULL || calls == NULL;
    for (size_t i = 0; i < facts->works.count && !finding->out_of_memory; i++) {
        const struct lab_trace_place *place = facts->works.items[i].place;
        const struct lab_trace_call *call = lab_trace_call_of(facts->trace, place->head.process, place->correlation);
        if (!lab_trace_is_kernel(&facts->works.items[i]) || place->graph != 0 || call == NULL)
            continue;
        kernel_ns += (double)(place->end_ns - place->start_ns);
        call_ns += (double)(call->end_ns - call->start_ns);
        kernels[count] = (double)(place->end_ns - place->start_ns);
        calls[count++] = (double)(call->end_ns - call->start_ns) - TRACING_NS;
    }
    bool holds = count >= LAB_FINDING_COUNT_MIN && call_ns >= LAB_FINDING_SHARE_MIN * (double)facts->span_ns;
    double kernel = holds ? lab_median(kernels, count) : 0, call = holds ? lab_median(calls, count) : 0;
    free(kernels);
    free(calls);
    return holds && call > kernel &&
           lab_finding_write(
               finding, call_ns,
               "Launching takes longer than computing: of %zu kernels, the call takes %s in the median (about 2.5 us less "
               "without tracing), the kernel %s; all calls %s, all kernels %s. Fewer and larger kernels, or a CUDA graph, "
               "take fewer calls.",
               count, LAB_NS(call + TRACING_NS), LAB_NS(kernel), LAB_NS(call_ns), LAB_NS(kernel_ns));
}

static enum lab_trace_order order_of(const struct lab_trace_facts *facts, const struct lab_trace_work *work)
{
    return lab_trace_order_of(facts->trace, work->place->head.process, work->place->context, work->place->stream);
}

bool lab_trace_rule_default_stream(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    uint64_t between = 0,
             waiting = 0; /* work of the default stream after that of others: before more of theirs, and so far */
    double between_ns = 0, waiting_ns = 0;
    bool others = false;
    for (size_t i = 0; i < facts->works.count; i++) {
        const struct lab_trace_work *work = &facts->works.items[i];
        enum lab_trace_order order = order_of(facts, work);
        if (order == LAB_TRACE_ORDER_DEFAULT && others) {
            waiting++;
            waiting_ns += (double)(work->place->end_ns - work->place->start_ns);
        } else if (order == LAB_TRACE_ORDER_BLOCKING) {
            others = true;
            between += waiting;
            between_ns += waiting_ns;
            waiting = 0;
            waiting_ns = 0;
        }
    }
    return between > 0 && (between >= BARRIERS_MIN || between_ns >= BARRIERS_SHARE_MIN * (double)facts->span_ns) &&
           lab_finding_write(
               finding, between_ns,
               "Work in the default stream between work in other streams: %" PRIu64
               " %s, %s. Each "
               "waits for all that those streams were given before, and what they are given later waits for it. A stream "
               "of its own, or streams made with cudaStreamNonBlocking, would let them run at the same time.",
               between, between == 1 ? "kernel or copy" : "kernels and copies", LAB_NS(between_ns));
}

static int by_value(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* When the host's waits ended, sorted; NULL when out of memory. */
static int64_t *ends_of_waits(const struct lab_trace_facts *facts, size_t *count)
{
    const struct lab_trace *trace = facts->trace;
    int64_t *ends = calloc(trace->wait_count + 1, sizeof *ends);
    *count = 0;
    for (size_t i = 0; i < trace->wait_count && ends != NULL; i++)
        if (trace->waits[i].what != LAB_TRACE_WAIT_STREAM_EVENT && trace->waits[i].head.process == facts->process)
            ends[(*count)++] = trace->waits[i].end_ns;
    if (ends != NULL)
        qsort(ends, *count, sizeof *ends, by_value);
    return ends;
}

/* Pauses of the GPU in which a wait of the host ended: it had launched nothing that could follow. Returns their
 * number. */
static size_t pauses_after_waits(const struct lab_trace_works *works, const int64_t *ends, size_t end_count,
                                 double *pauses, int64_t *sum_ns)
{
    size_t count = 0, at = 0;
    int64_t until = works->first_ns;
    *sum_ns = 0;
    for (size_t i = 0; i < works->count; i++) {
        const struct lab_trace_place *place = works->items[i].place;
        while (at < end_count && ends[at] < until)
            at++;
        if (place->start_ns > until && at < end_count && ends[at] <= place->start_ns) {
            pauses[count++] = (double)(place->start_ns - until);
            *sum_ns += place->start_ns - until;
        }
        until = place->end_ns > until ? place->end_ns : until;
    }
    return count;
}

bool lab_trace_rule_waits(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    size_t end_count, count = 0;
    int64_t sum_ns = 0, *ends = ends_of_waits(facts, &end_count);
    double *pauses = calloc(facts->works.count, sizeof *pauses);
    finding->out_of_memory = ends == NULL || pauses == NULL;
    if (!finding->out_of_memory)
        count = pauses_after_waits(&facts->works, ends, end_count, pauses, &sum_ns);
    bool holds = count >= LAB_FINDING_COUNT_MIN && 2 * count >= facts->works.count &&
                 (double)sum_ns >= LAB_FINDING_SHARE_MIN * (double)facts->span_ns;
    double median = holds ? lab_median(pauses, count) : 0;
    free(pauses);
    free(ends);
    return holds &&
           lab_finding_write(
               finding, (double)sum_ns,
               "The host waits for the GPU before it gives it more: between %zu of %zu kernels, copies and memsets "
               "the GPU is idle, for %s in the median and %s in all. Wait only where the host uses a result; "
               "until then the stream keeps the order.",
               count, facts->works.count, LAB_NS(median), LAB_NS(sum_ns));
}
