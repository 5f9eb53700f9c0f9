/* A device's handle of cuBLAS: made when first asked for, ended when the device is closed.
 */
#include "cublas_handle.h"

#include <stdlib.h>

cudaError_t lab_cuda_cublas_error(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return cudaSuccess;
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return cudaErrorInitializationError;
    case CUBLAS_STATUS_ALLOC_FAILED:
        return cudaErrorMemoryAllocation;
    case CUBLAS_STATUS_INVALID_VALUE:
        return cudaErrorInvalidValue;
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return cudaErrorNotSupported;
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return cudaErrorLaunchFailure;
    default:
        return cudaErrorUnknown;
    }
}

/* No sums in less than fp32 where a product is split along k: whole numbers come out exact. Nothing else differs from how
 * cuBLAS is by itself; fp32 is fp32, and not TF32. */
static bool make_handle(struct lab_device *device, struct cuda_cublas *cublas)
{
    enum { MODE = CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION };
    cublasStatus_t status = cublas->library.create(&cublas->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->library.set_math_mode(cublas->handle, (cublasMath_t)MODE);
    if (status == CUBLAS_STATUS_SUCCESS)
        return true;
    lab_cuda_good(device, lab_cuda_cublas_error(status), "starting cuBLAS"); /* finds out whether the device is lost */
    return lab_error_set(&device->error, device->error.code, "", "cuBLAS does not start on this device: %s",
                         cublas->library.status_name(status));
}

static void release(struct cuda_cublas *cublas)
{
    if (cublas != NULL && cublas->handle != NULL)
        (void)cublas->library.destroy(cublas->handle);
    free(cublas);
}

bool lab_cuda_cublas_ready(struct lab_device *device)
{
    struct cuda_device *cuda = cuda_device_of(device);
    char why[LAB_DETAIL_MAX / 2];
    if (cuda->cublas != NULL)
        return true;
    struct cuda_cublas *cublas = calloc(1, sizeof *cublas);
    bool good = false;
    if (cublas == NULL)
        lab_error_set(&device->error, "out-of-memory", "", "no memory for a handle of cuBLAS");
    else if (!lab_cuda_cublas_open(&cublas->library, why, sizeof why))
        lab_error_set(&device->error, "unsupported", "", "cuBLAS is not on this machine: %s", why);
    else
        good = make_handle(device, cublas);
    if (!good) {
        release(cublas);
        return false;
    }
    cuda->cublas = cublas;
    return true;
}

void lab_cuda_cublas_abandon(struct cuda_device *device)
{
    release(device->cublas);
    device->cublas = NULL;
}
