/* The matrix on its devices, and all that one shape of it needs: streams, kernels, blocks to send.
 */
#ifndef LAB_PEER_TRANSPOSE_SETUP_H
#define LAB_PEER_TRANSPOSE_SETUP_H

#include "peer_transpose.h"

#include "measure/verify.h"

struct transpose_setup {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    size_t devices, streams;
    uint64_t seed; /* of device 0's part, device d's being seed + d */

    struct lab_lane lanes[LAB_RUN_DEVICES_MAX]; /* where each device transposes, begins and ends */
    struct lab_stream *copies[LAB_RUN_DEVICES_MAX][TRANSPOSE_STREAMS_MAX];
    struct lab_event *begun;                      /* the first device lets the others begin */
    struct lab_event *ready[LAB_RUN_DEVICES_MAX]; /* what is to be sent next has been transposed */
    struct lab_event *copied[LAB_RUN_DEVICES_MAX][TRANSPOSE_STREAMS_MAX];
    struct lab_event *ended[LAB_RUN_DEVICES_MAX];

    /* Of the shape that is laid out. A part has n rows of width words. What a device sends lies transposed in its
     * staging memory, block by block in the order of the steps. */
    struct transpose_shape shape;
    char refusal[LAB_DETAIL_MAX]; /* why the devices cannot do it; "" */
    void *parts[LAB_RUN_DEVICES_MAX], *staging[LAB_RUN_DEVICES_MAX], *results[LAB_RUN_DEVICES_MAX];
    struct lab_plan **squares[LAB_RUN_DEVICES_MAX]; /* in the order of the pieces, the block that stays at home last */

    enum transpose_variant variant; /* what the callbacks do */
};

/* Waits for all that is queued. After a failure a device may still be at work in the memory of another, which does
 * not wait for it when that memory is released. */
void transpose_setup_synchronize(struct transpose_setup *setup);

/* Makes streams and events. False with run->error set; to be closed all the same. */
bool transpose_setup_open(struct transpose_setup *setup, struct lab_run *run);
void transpose_setup_close(struct transpose_setup *setup);

/* Allocates and fills the parts and prepares the kernels, unless the shape is laid out already. Where a device has
 * no such kernel, `reason` says so, else it is "". False with run->error set. */
bool transpose_setup_prepare(struct transpose_setup *setup, const struct transpose_shape *shape,
                             char reason[LAB_DETAIL_MAX]);

static inline struct lab_device *transpose_device(const struct transpose_setup *setup, size_t device)
{
    return setup->lanes[device].device;
}

/* To whom device d sends in a step, from 1. */
static inline size_t transpose_target(const struct transpose_setup *setup, size_t device, size_t step)
{
    return (device + step) % setup->devices;
}

/* Squares of each piece, and of all that a device sends; behind them comes the one that stays. */
static inline size_t transpose_squares_sent(const struct transpose_setup *setup)
{
    return (setup->devices - 1) * setup->shape.chunks * setup->shape.chunks;
}

/* The piece `chunk` of what a device sends in a step, and where it belongs at the target. */
void *transpose_staged(const struct transpose_setup *setup, size_t device, size_t step, size_t chunk);
void *transpose_destination(const struct transpose_setup *setup, size_t target, size_t source, size_t chunk);

/* Passes `good` on; the error of a call on another device becomes that of the first. */
bool transpose_forward_error(const struct transpose_setup *setup, size_t device, bool good);

#endif
