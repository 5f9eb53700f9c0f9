/* Rules about copies between host and device. */
#include "trace/rules.h"

#include "core/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A copy of this size takes much longer than what each copy costs, so its rate is the link's. */
enum { LARGE_BYTES = 1 << 20 };
/* A copy below this size takes little longer than an empty one. */
enum { SMALL_BYTES = 64 << 10, SMALL_COUNT_MIN = 100 };
/* Pinned memory that is hardly faster is no reason to change the program. */
#define GAIN_MIN 1.25
/* Copies and kernels are both substantial from this share of the time on; they do not overlap below this share of the
 * shorter. */
#define SUBSTANTIAL_SHARE 0.1
#define OVERLAP_SHARE_MAX 0.05

/* Copies together. */
struct sum {
    uint64_t count;
    double bytes, ns;
};

static void add(struct sum *sum, const struct lab_trace_copy *copy, int64_t ns)
{
    sum->count++;
    sum->bytes += (double)copy->bytes;
    sum->ns += (double)ns;
}

static const struct lab_trace_copy *copy_of(const struct lab_trace_work *work)
{
    return (const void *)work->place;
}

static int64_t length_of(const struct lab_trace_work *work)
{
    return work->place->end_ns - work->place->start_ns;
}

static enum lab_trace_memory host_memory(const struct lab_trace_work *work)
{
    const struct lab_trace_copy *copy = copy_of(work);
    return (enum lab_trace_memory)(lab_trace_is_upload(work) ? copy->from : copy->to);
}

/* A bandwidth that copies can have here, and where it is known from; 0: none is known. Of copies of one kind of memory,
 * or of any. */
struct bandwidth {
    double gb_per_s;
    const char *source;
};

static struct bandwidth known_bandwidth(const struct lab_trace_facts *facts, bool only_pinned)
{
    struct sum large = {0};
    if (facts->link_gb_per_s > 0)
        return (struct bandwidth){facts->link_gb_per_s, "of the link"};
    for (size_t i = 0; i < facts->works.count; i++) {
        const struct lab_trace_work *work = &facts->works.items[i];
        if (lab_trace_is_host_copy(work) && copy_of(work)->bytes >= LARGE_BYTES &&
            (!only_pinned || host_memory(work) == LAB_TRACE_MEMORY_PINNED))
            add(&large, copy_of(work), length_of(work));
    }
    return (struct bandwidth){large.ns > 0 ? large.bytes / large.ns : 0,
                              only_pinned ? "of the program's own copies of pinned memory"
                                          : "of the program's own large copies"};
}

static const char *rate_text(double gb_per_s, char text[LAB_FORMAT_SIZE])
{
    return lab_format_quantity(gb_per_s, "GB/s", text);
}

static bool is_pageable(const struct lab_trace_work *work)
{
    return lab_trace_is_host_copy(work) && host_memory(work) == LAB_TRACE_MEMORY_PAGEABLE;
}

bool lab_trace_rule_pageable(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    struct sum pageable = {0};
    char bytes[LAB_FORMAT_SIZE], rate[LAB_FORMAT_SIZE], possible[LAB_FORMAT_SIZE];
    int64_t busy_ns = lab_trace_busy_ns(&facts->works, is_pageable);
    for (size_t i = 0; i < facts->works.count; i++)
        if (is_pageable(&facts->works.items[i]))
            add(&pageable, copy_of(&facts->works.items[i]), length_of(&facts->works.items[i]));
    if (busy_ns == 0 || (double)busy_ns < LAB_FINDING_SHARE_MIN * (double)facts->span_ns)
        return false;
    struct bandwidth known = known_bandwidth(facts, true);
    double best_ns = known.gb_per_s > 0 ? pageable.bytes / known.gb_per_s : 0;
    if (best_ns * GAIN_MIN > pageable.ns)
        return false;
    lab_finding_write(finding, pageable.ns,
                      "Copies of pageable host memory: %" PRIu64
                      ", %s in %s, %s, %s of the time in which the GPU was in use. ",
                      pageable.count, lab_format_bytes(pageable.bytes, bytes), LAB_NS(pageable.ns),
                      rate_text(pageable.bytes / pageable.ns, rate), LAB_SHARE(busy_ns, facts->span_ns));
    if (best_ns > 0)
        return lab_finding_add(finding, "From pinned memory (cudaMallocHost), at the %s %s, they would take %s.",
                               rate_text(known.gb_per_s, possible), known.source, LAB_NS(best_ns));
    return lab_finding_add(
        finding,
        "The driver copies them through a buffer of pinned memory; memory of cudaMallocHost needs no such step.");
}

