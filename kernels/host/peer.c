/* Peer access. All devices share the same RAM, so peer copies are the same with and without peer access. Access only
 * determines whether a device's operations may address the memory of another device. */
#include "copy.h"
#include "entries.h"

static bool set_access(struct lab_device *device, struct lab_device *other, bool allowed)
{
    struct host_device *host = lab_host_device(device);
    uint32_t bit = UINT32_C(1) << other->facts.ordinal;
    if (!lab_host_alive(device))
        return false;
    if (device == other)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "a device is not a peer of itself");
    lab_host_drain(host);
    lab_host_drain(lab_host_device(other));
    host->peer_access = allowed ? host->peer_access | bit : host->peer_access & ~bit;
    return true;
}

static bool host_peer_allow(struct lab_device *device, struct lab_device *other)
{
    return set_access(device, other, true);
}

static bool host_peer_deny(struct lab_device *device, struct lab_device *other)
{
    return set_access(device, other, false);
}

static bool host_peer_copy(const struct lab_lane *lane, struct lab_device *target, void *destination,
                           struct lab_device *source, const void *from, size_t bytes)
{
    /* struct lab_region has no const form; the source is never written. */
    return lab_host_copy_between(lane, target, lab_region_of(destination, bytes), source,
                                 lab_region_of((void *)(uintptr_t)from, bytes));
}

const struct lab_runtime_peer lab_host_peer = {
    .allow = host_peer_allow, .deny = host_peer_deny, .copy = host_peer_copy};
