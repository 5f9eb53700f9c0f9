/* The distributed matrix, and the streams, events and kernels on every device that transpose it.
 */
#ifndef LAB_PEER_TRANSPOSE_SETUP_H
#define LAB_PEER_TRANSPOSE_SETUP_H

#include "../peer/access.h"
#include "peer_transpose.h"

#include "measure/verify.h"

enum { TRANSPOSE_LANES_MAX = LAB_RUN_DEVICES_MAX * (1 + TRANSPOSE_STREAMS_MAX) };

struct transpose_setup {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    size_t devices, streams; /* number of devices, number of copy streams of each */
    uint64_t seed;           /* of the contents of device 0's part; the part of device d has seed + d */

    struct peer_access access;

    struct lab_lane lanes[LAB_RUN_DEVICES_MAX]; /* the kernel stream of each device, in which its job begins and ends */
    struct lab_stream *copies[LAB_RUN_DEVICES_MAX][TRANSPOSE_STREAMS_MAX]; /* the copy streams of each device */
    struct lab_event *ready[LAB_RUN_DEVICES_MAX]; /* the piece to be sent next has been transposed */
    struct lab_event *copied[LAB_RUN_DEVICES_MAX][TRANSPOSE_STREAMS_MAX]; /* the copies of a stream have ended */

    /* The prepared shape. The part and the result of a device have n rows of `width` words. The staging memory of a
     * device holds the transposed blocks that it sends, in the order of the steps. */
    struct transpose_shape shape;
    char refusal[LAB_DETAIL_MAX]; /* why the devices cannot transpose; "" if they can */
    void *parts[LAB_RUN_DEVICES_MAX], *staging[LAB_RUN_DEVICES_MAX], *results[LAB_RUN_DEVICES_MAX];
    /* kernel of each square, in the order of the pieces; the last one transposes the block that stays */
    struct lab_plan **squares[LAB_RUN_DEVICES_MAX];
};

/* The streams of all devices, for a timeline: of each device its kernel stream, then its copy streams. */
size_t transpose_setup_lanes(const struct transpose_setup *setup, struct lab_lane lanes[TRANSPOSE_LANES_MAX]);

/* Creates streams and events. Returns false with run->error set on failure; call transpose_setup_close in either
 * case. */
bool transpose_setup_open(struct transpose_setup *setup, struct lab_run *run);

/* Waits for all work, denies peer access and releases everything. Returns false with run->error set if denying failed. */
bool transpose_setup_close(struct transpose_setup *setup);

/* Allocates and fills the parts and prepares the kernels of a shape, unless this shape is already prepared. `reason`
 * becomes the reason why the devices do not support the shape, or "". Returns false with run->error set on failure. */
bool transpose_setup_prepare(struct transpose_setup *setup, const struct transpose_shape *shape,
                             char reason[LAB_DETAIL_MAX]);

static inline struct lab_device *transpose_device(const struct transpose_setup *setup, size_t device)
{
    return setup->lanes[device].device;
}

/* The device to which `device` sends in a step; steps are counted from 1. */
static inline size_t transpose_target(const struct transpose_setup *setup, size_t device, size_t step)
{
    return (device + step) % setup->devices;
}

/* The number of squares that a device transposes to send them; one more kernel transposes the block that stays. */
static inline size_t transpose_squares_sent(const struct transpose_setup *setup)
{
    return (setup->devices - 1) * setup->shape.chunks * setup->shape.chunks;
}

/* transpose_staged: address of a chunk of the block that `device` sends in `step`, in its staging memory.
 * transpose_destination: address of a chunk of the block from `source`, in the result of `target`. */
void *transpose_staged(const struct transpose_setup *setup, size_t device, size_t step, size_t chunk);
void *transpose_destination(const struct transpose_setup *setup, size_t target, size_t source, size_t chunk);

/* Forwards the error of a device to the first device, where lab_measure reads it. */
static inline bool transpose_forward_error(const struct transpose_setup *setup, size_t device, bool good)
{
    return lab_device_forward_error(setup->lanes[0].device, setup->lanes[device].device, good);
}

#endif
