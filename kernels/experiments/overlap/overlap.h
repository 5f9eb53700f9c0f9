/* overlap, between its parts: overlap.c says what there is to measure, job.c queues the work, phases.c times its
 * parts, run.c measures the points, timeline.c traces them.
 */
#ifndef LAB_OVERLAP_H
#define LAB_OVERLAP_H

#include "experiment/experiment.h"
#include "runtime/runtime.h"

enum { OVERLAP_STREAMS_MAX = 64, OVERLAP_CHUNKS_MAX = 4096 };

/* Values of the axes, in the order of the parameters' choices. */
enum overlap_kernel { OVERLAP_WAVES, OVERLAP_AVERAGE, OVERLAP_INCREMENT };
enum overlap_variant {
    OVERLAP_SEQUENTIAL,           /* one copy up, one kernel, one copy down */
    OVERLAP_ONE_STREAM,           /* the chunks behind each other in one stream */
    OVERLAP_DEPTH_FIRST,          /* V1: {up, kernel, down} for each chunk in its stream */
    OVERLAP_BREADTH_FIRST,        /* V2: all ups, all kernels, all downs */
    OVERLAP_BREADTH_FIRST_EVENTS, /* V3: all ups, {kernel, event} each, all downs */
    OVERLAP_INTERLEAVED,          /* rounds of one chunk a stream: the ups of a round, its kernels, its downs */
    OVERLAP_DEFAULT_STREAM        /* the chunks in the default stream */
};

extern const char *const overlap_kernels[], *const overlap_variants[], *const overlap_memories[],
                                                                           *const overlap_replays[];

/* What is measured once for a size, kind of memory and kernel. */
struct overlap_workload {
    size_t bytes; /* of each array: a whole number of elements */
    enum lab_memory memory;
    enum overlap_kernel kernel;
};

struct overlap_point {
    struct overlap_workload workload;
    enum overlap_variant variant;
    size_t chunks, streams;
    bool graph; /* replayed as a graph */
};

/* The points in the order in which they are measured: case by case, the sequential one of each first. `visit` returns
 * false to stop; so does the whole then. */
bool overlap_each_point(const struct lab_parameters *parameters,
                        bool (*visit)(void *context, const struct overlap_point *point), void *context);

/* Why such a point cannot be, whatever the device; NULL when it can. */
const char *overlap_skip_reason(const struct overlap_point *point);

/* Input arrays of a kernel: 2 for AVERAGE, which has an output of its own; the others work in place. */
size_t overlap_inputs(enum overlap_kernel kernel);
/* `bytes` rounded down to what the kernel works on: whole elements, for AVERAGE whole windows. */
size_t overlap_whole_bytes(enum overlap_kernel kernel, size_t bytes);
size_t overlap_device_arrays(enum overlap_kernel kernel);

bool overlap_run(struct lab_run *run);

#endif
