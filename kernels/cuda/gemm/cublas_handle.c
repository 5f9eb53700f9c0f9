/* Creates and destroys a device's cuBLAS handle. */
#include "cublas_handle.h"

#include "../entries.h"

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

/* Creates the handle. Its math mode is cuBLAS's default, in which fp32 is computed as fp32 and not as TF32, but forbids
 * sums of less precision than fp32 where a product is split along k, so that products of integers are exact. */
static bool create_handle(struct lab_device *device, struct cuda_cublas *cublas)
{
    enum { MODE = CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION };
    cublasStatus_t status = cublas->library.create(&cublas->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->library.set_math_mode(cublas->handle, (cublasMath_t)MODE);
    if (status == CUBLAS_STATUS_SUCCESS)
        return true;
    lab_cuda_check(device, lab_cuda_cublas_error(status), "starting cuBLAS"); /* marks a lost device */
    return lab_error_set(&device->error, device->error.code, "", "cannot create a cuBLAS handle on this device: %s",
                         cublas->library.status_name(status));
}

static void release(struct cuda_cublas *cublas)
{
    if (cublas != NULL && cublas->handle != NULL)
        (void)cublas->library.destroy(cublas->handle);
    free(cublas);
}

bool lab_cuda_cublas_init(struct lab_device *device)
{
    struct cuda_device *cuda = cuda_device_of(device);
    char why[LAB_DETAIL_MAX / 2];
    if (cuda->cublas != NULL)
        return true;
    struct cuda_cublas *cublas = calloc(1, sizeof *cublas);
    bool ok = false;
    if (cublas == NULL)
        lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a cuBLAS handle");
    else if (!lab_cuda_cublas_open(&cublas->library, why, sizeof why))
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "cuBLAS is not installed: %s", why);
    else
        ok = create_handle(device, cublas);
    if (!ok) {
        release(cublas);
        return false;
    }
    cuda->cublas = cublas;
    return true;
}

void lab_cuda_cublas_release(struct cuda_device *device)
{
    release(device->cublas);
    device->cublas = NULL;
}
