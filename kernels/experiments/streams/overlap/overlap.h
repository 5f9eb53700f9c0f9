/* Declarations shared by the files of overlap: overlap.c (descriptor), points.c (axes and plan), job.c (arrays and
 * operations), phases.c (phase times and bound), simulated.c (timelines of old devices), run.c (measuring and tracing a
 * point).
 */
#ifndef LAB_OVERLAP_H
#define LAB_OVERLAP_H

#include "benchmark/offload.h"
#include "descriptor/points.h"

enum { OVERLAP_STREAMS_MAX = 64, OVERLAP_CHUNKS_MAX = 4096, OVERLAP_WEIGHT_MAX = 100000, OVERLAP_PHASE_POINTS = 5 };

/* Indices of the axes. All points that agree on the first three have the same workload: they share the arrays, the
 * calibrated weight and the sequential baseline. */
enum overlap_axis {
    OVERLAP_AXIS_KERNEL,
    OVERLAP_AXIS_BYTES, /* of each array; a multiple of the element size */
    OVERLAP_AXIS_MEMORY,
    OVERLAP_AXIS_WEIGHT,
    OVERLAP_AXIS_CHUNKS,
    OVERLAP_AXIS_VARIANT,
    OVERLAP_AXIS_STREAMS,
    OVERLAP_AXIS_REPLAY,
    OVERLAP_AXIS_COPY_ENGINES,
    OVERLAP_AXIS_PHASE,
    OVERLAP_AXIS_OPPOSING
};
LAB_RUN(overlap);

/* Values of the parameters with choices; each enum has the order of the parameter's choices. */
enum overlap_kernel { OVERLAP_WAVES, OVERLAP_AVERAGE, OVERLAP_INCREMENT };
enum overlap_variant {
    OVERLAP_SEQUENTIAL,           /* one copy in, one kernel, one copy out */
    OVERLAP_ONE_STREAM,           /* all chunks in one stream, chunk by chunk */
    OVERLAP_DEPTH_FIRST,          /* V1: copy in, kernel and copy out of one chunk, then of the next */
    OVERLAP_BREADTH_FIRST,        /* V2: all copies in, all kernels, all copies out */
    OVERLAP_BREADTH_FIRST_EVENTS, /* V3: like V2, with an event recorded after each kernel */
    OVERLAP_INTERLEAVED,          /* rounds of one chunk per stream; breadth first within a round */
    OVERLAP_DEFAULT_STREAM        /* all chunks in the default stream */
};
enum overlap_replay { OVERLAP_STREAM, OVERLAP_GRAPH /* captured once and launched as one CUDA graph */ };

/* The arrays of a point. The host inputs are one window longer than the job. The baseline reads them from the offset
 * OVERLAP_BASELINE_OFFSET, so what it leaves in the shared arrays is wrong for the job: each sample of the job must
 * overwrite all of it to pass verification. */
enum { OVERLAP_BASELINE_OFFSET = 4 * LAB_AVERAGE_WINDOW };
struct lab_offload_shape overlap_shape(const struct lab_point *point);

/* Bytes of each chunk except the last, which may be shorter, when arrays of `bytes` bytes are cut into `chunks`. Chunks
 * consist of whole windows, because the averaging kernel reads the neighbours of an element from the same chunk. */
size_t overlap_chunk_bytes(size_t bytes, size_t chunks);

/* Whether the phases of the point's chunks are measured: they are the operations of a pipeline of page-locked
 * memory. */
bool overlap_has_phases(const struct lab_point *point);

/* The number of calls of lab_measure that measure phases before point `index` of a request: they are measured once for
 * each number of chunks of a workload. */
size_t overlap_phase_points(const struct lab_points *points, size_t index);

#endif
