/* Fourier transforms by cuFFT as plans. */
#include "cufft_library.h"
#include "entries.h"
#include "plan.h"

// region transform
struct fft_plan {
    struct lab_plan base;
    struct cufft cufft;
    cufftHandle handle;
    bool created; /* `handle` must be destroyed */
    struct lab_fft fft;
};

static cufftResult transform(const struct fft_plan *plan)
{
    const struct lab_fft *fft = &plan->fft;
    void *input = (void *)(uintptr_t)fft->input;
    int direction = fft->inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    if (fft->real)
        return fft->fp64 ? plan->cufft.transform_real_fp64(plan->handle, input, fft->output)
                         : plan->cufft.transform_real(plan->handle, input, fft->output);
    return fft->fp64 ? plan->cufft.transform_complex_fp64(plan->handle, input, fft->output, direction)
                     : plan->cufft.transform_complex(plan->handle, input, fft->output, direction);
}
// end

static cudaError_t error_of(cufftResult result)
{
    switch (result) {
    case CUFFT_SUCCESS:
        return cudaSuccess;
    case CUFFT_ALLOC_FAILED:
        return cudaErrorMemoryAllocation;
    case CUFFT_INVALID_VALUE:
    case CUFFT_INVALID_SIZE:
        return cudaErrorInvalidValue;
    case CUFFT_EXEC_FAILED:
        return cudaErrorLaunchFailure;
    default:
        return cudaErrorUnknown;
    }
}

static cudaError_t launch(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    const struct fft_plan *plan = (const struct fft_plan *)base;
    (void)device;
    cufftResult result = plan->cufft.set_stream(plan->handle, stream);
    return error_of(result == CUFFT_SUCCESS ? transform(plan) : result);
}

static void discard(struct lab_device *device, struct lab_plan *base)
{
    struct fft_plan *plan = (struct fft_plan *)base;
    if (plan->created && lab_cuda_make_current(device))
        (void)plan->cufft.destroy(plan->handle);
}

static const struct cuda_operation fft_operation = {
    .doing = "transforming by cuFFT", .launch = launch, .discard = discard};

static cufftType type_of(const struct lab_fft *fft)
{
    return fft->real ? fft->fp64 ? CUFFT_D2Z : CUFFT_R2C : fft->fp64 ? CUFFT_Z2Z : CUFFT_C2C;
}

/* Makes cuFFT's plan, which allocates the memory that its kernels need besides the arrays. */
static bool make_plan(struct lab_device *device, struct fft_plan *plan)
{
    const struct lab_fft *fft = &plan->fft;
    long long n[LAB_FFT_DIMENSIONS_MAX] = {(long long)fft->n, (long long)fft->n};
    size_t work_bytes;
    char why[LAB_DETAIL_MAX / 2];
    if (!lab_cuda_cufft_open(&plan->cufft, why, sizeof why))
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "cuFFT is not installed: %s", why);
    cufftResult result = plan->cufft.create(&plan->handle);
    plan->created = result == CUFFT_SUCCESS;
    if (plan->created)
        result = plan->cufft.make_plan(plan->handle, (int)fft->dimensions, n, NULL, 1, 0, NULL, 1, 0, type_of(fft),
                                       (long long)fft->batch, &work_bytes);
    return lab_cuda_check(device, error_of(result), "planning a transform by cuFFT");
}

static struct lab_plan *prepare(struct lab_device *device, const struct lab_fft *fft)
{
    struct fft_plan *plan =
        lab_cuda_make_current(device) ? lab_cuda_plan_create(device, sizeof *plan, &fft_operation) : NULL;
    if (plan == NULL)
        return NULL;
    plan->fft = *fft;
    if (make_plan(device, plan))
        return lab_cuda_plan_preload(device, &plan->base);
    lab_cuda_plan_free(device, &plan->base);
    return NULL;
}

const struct lab_runtime_fft lab_cuda_fft = {.prepare = prepare};
