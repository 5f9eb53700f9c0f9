/* Resources that all points of a run share: on each device a source buffer, destination buffers, streams and events.
 */
#ifndef LAB_PEER_SETUP_H
#define LAB_PEER_SETUP_H

#include "access.h"
#include "peer.h"

struct peer_setup {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    size_t count;                           /* number of devices */
    size_t buffer_bytes, destination_count; /* peer_buffer_bytes and peer_destination_count (peer.h) */
    struct peer_access access;
    void *sources[LAB_RUN_DEVICES_MAX]; /* source buffer of each device, filled once from its own seed */
    void *destinations[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX];
    void *host_buffers[LAB_RUN_DEVICES_MAX]; /* page-locked, one per device; NULL until a point needs them */
    /* [device][other]: the stream for copies with another device; [device][device]: the utility stream of the
     * device. */
    struct lab_stream *streams[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX];
    struct lab_event *marks[LAB_RUN_DEVICES_MAX]; /* by device: start or end of a repetition of the load (job.h) */
};

/* Creates streams and events, allocates the device buffers and fills the sources. Returns false with run->error set on
 * failure; call peer_setup_close in either case. */
bool peer_setup_open(struct peer_setup *setup, struct lab_run *run);

/* Releases everything and denies peer access. Returns false with run->error set if denying failed. */
bool peer_setup_close(struct peer_setup *setup);

/* Allocates the host buffers if not yet done. Returns false with run->error set on failure. */
bool peer_setup_allocate_host_buffers(struct peer_setup *setup);

/* The destination buffer on device `target` for copies from device `source`. */
void *peer_destination(const struct peer_setup *setup, size_t target, size_t source);

/* Seeds of the data that a device sends, and of the data that the host sends to a device. */
uint64_t peer_device_seed(const struct peer_setup *setup, size_t device);
uint64_t peer_host_seed(const struct peer_setup *setup, size_t device);

/* The device and its stream for work that is not measured: filling, poisoning, checking, signalling. */
static inline struct lab_lane peer_utility_lane(const struct peer_setup *setup, size_t device)
{
    return (struct lab_lane){setup->run->devices[device], setup->streams[device][device]};
}

#endif
