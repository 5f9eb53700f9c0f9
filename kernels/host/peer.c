/* Devices that reach each other's memory: it is the same memory, so that a copy needs no detour, whether access is allowed or
 * not. What access decides is whether a device's operations may address what belongs to another. */
#include "internal.h"

static bool set_reach(struct lab_device *device, struct lab_device *other, bool allowed)
{
    struct host_device *host = lab_host_device(device);
    uint32_t bit = UINT32_C(1) << other->facts.ordinal;
    if (!lab_host_alive(device))
        return false;
    if (device == other)
        return lab_error_set(&device->error, "invalid-argument", "", "a device is no peer of itself");
    lab_host_drain(host);
    lab_host_drain(lab_host_device(other));
    host->reaches = allowed ? host->reaches | bit : host->reaches & ~bit;
    return true;
}

static bool allow(struct lab_device *device, struct lab_device *other)
{
    return set_reach(device, other, true);
}

static bool deny(struct lab_device *device, struct lab_device *other)
{
    return set_reach(device, other, false);
}

static bool copy(const struct lab_lane *lane, struct lab_device *target, void *destination, struct lab_device *source,
                 const void *from, size_t bytes)
{
    /* The region type has no read-only form; a source is never written. */
    return lab_host_copy_between(lane, target, lab_region_of(destination, bytes), source,
                                 lab_region_of((void *)(uintptr_t)from, bytes));
}

const struct lab_runtime_peer lab_host_peer = {.allow = allow, .deny = deny, .copy = copy};
