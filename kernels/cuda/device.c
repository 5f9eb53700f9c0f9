/* Opening and closing a device, and how CUDA's errors become the house's. */
#include "device.h"

#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

/* --- errors -------------------------------------------------------------------------------------------------- */

bool lab_cuda_describe(struct lab_error *error, const char *code, cudaError_t status, const char *doing)
{
    return lab_error_set(error, code, "", "%s: %s, while %s", cudaGetErrorName(status), cudaGetErrorString(status),
                         doing);
}

static const char *code_of(cudaError_t status)
{
    switch (status) {
    case cudaErrorMemoryAllocation:
        return "insufficient-memory";
    case cudaErrorNotSupported:
        return "unsupported";
    default:
        return "cuda-error";
    }
}

/* Errors of recording a graph, which its end clears. */
static bool of_capture(cudaError_t status)
{
    return status >= cudaErrorStreamCaptureUnsupported && status <= cudaErrorStreamCaptureWrongThread;
}

bool lab_cuda_good(struct lab_device *device, cudaError_t status, const char *doing)
{
    if (status == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    /* An error that is still there once cleared belongs to the context, and all that follows would fail with it. */
    cudaError_t lasting = cudaStreamQuery(cuda_device_of(device)->service);
    device->lost = device->lost || (lasting != cudaSuccess && lasting != cudaErrorNotReady && !of_capture(lasting));
    (void)cudaGetLastError();
    return lab_cuda_describe(&device->error, device->lost ? "device-lost" : code_of(status), status, doing);
}

bool lab_cuda_enter(struct lab_device *device)
{
    return lab_cuda_good(device, cudaSetDevice(cuda_device_of(device)->ordinal), "choosing the device");
}

/* --- life ---------------------------------------------------------------------------------------------------- */

static cudaError_t load_kernels(void)
{
    static cudaError_t (*const loads[])(void) = {lab_cuda_load_pattern, lab_cuda_load_copy, lab_cuda_load_wait,
                                                 lab_cuda_load_pipeline, lab_cuda_load_exchange};
    cudaError_t status = cudaSuccess;
    for (size_t i = 0; i < sizeof loads / sizeof *loads && status == cudaSuccess; i++)
        status = loads[i]();
    return status;
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

struct lab_device *lab_cuda_open(size_t ordinal, struct lab_error *error)
{
    const struct lab_device_facts *facts = lab_cuda_facts(ordinal);
    struct cuda_device *device = calloc(1, sizeof *device);
    if (facts == NULL || device == NULL) {
        free(device);
        lab_error_set(error, "no-device", "", "no CUDA device has the number %zu", ordinal);
        return NULL;
    }
    device->base.runtime = &lab_cuda_runtime;
    device->base.facts = *facts;
    device->ordinal = (int)ordinal;

    cudaError_t status;
    if ((status = cudaInitDevice(device->ordinal, 0, 0)) != cudaSuccess ||
        (status = cudaSetDevice(device->ordinal)) != cudaSuccess ||
        (status = cudaStreamCreateWithFlags(&device->service, cudaStreamNonBlocking)) != cudaSuccess ||
        (status = cudaHostAlloc((void **)&device->words, CUDA_WORDS * sizeof(uint64_t),
                                cudaHostAllocPortable | cudaHostAllocMapped)) != cudaSuccess ||
        (status = cudaHostGetDevicePointer((void **)&device->words_there, device->words, 0)) != cudaSuccess ||
        (status = load_kernels()) != cudaSuccess || (status = lab_cuda_warm_up(device)) != cudaSuccess) {
        lab_cuda_describe(error, code_of(status), status, "opening the device");
        lab_cuda_close(&device->base);
        return NULL;
    }
    return &device->base;
}

/* Whatever fails here, the context goes with the process. */
void lab_cuda_close(struct lab_device *base)
{
    if (base == NULL)
        return;
    struct cuda_device *device = cuda_device_of(base);
    lab_cuda_trace_abandon(device);
    if (cudaSetDevice(device->ordinal) == cudaSuccess) {
        lab_cuda_cublas_abandon(device);
        (void)cudaFree(device->scratch);
        if (device->words != NULL)
            (void)cudaFreeHost(device->words);
        if (device->service != NULL)
            (void)cudaStreamDestroy(device->service);
        (void)cudaDeviceReset();
    }
    (void)cudaGetLastError();
    free(device);
}
