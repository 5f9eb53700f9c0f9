/* Enables and disables peer access, and copies between two devices by a copy engine. */
#include "device.h"
#include "entries.h"

static bool wait_for(struct lab_device *device)
{
    return lab_cuda_make_current(device) && lab_cuda_check(device, cudaDeviceSynchronize(), "waiting for the device");
}

/* Waits for both devices, because no work may be running on either of them while access changes. */
static bool wait_for_both(struct lab_device *device, struct lab_device *other)
{
    if (!wait_for(other)) {
        device->error = other->error;
        return false;
    }
    return wait_for(device);
}

static bool cuda_peer_allow(struct lab_device *device, struct lab_device *other)
{
    int possible = 0;
    if (!wait_for_both(device, other) ||
        !lab_cuda_check(
            device, cudaDeviceCanAccessPeer(&possible, cuda_device_of(device)->ordinal, cuda_device_of(other)->ordinal),
            "querying peer access"))
        return false;
    if (!possible)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s cannot access the memory of %s directly",
                             device->facts.id, other->facts.id);
    cudaError_t status = cudaDeviceEnablePeerAccess(cuda_device_of(other)->ordinal, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
        status = cudaGetLastError() == cudaErrorPeerAccessAlreadyEnabled ? cudaSuccess : status;
    return lab_cuda_check(device, status, "allowing peer access");
}

static bool cuda_peer_deny(struct lab_device *device, struct lab_device *other)
{
    if (!wait_for_both(device, other))
        return false;
    cudaError_t status = cudaDeviceDisablePeerAccess(cuda_device_of(other)->ordinal);
    if (status == cudaErrorPeerAccessNotEnabled)
        status = cudaGetLastError() == cudaErrorPeerAccessNotEnabled ? cudaSuccess : status;
    return lab_cuda_check(device, status, "denying peer access");
}

static bool cuda_peer_copy(const struct lab_lane *lane, struct lab_device *target, void *destination,
                           struct lab_device *source, const void *from, size_t bytes)
{
    return lab_cuda_make_current(lane->device) &&
           lab_cuda_check(lane->device,
                          cudaMemcpyPeerAsync(destination, cuda_device_of(target)->ordinal, from,
                                              cuda_device_of(source)->ordinal, bytes, cuda_stream_of(lane->stream)),
                          "copying between devices");
}

const struct lab_runtime_peer lab_cuda_peer = {
    .allow = cuda_peer_allow, .deny = cuda_peer_deny, .copy = cuda_peer_copy};
