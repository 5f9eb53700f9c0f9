/* Declarations shared by the files of overlap: overlap.c (descriptor), points.c (points and plan), job.c (arrays and
 * operations), calibration.c (phase times and kernel weight), bound.c (simulated schedules), report.c (metrics of one
 * point), timeline.c (spans), run.c (the loop over all points).
 */
#ifndef LAB_OVERLAP_H
#define LAB_OVERLAP_H

#include "experiment/experiment.h"
#include "runtime/runtime.h"

enum { OVERLAP_STREAMS_MAX = 64, OVERLAP_CHUNKS_MAX = 4096 };

/* Values of the parameters with choices; each enum has the order of the parameter's choices. */
enum overlap_kernel {
    OVERLAP_WAVES,    /* `weight` sines and cosines per element; adds sin^2 + cos^2 = 1 */
    OVERLAP_AVERAGE,  /* mean of two inputs over windows */
    OVERLAP_INCREMENT /* adds 1 */
};
enum overlap_variant {
    OVERLAP_SEQUENTIAL,           /* one copy in, one kernel, one copy out */
    OVERLAP_ONE_STREAM,           /* all chunks in one stream, chunk by chunk */
    OVERLAP_DEPTH_FIRST,          /* V1: copy in, kernel and copy out of one chunk, then of the next */
    OVERLAP_BREADTH_FIRST,        /* V2: all copies in, all kernels, all copies out */
    OVERLAP_BREADTH_FIRST_EVENTS, /* V3: like V2, with an event recorded after each kernel */
    OVERLAP_INTERLEAVED,          /* rounds of one chunk per stream; breadth first within a round */
    OVERLAP_DEFAULT_STREAM        /* all chunks in the default stream */
};

/* Names of the values, which are the choices of the parameters; each array ends with NULL. */
extern const char *const overlap_kernels[], *const overlap_variants[], *const overlap_memories[],
                                                                           *const overlap_replays[];

/* Size, kind of host memory and kernel. All points with the same workload share the arrays, the calibration and the
 * time of the sequential variant. */
struct overlap_workload {
    size_t bytes; /* of each array; a multiple of the element size */
    enum lab_memory memory;
    enum overlap_kernel kernel;
};

struct overlap_point {
    struct overlap_workload workload;
    enum overlap_variant variant;
    size_t chunks, streams;
    bool graph; /* the job is captured once and launched as one CUDA graph */
};

/* Calls `visit` for each point in the order of measuring: workload by workload, its sequential point first. Stops and
 * returns false as soon as `visit` returns false. */
bool overlap_each_point(const struct lab_parameters *parameters,
                        bool (*visit)(void *context, const struct overlap_point *point), void *context);

/* The reason why no device can measure the point; NULL if it can be measured. */
const char *overlap_skip_reason(const struct overlap_point *point);

/* Number of input arrays of a kernel: 2 for AVERAGE, else 1. */
size_t overlap_inputs(enum overlap_kernel kernel);
/* `bytes` rounded down to whole elements, for AVERAGE to whole windows. */
size_t overlap_whole_bytes(enum overlap_kernel kernel, size_t bytes);
/* Number of device arrays: 3 for AVERAGE, which has a separate output; the other kernels work in place. */
size_t overlap_device_arrays(enum overlap_kernel kernel);

/* The plan and run of the descriptor (experiment.h). */
bool overlap_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool overlap_run(struct lab_run *run);

#endif
