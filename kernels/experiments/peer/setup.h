/* What all points of peer share: on each device a source, room for what arrives, and streams.
 */
#ifndef LAB_PEER_SETUP_H
#define LAB_PEER_SETUP_H

#include "access.h"
#include "peer.h"

struct peer_setup {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    size_t count; /* devices */
    size_t buffer_bytes, destination_count;
    struct peer_access access;
    void *sources[LAB_RUN_DEVICES_MAX]; /* filled once, each with its own seed */
    void *destinations[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX];
    void *host_buffers[LAB_RUN_DEVICES_MAX]; /* page-locked, one for each device; NULL until a point needs them */
    /* Of each device: one for what it does with each other device, and at its own place one for all else. */
    struct lab_stream *streams[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX];
    struct lab_event *forks[LAB_RUN_DEVICES_MAX], *joins[LAB_RUN_DEVICES_MAX];
};

/* False with run->error set; to be closed all the same. */
bool peer_setup_open(struct peer_setup *setup, struct lab_run *run);
/* Denies peer access too. False with run->error set where that failed; all is released either way. */
bool peer_setup_close(struct peer_setup *setup);

/* Waits for all that is queued. After a failure a device may still be at work in the memory of another, which does
 * not wait for it when that memory is released. */
void peer_setup_synchronize(struct peer_setup *setup);

/* Makes the host's buffers, unless they are there. False with run->error set. */
bool peer_setup_allocate_host_buffers(struct peer_setup *setup);

/* Where on `target` bytes from `source` arrive. */
void *peer_destination(const struct peer_setup *setup, size_t target, size_t source);

/* Seeds of what a device sends, and of what the host sends it. */
uint64_t peer_device_seed(const struct peer_setup *setup, size_t device);
uint64_t peer_host_seed(const struct peer_setup *setup, size_t device);

/* The stream for all that is not measured. */
static inline struct lab_stream *peer_utility_stream(const struct peer_setup *setup, size_t device)
{
    return setup->streams[device][device];
}

#endif
