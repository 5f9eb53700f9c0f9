/* An opened device; functions that make it current and convert CUDA's status to struct lab_error.
 */
#ifndef LAB_CUDA_DEVICE_H
#define LAB_CUDA_DEVICE_H

#include "runtime/runtime.h"

#include <cuda_runtime_api.h>

struct cuda_device {
    struct lab_device base;
    int ordinal;
    cudaStream_t service;   /* stream for the runtime's own short work; experiments do not use it */
    uint64_t *words;        /* CUDA_WORDS page-locked words for results of the runtime's own kernels; host address */
    uint64_t *device_words; /* the same words; device address */
    void *scratch;          /* device memory that LAB_OPERATION_FLUSH writes to; allocated at its first use */
    size_t scratch_bytes;
    struct cuda_cublas *cublas;     /* the device's cuBLAS handle; created at its first use */
    struct cuda_profiler *profiler; /* its hardware counters (counters/profiler.h); prepared at their first use */
};

enum { CUDA_WORDS = 8 };

static inline struct cuda_device *cuda_device_of(struct lab_device *device)
{
    return (struct cuda_device *)device;
}

/* struct lab_stream and struct lab_event are never defined: a pointer to one of them is a CUDA handle, converted. */
static inline cudaStream_t cuda_stream_of(struct lab_stream *stream)
{
    return (cudaStream_t)stream;
}

static inline cudaEvent_t cuda_event_of(struct lab_event *event)
{
    return (cudaEvent_t)event;
}

/* Returns true if `status` is cudaSuccess. Otherwise sets device->error from the name and text of `status` and from
 * `doing`, the activity that failed ("copying"), clears CUDA's error, and sets device->lost if it cannot be cleared. */
bool lab_cuda_check(struct lab_device *device, cudaError_t status, const char *doing);

/* Sets *error: "cudaErrorNoDevice: no CUDA-capable device is detected, while `doing`". Always returns false. */
bool lab_cuda_set_error(struct lab_error *error, enum lab_error_code code, cudaError_t status, const char *doing);

/* The error code for a status: LAB_ERROR_INSUFFICIENT_MEMORY, LAB_ERROR_UNSUPPORTED or LAB_ERROR_CUDA_ERROR. */
enum lab_error_code lab_cuda_error_code(cudaError_t status);

/* Makes the device current for the calling thread. Must be called before every CUDA call that allocates, creates or
 * launches. Returns false with device->error set. */
bool lab_cuda_make_current(struct lab_device *device);

/* The calling thread's context, a CUcontext; NULL if it cannot be found. Only the driver API can return it, which is
 * loaded when a device is open. */
struct CUctx_st *lab_cuda_current_context(void);

/* The compute capability as major * 10 + minor; 0 if unknown. */
int lab_cuda_compute_capability(const struct lab_device *device);

/* Executes a memset and a copy in each direction on the service stream and waits for them, because CUDA initialises
 * parts of itself at their first use. */
cudaError_t lab_cuda_warm_up(struct cuda_device *device);

#endif
