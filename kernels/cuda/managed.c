/* Where the pages of managed memory are. */
#include "device.h"
#include "entries.h"

/* A place as the functions of the runtime library take it, which is a structure since CUDA 13. */
#if CUDART_VERSION >= 13000
typedef struct cudaMemLocation place;

static place place_of(const struct lab_device *device, bool host)
{
    return host ? (place){.type = cudaMemLocationTypeHost}
                : (place){.type = cudaMemLocationTypeDevice, .id = (int)device->facts.ordinal};
}

static cudaError_t prefetch_to(struct lab_region region, place to, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(region.address, region.width * region.height, to, 0, stream);
}
#else
typedef int place;

static place place_of(const struct lab_device *device, bool host)
{
    return host ? cudaCpuDeviceId : (int)device->facts.ordinal;
}

static cudaError_t prefetch_to(struct lab_region region, place to, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(region.address, region.width * region.height, to, stream);
}
#endif

static bool prefetch(struct lab_device *device, struct lab_stream *stream, struct lab_region region, bool to_host)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, prefetch_to(region, place_of(device, to_host), cuda_stream_of(stream)),
                          "moving pages of managed memory");
}

static bool give(struct lab_device *device, struct lab_region region, enum cudaMemoryAdvise advice, bool of_host)
{
    return lab_cuda_check(
        device, cudaMemAdvise(region.address, region.width * region.height, advice, place_of(device, of_host)),
        "giving advice on managed memory");
}

static bool advise(struct lab_device *device, struct lab_region region, enum lab_advice advice)
{
    if (!lab_cuda_make_current(device))
        return false;
    switch (advice) {
    case LAB_ADVICE_READ_MOSTLY:
        return give(device, region, cudaMemAdviseSetReadMostly, false);
    case LAB_ADVICE_STAY_ON_HOST:
        return give(device, region, cudaMemAdviseSetPreferredLocation, true) &&
               give(device, region, cudaMemAdviseSetAccessedBy, false);
    case LAB_ADVICE_NONE:
        break;
    }
    return true;
}

const struct lab_runtime_managed lab_cuda_managed = {.prefetch = prefetch, .advise = advise};
