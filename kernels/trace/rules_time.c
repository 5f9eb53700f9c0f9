/* Rules about where time goes: to kernels, to the start, to nothing. */
#include "trace/rules.h"

#include "trace/names.h"

#include <inttypes.h>
#include <stdlib.h>

/* Kernels too small for the GPU matter from this share of the time of all kernels on, unless they run side by side. */
#define SMALL_GRID_SHARE 0.1
#define SIDE_BY_SIDE 1.5 /* kernels at the same time, on average */
/* A start that is shorter, or a smaller part of the run, is what any program pays. */
#define START_MIN_NS 50000000
#define START_SHARE_MIN 0.1
/* One kernel has nearly all of the time, and kernels have most of it. */
#define ONE_KERNEL_SHARE 0.8
#define KERNELS_SHARE 0.5
/* A GPU that is in use for less time tells nothing of its pauses. */
#define IDLE_SPAN_MIN_NS 1000000
#define IDLE_SHARE 0.3

static const struct lab_trace_kernel *kernel_of(const struct lab_trace_work *work)
{
    return (const void *)work->place;
}

static double blocks_of(const struct lab_trace_kernel *kernel)
{
    return (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

bool lab_trace_rule_small_grids(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    const struct lab_trace_gpu *gpu = lab_trace_gpu_of(facts->trace, facts->process, facts->device);
    const struct lab_trace_kernel *longest = NULL;
    uint64_t count = 0, all = 0;
    double small_ns = 0, kernels_ns = 0;
    char name[LAB_TRACE_NAME_SIZE];
    for (size_t i = 0; i < facts->works.count && gpu != NULL; i++) {
        const struct lab_trace_kernel *kernel = kernel_of(&facts->works.items[i]);
        if (!lab_trace_is_kernel(&facts->works.items[i]))
            continue;
        double ns = (double)(kernel->end_ns - kernel->start_ns);
        all++;
        kernels_ns += ns;
        if (blocks_of(kernel) >= gpu->multiprocessors)
            continue;
        count++;
        small_ns += ns;
        longest = longest == NULL || ns > (double)(longest->end_ns - longest->start_ns) ? kernel : longest;
    }
    double busy = (double)lab_trace_busy_ns(&facts->works, lab_trace_is_kernel);
    if (longest == NULL || small_ns < SMALL_GRID_SHARE * kernels_ns ||
        small_ns < LAB_FINDING_SHARE_MIN * (double)facts->span_ns || kernels_ns > SIDE_BY_SIDE * busy)
        return false;
    lab_trace_kernel_name(facts->trace->names[longest->name], name);
    return lab_finding_write(
        finding, small_ns,
        "Kernels with fewer blocks than the GPU has multiprocessors, %" PRIu32 ": %" PRIu64 " of %" PRIu64
        ", %s, %s of the time of all kernels. A block runs on one multiprocessor: the longest of them, %s, has "
        "%.0f, and the other multiprocessors have nothing to do.",
        gpu->multiprocessors, count, all, LAB_NS(small_ns), LAB_SHARE(small_ns, kernels_ns), name, blocks_of(longest));
}

/* The launches of a kernel. */
struct launches {
    uint64_t count;
    double ns;
};

/* The launches by the kernels' names. NULL when out of memory. */
static struct launches *launches_by_name(const struct lab_trace_facts *facts, double *kernels_ns, size_t *most,
                                         size_t *different)
{
    struct launches *launches = calloc(facts->trace->name_count + 1, sizeof *launches);
    *kernels_ns = 0;
    *most = *different = 0;
    for (size_t i = 0; i < facts->works.count && launches != NULL; i++) {
        const struct lab_trace_kernel *kernel = kernel_of(&facts->works.items[i]);
        if (!lab_trace_is_kernel(&facts->works.items[i]))
            continue;
        double ns = (double)(kernel->end_ns - kernel->start_ns);
        *different += launches[kernel->name].count++ == 0;
        launches[kernel->name].ns += ns;
        *kernels_ns += ns;
        if (launches[kernel->name].ns > launches[*most].ns)
            *most = kernel->name;
    }
    return launches;
}

bool lab_trace_rule_one_kernel(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    double kernels_ns;
    size_t most, different;
    char name[LAB_TRACE_NAME_SIZE];
    struct launches *launches = launches_by_name(facts, &kernels_ns, &most, &different);
    finding->out_of_memory = launches == NULL;
    struct launches of_one = launches != NULL ? launches[most] : (struct launches){0};
    free(launches);
    if (different < 2 || of_one.ns < ONE_KERNEL_SHARE * kernels_ns ||
        (double)lab_trace_busy_ns(&facts->works, lab_trace_is_kernel) < KERNELS_SHARE * (double)facts->span_ns)
        return false;
    lab_trace_kernel_name(facts->trace->names[most], name);
    return lab_finding_write(finding, of_one.ns,
                             "Of %zu kernels, %s takes %s of the time of all: %s in %" PRIu64
                             " launches, %s each on average. What makes "
                             "this kernel faster makes the program faster.",
                             different, name, LAB_SHARE(of_one.ns, kernels_ns), LAB_NS(of_one.ns), of_one.count,
                             LAB_NS(of_one.ns / (double)of_one.count));
}

/* --- the start ---------------------------------------------------------------------------------------------------- */

/* For how long the process was in CUDA calls before a time, and in which the longest. */
static int64_t calls_before(const struct lab_trace_facts *facts, int64_t before_ns,
                            const struct lab_trace_call **longest)
{
    int64_t sum = 0, until = 0;
    *longest = NULL;
    for (size_t i = 0; i < facts->trace->call_count; i++) {
        const struct lab_trace_call *call = &facts->trace->calls[i];
        int64_t end = call->end_ns < before_ns ? call->end_ns : before_ns;
        if (call->head.process != facts->process || end <= until || call->start_ns >= before_ns)
            continue;
        sum += end - (call->start_ns > until ? call->start_ns : until);
        until = end;
        if (*longest == NULL || call->end_ns - call->start_ns > (*longest)->end_ns - (*longest)->start_ns)
            *longest = call;
    }
    return sum;
}

bool lab_trace_rule_start_up(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    const struct lab_trace_call *longest;
    int64_t start_ns = calls_before(facts, facts->works.first_ns, &longest), run_ns = facts->trace->last_ns;
    char name[LAB_TRACE_NAME_SIZE];
    if (longest == NULL || start_ns < START_MIN_NS || (double)start_ns < START_SHARE_MIN * (double)run_ns)
        return false;
    lab_trace_call_name(facts->trace->names[longest->name], name);
    return lab_finding_write(
        finding, (double)start_ns,
        "Before its first work on the GPU the program is in CUDA calls for %s, %s of the %s that it runs; the "
        "longest is %s, %s. The first calls of a process also create the context and load code, once: do more "
        "in one process, and do not time its first calls.",
        LAB_NS(start_ns), LAB_SHARE(start_ns, run_ns), LAB_NS(run_ns), name,
        LAB_NS(longest->end_ns - longest->start_ns));
}

/* --- nothing ------------------------------------------------------------------------------------------------------ */

bool lab_trace_rule_idle(const struct lab_trace_facts *facts, struct lab_finding *finding)
{
    const struct lab_trace_works *works = &facts->works;
    int64_t idle_ns = facts->span_ns - lab_trace_busy_ns(works, lab_trace_is_work), until = works->first_ns;
    int64_t pause_ns = 0, paused_at = 0;
    if (facts->span_ns < IDLE_SPAN_MIN_NS || (double)idle_ns < IDLE_SHARE * (double)facts->span_ns)
        return false;
    for (size_t i = 0; i < works->count; i++) {
        const struct lab_trace_place *place = works->items[i].place;
        if (place->start_ns - until > pause_ns) {
            pause_ns = place->start_ns - until;
            paused_at = until;
        }
        until = place->end_ns > until ? place->end_ns : until;
    }
    return lab_finding_write(
        finding, (double)idle_ns,
        "From its first to its last work, in %s, the GPU is idle for %s, %s of the time. The longest pause is %s, "
        "%s after the start of the program.",
        LAB_NS(facts->span_ns), LAB_NS(idle_ns), LAB_SHARE(idle_ns, facts->span_ns), LAB_NS(pause_ns),
        LAB_NS(paused_at));
}
