/* Declarations shared by the files of peer: peer.c (descriptor), points.c (points and plan), access.c (peer access),
 * setup.c (buffers, streams and events of all devices), job.c (copies of one point), report.c (metrics of one point),
 * run.c (the loop over all points).
 */
#ifndef LAB_PEER_H
#define LAB_PEER_H

#include "measure/run.h"

/* Values of the parameters with choices; each enum has the order of the parameter's choices. */
enum peer_engine {
    PEER_COPY_ENGINE,
    PEER_SM /* a copy kernel on the multiprocessors */
};
enum peer_operation {
    PEER_READ, /* the copy runs in a stream of the target device */
    PEER_WRITE /* the copy runs in a stream of the source device */
};
enum peer_pattern {
    PEER_PAIR,       /* one copy from one device to another */
    PEER_BOTH_WAYS,  /* both directions of a pair */
    PEER_ONE_TO_ALL, /* one device to all others */
    PEER_ALL_TO_ONE, /* all other devices to one */
    PEER_ALL_TO_ALL, /* every device to every other */
    PEER_HOST_UP,    /* the host to all devices */
    PEER_HOST_DOWN   /* all devices to the host */
};

/* Names of the values, which are the choices of the parameters; each array ends with NULL. */
extern const char *const peer_engines[], *const peer_operations[], *const peer_patterns[];

/* In place of the index of a device: stands for all devices. */
#define PEER_ALL SIZE_MAX

/* One point: copies of equal size that start together. */
struct peer_point {
    enum peer_pattern pattern;
    size_t bytes; /* of each copy */
    bool latency; /* the point measures the latency: `bytes` is then the parameter latency_bytes */
    enum peer_engine engine;
    enum peer_operation operation; /* unused by the host patterns */
    bool peer_access;              /* whether peer access is allowed; unused by the host patterns */
    /* Indices in the run's list of devices, or PEER_ALL. A host pattern with PEER_ALL measures the sum of all devices;
     * with one device, that device's bandwidth while all others copy too. */
    size_t source, target;
};

/* Whether the pattern is a host pattern: copies between devices and the host. */
static inline bool peer_with_host(const struct peer_point *point)
{
    return point->pattern == PEER_HOST_UP || point->pattern == PEER_HOST_DOWN;
}

/* Whether a single copy is measured, alone or while others run. Otherwise the sum of several copies is measured. */
static inline bool peer_is_single(const struct peer_point *point)
{
    return point->pattern == PEER_PAIR ||
           (peer_with_host(point) && (point->source != PEER_ALL || point->target != PEER_ALL));
}

/* The reason why the point cannot be measured on any devices; NULL if it can be measured. */
const char *peer_skip_reason(const struct peer_point *point);

/* Calls `visit` for each point in the order of measuring: all points between devices with the first value of
 * peer_access, then with the second, then the points with the host. Stops and returns false as soon as `visit` returns
 * false. */
bool peer_each_point(const struct lab_parameters *parameters, size_t devices,
                     bool (*visit)(void *context, const struct peer_point *point), void *context);

/* Bytes of a buffer that is large enough for every point of the request. */
size_t peer_buffer_bytes(const struct lab_parameters *parameters);

/* Number of destination buffers of each device: copies that arrive at the same time need one each. */
size_t peer_destination_count(const struct lab_parameters *parameters, size_t devices);

/* The plan and run of the descriptor (experiment.h). */
bool peer_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
               size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool peer_run(struct lab_run *run);

#endif
