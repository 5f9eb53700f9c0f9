/* What all points of peer share: on each device a source, room for what arrives, and streams.
 */
#ifndef LAB_PEER_BENCH_H
#define LAB_PEER_BENCH_H

#include "links.h"
#include "peer.h"

struct peer_bench {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    size_t count; /* devices */
    size_t extent, slots;
    struct peer_links links;
    void *sources[LAB_RUN_DEVICES_MAX]; /* filled once, each with its own seed */
    void *arrivals[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX];
    void *hosts[LAB_RUN_DEVICES_MAX]; /* page-locked, one for each device; NULL until a point needs them */
    /* Of each device: one for what it does with each other device, and at its own place one for all else. */
    struct lab_stream *streams[LAB_RUN_DEVICES_MAX][LAB_RUN_DEVICES_MAX];
    struct lab_event *forks[LAB_RUN_DEVICES_MAX], *joins[LAB_RUN_DEVICES_MAX];
};

/* False with run->error set; to be closed all the same. */
bool peer_bench_open(struct peer_bench *bench, struct lab_run *run);
/* Denies peer access too. False with run->error set where that failed; all is released either way. */
bool peer_bench_close(struct peer_bench *bench);

/* Waits for all that is queued. After a failure a device may still be at work in the memory of another, which does
 * not wait for it when that memory is released. */
void peer_bench_settle(struct peer_bench *bench);

/* Makes the host's buffers, unless they are there. False with run->error set. */
bool peer_bench_use_hosts(struct peer_bench *bench);

/* Where on `target` bytes from `source` arrive. */
void *peer_arrival(const struct peer_bench *bench, size_t target, size_t source);

/* Seeds of what a device sends, and of what the host sends it. */
uint64_t peer_device_seed(const struct peer_bench *bench, size_t device);
uint64_t peer_host_seed(const struct peer_bench *bench, size_t device);

/* The stream for all that is not measured. */
static inline struct lab_stream *peer_service(const struct peer_bench *bench, size_t device)
{
    return bench->streams[device][device];
}

#endif
