/* The distributed matrix, the streams, events and kernels on every device that transpose it, and the variants of the
 * work with the callbacks by which lab_measure times and verifies them.
 */
#ifndef LAB_PEER_TRANSPOSE_JOB_H
#define LAB_PEER_TRANSPOSE_JOB_H

#include "peer_transpose.h"
#include "rectangles.h"

#include "benchmark/kernels.h"
#include "benchmark/resources.h"

enum { TRANSPOSE_LANES_MAX = LAB_RUN_DEVICES_MAX * (1 + TRANSPOSE_STREAMS_MAX) };

/* A prepared launch of the kernel. */
struct transpose_launch {
    struct transpose_rectangles rectangles;
    struct lab_plan *plan;
};

struct transpose {
    struct lab_resources resources; /* the first `kept` do not depend on the shape */
    size_t kept;
    const struct lab_runtime *runtime;
    size_t devices, streams; /* number of devices, number of copy streams of each */
    bool reads;              /* copies run on the device that receives; false: on the one that sends */
    uint64_t seed;           /* of the contents of device 0's part; the part of device d has seed + d */

    struct lab_lane lanes[LAB_RUN_DEVICES_MAX]; /* the kernel stream of each device, in which its job begins and ends */
    struct lab_lane all_lanes[TRANSPOSE_LANES_MAX]; /* of each device its kernel stream, then its copy streams */
    struct lab_event *ready[LAB_RUN_DEVICES_MAX];   /* the piece to be sent next has been transposed */
    /* [device that copies][step - 1][stream]: the pieces of the step that are copied in this stream have arrived */
    struct lab_event *copied[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX - 1][TRANSPOSE_STREAMS_MAX];

    /* The prepared shape. The part and the result of a device have n rows of `width` words. The staging memory of a
     * device holds the transposed blocks that it sends, in the order of the steps. */
    struct transpose_shape shape;
    void *parts[LAB_RUN_DEVICES_MAX], *staging[LAB_RUN_DEVICES_MAX], *results[LAB_RUN_DEVICES_MAX];
    struct lab_kernel_record record; /* of the first device's kernel; name NULL: its runtime has none */
    /* The launches of all devices: each device has one for each piece that it sends, one for the block that stays, and
     * one for its whole part, which writes the blocks into the results of their devices. */
    struct transpose_launch *launches;
};

/* A variant of the work. */
struct transpose_job {
    struct transpose *transpose;
    enum transpose_variant variant;
};

/* Creates streams and events. Returns false with run->error set on failure; call transpose_close in either case. */
bool transpose_open(struct transpose *transpose, struct lab_run *run);
/* Waits for all work and releases everything. */
void transpose_close(struct transpose *transpose);

/* Allocates and fills the parts and the staging memory, loads the kernel and prepares its launches for a shape, unless
 * this shape is already prepared. Returns false with run->error set on failure; the code is "unsupported" if a device
 * has no kernel. */
bool transpose_prepare(struct transpose *transpose, const struct transpose_shape *shape);

/* Callbacks of struct lab_work; the context is a struct transpose_job. TRANSPOSE_ALL_TO_ALL sends the blocks that are
 * in the staging memory. The results are the blocks that the variant writes, in staging memory too. */
bool transpose_enqueue(void *context);
bool transpose_poison(void *context);
bool transpose_verify(void *context, uint64_t *wrong);

/* Executes the job once and waits for it: see struct lab_timeline. */
bool transpose_execute(void *context);

/* Number of kernels and copies in one repetition of a variant. */
size_t transpose_operations(const struct transpose *transpose, enum transpose_variant variant);

/* The device to which `device` sends in a step; steps are counted from 1. */
static inline size_t transpose_target(const struct transpose *transpose, size_t device, size_t step)
{
    return (device + step) % transpose->devices;
}

/* The number of pieces that a device sends. A piece is one chunk of the block of one step; pieces are numbered in the
 * order in which they are sent: step by step, chunk by chunk. */
static inline size_t transpose_pieces(const struct transpose *transpose)
{
    return (transpose->devices - 1) * transpose->shape.chunks;
}

/* The step in which a piece is sent. */
static inline size_t transpose_step(const struct transpose *transpose, size_t piece)
{
    return piece / transpose->shape.chunks + 1;
}

#endif
