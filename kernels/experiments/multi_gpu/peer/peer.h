/* Declarations shared by the files of peer: peer.c (descriptor), points.c (axes and plan), links.c (peaks), run.c (how
 * a point is measured).
 */
#ifndef LAB_PEER_H
#define LAB_PEER_H

#include "descriptor/points.h"
#include "measure/run.h"

/* The axes: indices into struct lab_point.values. Points that lack a value:
 * - on PEER_ACCESS: the pattern is one with the host;
 * - on PEER_SOURCE or PEER_TARGET: all devices are sources or targets;
 * - a pattern with the host, on both: the sum of all devices is measured;
 * - a pattern with the host, on one of them: the bandwidth of the device on the other, while all devices copy. */
enum peer_axis {
    PEER_ACCESS,
    PEER_ENGINE,
    PEER_OPERATION,
    PEER_PATTERN,
    PEER_SCHEDULE,
    PEER_BYTES,
    PEER_OPPOSING,
    PEER_SOURCE,
    PEER_TARGET
};

/* Values of the axes with choices; each enum has the order of the parameter's choices. */
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

enum peer_schedule {
    PEER_TOGETHER, /* every copy has a stream of its own */
    PEER_STEPS     /* the copies of a device have one stream, in the order of the steps */
};

LAB_RUN(peer);

/* Whether the pattern is a host pattern: copies between devices and the host. */
static inline bool peer_with_host(const struct lab_point *point)
{
    return point->values[PEER_PATTERN] >= PEER_HOST_UP;
}

/* Whether a single copy is measured, alone or while others run. Otherwise the sum of several copies is measured. */
static inline bool peer_is_single(const struct lab_point *point)
{
    return point->values[PEER_PATTERN] == PEER_PAIR ||
           (peer_with_host(point) &&
            (point->values[PEER_SOURCE] != LAB_NO_VALUE || point->values[PEER_TARGET] != LAB_NO_VALUE));
}

/* Whether the latency is measured: the point is a pair with the size latency_bytes. It is also measured like the other
 * sizes if the parameter bytes contains that size (peer_is_sized). */
bool peer_is_latency(const struct lab_parameters *parameters, const struct lab_point *point);
bool peer_is_sized(const struct lab_parameters *parameters, const struct lab_point *point);

/* Whether two points differ in their pairs of devices alone, and have no device in common. */
bool peer_is_alike(const struct lab_point *one, const struct lab_point *other);

/* The reason why the point cannot be measured on any devices; NULL if it can be measured. */
const char *peer_skip_reason(const struct lab_point *point);

/* Bytes of a buffer that is large enough for every point of the request. */
size_t peer_buffer_bytes(const struct lab_parameters *parameters);

/* Number of destination buffers of each device: copies that arrive at the same time need one each. */
size_t peer_destination_count(const struct lab_parameters *parameters, size_t devices);

/* --- links.c ------------------------------------------------------------------------------------------------------ */

enum { PEER_LINKS_TEXT = 512 };

/* The peak of a copy between two devices, or of one in each direction: of their NVLinks, or of the slower of their PCIe
 * links; value 0 if that is not known. Writes its name to `what`. */
struct lab_peak peer_link_peak(const struct lab_device_facts *source, const struct lab_device_facts *target, bool both,
                               char what[64]);

/* Whether the devices of a point of a pair reach each other by NVLink, with peer access: nothing else uses these
 * links. */
bool peer_has_own_link(const struct lab_device_facts *const *devices, const struct lab_point *point);

/* The peak of copies between the host and all devices in one direction: of all their PCIe links, of which those of one
 * root port count once. */
struct lab_peak peer_host_links_peak(const struct lab_device_facts *const *devices, size_t count, char what[64]);

/* Says which devices share a root port, and on how many NUMA nodes they are: what can limit their copies with the
 * host. */
void peer_host_links_describe(const struct lab_device_facts *const *devices, size_t count, char text[PEER_LINKS_TEXT]);

#endif