/* What a copy cost: the copy, or the call that it held up. */
static int64_t cost_of(const struct lab_trace_facts *facts, const struct lab_trace_place *place)
{
    const struct lab_trace_call *call = lab_trace_call_of(facts->trace, place->head.process, place->correlation);
    int64_t copy_ns = place->end_ns - place->start_ns, call_ns = call != NULL ? call->end_ns - call->start_ns : 0;
    return call_ns > copy_ns ? call_ns : copy_ns;
}

bool lab_trace_rule_small_copies(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    struct sum small = {0};
    char median[LAB_FORMAT_SIZE], total[LAB_FORMAT_SIZE], rate[LAB_FORMAT_SIZE];
    double *sizes = calloc(facts->works.count, sizeof *sizes);
    finding->out_of_memory = sizes == NULL;
    for (size_t i = 0; i < facts->works.count && sizes != NULL; i++) {
        const struct lab_trace_work *work = &facts->works.items[i];
        if (!lab_trace_is_host_copy(work) || copy_of(work)->bytes >= SMALL_BYTES)
            continue;
        sizes[small.count] = (double)copy_of(work)->bytes;
        add(&small, copy_of(work), cost_of(facts, work->place));
    }
    bool holds = small.count >= SMALL_COUNT_MIN && small.ns >= LAB_FINDING_SHARE_MIN * (double)facts->span_ns;
    double half = holds ? lab_median(sizes, small.count) : 0;
    free(sizes);
    if (!holds)
        return false;
    struct bandwidth known = known_bandwidth(facts, false);
    lab_finding_write(finding, small.ns,
                      "Copies between host and GPU of less than 64 KiB: %" PRIu64
                      ", of %s in the median. Each takes %s on average, all "
                      "of them %s, for %s. ",
                      small.count, lab_format_bytes(half, median), LAB_NS(small.ns / (double)small.count),
                      LAB_NS(small.ns), lab_format_bytes(small.bytes, total));
    if (known.gb_per_s > 0)
        return lab_finding_add(finding, "One copy of as many bytes would take about %s, at the %s %s.",
                               LAB_NS(small.bytes / known.gb_per_s), rate_text(known.gb_per_s, rate), known.source);
    return lab_finding_add(finding, "Such copies take nearly as long as an empty one: gather the data and copy once.");
}

/* "10.00 ms to the GPU, 5.000 ms from it", or one of both. */
static void directions_text(int64_t up_ns, int64_t down_ns, char text[96])
{
    if (up_ns > 0 && down_ns > 0)
        snprintf(text, 96, "%s to the GPU, %s from it", LAB_NS(up_ns), LAB_NS(down_ns));
    else if (up_ns > 0)
        snprintf(text, 96, "%s to the GPU", LAB_NS(up_ns));
    else
        snprintf(text, 96, "%s from the GPU", LAB_NS(down_ns));
}

bool lab_trace_rule_no_overlap(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    const struct lab_trace_works *works = &facts->works;
    int64_t kernels = lab_trace_busy_ns(works, lab_trace_is_kernel);
    int64_t copies = lab_trace_busy_ns(works, lab_trace_is_host_copy);
    int64_t up = lab_trace_busy_ns(works, lab_trace_is_upload), down = lab_trace_busy_ns(works, lab_trace_is_download);
    int64_t both = lab_trace_overlap_ns(works, lab_trace_is_kernel, lab_trace_is_host_copy);
    int64_t shorter = kernels < copies ? kernels : copies, best = kernels;
    if (shorter == 0 || (double)shorter < SUBSTANTIAL_SHARE * (double)facts->span_ns ||
        (double)both > OVERLAP_SHARE_MAX * (double)shorter)
        return false;
    best = best > up ? best : up;
    best = best > down ? best : down;
    int64_t now = kernels + copies - both;
    size_t streams = lab_trace_stream_count(works, lab_trace_is_work);
    char together[64] = "never run", where[64], directions[96];
    directions_text(up, down, directions);
    if (both > 0)
        snprintf(together, sizeof together, "run for only %s", LAB_NS(both));
    snprintf(where, sizeof where, streams == 1 ? "All work is in one stream" : "The work is in %zu streams", streams);
    return lab_finding_write(
        finding, (double)(now - best),
        "Copies (%s) and kernels (%s) %s at the same time. %s. Divided into chunks in several streams, with "
        "pinned memory and cudaMemcpyAsync, they would take at best %s instead of %s, if the data allow it.",
        directions, LAB_NS(kernels), together, where, LAB_NS(best), LAB_NS(now));
}
