/* peer, between its parts: peer.c says what it is, points.c what there is to measure, links.c switches peer access,
 * bench.c holds memory and streams, job.c does the copies of a point, run.c measures the points, report.c says what
 * came out.
 */
#ifndef LAB_PEER_H
#define LAB_PEER_H

#include "measure/run.h"

/* Values of the axes, in the order of the parameters' choices. */
enum peer_engine { PEER_COPY_ENGINE, PEER_SM };
enum peer_operation { PEER_READ, PEER_WRITE }; /* the stream is the target's; the source's */
enum peer_pattern {
    PEER_PAIR,
    PEER_BOTH_WAYS,
    PEER_ONE_TO_ALL,
    PEER_ALL_TO_ONE,
    PEER_ALL_TO_ALL,
    PEER_HOST_UP,
    PEER_HOST_DOWN
};

extern const char *const peer_engines[], *const peer_operations[], *const peer_patterns[];

/* In place of a device: all of them. */
#define PEER_ALL SIZE_MAX

/* One point: equal copies, released together. */
struct peer_point {
    enum peer_pattern pattern;
    size_t bytes; /* of each copy */
    bool latency; /* how long a copy takes that is too small to carry anything */
    enum peer_engine engine;
    enum peer_operation operation; /* not of the patterns with the host, and neither is the next */
    bool peer_access;              /* peer access */
    /* Places in the run's list of devices. A host pattern with all devices is their sum; with one it is that
     * device's own figure while all the others are copying too. */
    size_t source, target;
};

/* Between a device and the host, not between devices. */
static inline bool peer_with_host(const struct peer_point *point)
{
    return point->pattern == PEER_HOST_UP || point->pattern == PEER_HOST_DOWN;
}

/* A copy by itself or among others, not the sum of several. */
static inline bool peer_is_single(const struct peer_point *point)
{
    return point->pattern == PEER_PAIR ||
           (peer_with_host(point) && (point->source != PEER_ALL || point->target != PEER_ALL));
}

/* Why such a point cannot be, whatever the devices; NULL when it can. */
const char *peer_skip_reason(const struct peer_point *point);

/* The points in the order in which they are measured: all of one kind of peer access, then all of the other, the host's
 * last. `visit` returns false to stop; so does the whole then. */
bool peer_each_point(const struct lab_parameters *parameters, size_t devices,
                     bool (*visit)(void *context, const struct peer_point *point), void *context);

/* Bytes of a buffer that serves every point of the request, and how many a device has for what arrives. */
size_t peer_buffer_bytes(const struct lab_parameters *parameters);
size_t peer_destination_count(const struct lab_parameters *parameters, size_t devices);

bool peer_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
               size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool peer_run(struct lab_run *run);

#endif
