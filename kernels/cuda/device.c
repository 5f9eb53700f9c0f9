#include "device.h"

#include <cuda.h>
#include <stdio.h>
#include <string.h>

bool lab_cuda_set_error(struct lab_error *error, enum lab_error_code code, cudaError_t status, const char *doing)
{
    return lab_error_set(error, code, "", "%s: %s, while %s", cudaGetErrorName(status), cudaGetErrorString(status),
                         doing);
}

enum lab_error_code lab_cuda_error_code(cudaError_t status)
{
    switch (status) {
    case cudaErrorMemoryAllocation:
        return LAB_ERROR_INSUFFICIENT_MEMORY;
    case cudaErrorNotSupported:
        return LAB_ERROR_UNSUPPORTED;
    default:
        return LAB_ERROR_CUDA_ERROR;
    }
}

/* Whether the status is an error of a graph capture. Ending the capture clears such errors, so the device is not
 * lost. */
static bool is_capture_error(cudaError_t status)
{
    return status >= cudaErrorStreamCaptureUnsupported && status <= cudaErrorStreamCaptureWrongThread;
}

bool lab_cuda_check(struct lab_device *device, cudaError_t status, const char *doing)
{
    if (status == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    /* An error that remains after it was cleared belongs to the context: every later call would fail with it. */
    cudaError_t remaining = cudaStreamQuery(cuda_device_of(device)->service);
    device->lost =
        device->lost || (remaining != cudaSuccess && remaining != cudaErrorNotReady && !is_capture_error(remaining));
    (void)cudaGetLastError();
    return lab_cuda_set_error(&device->error, device->lost ? LAB_ERROR_DEVICE_LOST : lab_cuda_error_code(status),
                              status, doing);
}

bool lab_cuda_make_current(struct lab_device *device)
{
    return lab_cuda_check(device, cudaSetDevice(cuda_device_of(device)->ordinal), "making the device current");
}

int lab_cuda_compute_capability(const struct lab_device *device)
{
    int major = 0, minor = 0;
    return sscanf(device->facts.compute_capability, "%d.%d", &major, &minor) == 2 ? major * 10 + minor : 0;
}

cudaError_t lab_cuda_warm_up(struct cuda_device *device)
{
    void *target;
    cudaError_t status = cudaMalloc(&target, sizeof(uint64_t));
    if (status != cudaSuccess)
        return status;
    if ((status = cudaMemsetAsync(target, 0, sizeof(uint64_t), device->service)) == cudaSuccess &&
        (status = cudaMemcpyAsync(device->words, target, sizeof(uint64_t), cudaMemcpyDeviceToHost, device->service)) ==
            cudaSuccess &&
        (status = cudaMemcpyAsync(target, device->words, sizeof(uint64_t), cudaMemcpyHostToDevice, device->service)) ==
            cudaSuccess)
        status = cudaStreamSynchronize(device->service);
    (void)cudaFree(target);
    return status;
}

struct CUctx_st *lab_cuda_current_context(void)
{
    CUresult (*current)(CUcontext * context) = NULL;
    CUcontext context = NULL;
    enum cudaDriverEntryPointQueryResult found;
    void *entry = NULL;
#if CUDART_VERSION >= 12050
    cudaError_t status = cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found);
#else
    cudaError_t status = cudaGetDriverEntryPoint("cuCtxGetCurrent", &entry, cudaEnableDefault, &found);
#endif
    if (status != cudaSuccess || found != cudaDriverEntryPointSuccess)
        return NULL;
    /* memcpy, because ISO C does not convert object pointers to function pointers. */
    memcpy(&current, &entry, sizeof current);
    return current(&context) == CUDA_SUCCESS ? context : NULL;
}
