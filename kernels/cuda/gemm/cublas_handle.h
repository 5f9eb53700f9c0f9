/* The cuBLAS of a device: the library's functions and a handle. Created at the first use, destroyed by
 * lab_cuda_cublas_release when the device is closed.
 */
#ifndef LAB_CUDA_CUBLAS_HANDLE_H
#define LAB_CUDA_CUBLAS_HANDLE_H

#include "../device.h"
#include "cublas_library.h"

struct cuda_cublas {
    struct cublas library;
    cublasHandle_t handle;
};

/* Creates the device's cublas if it does not exist. Returns false with the device's error set, with code "unsupported"
 * if cuBLAS is not installed. */
bool lab_cuda_cublas_init(struct lab_device *device);

/* The CUDA error that is most similar to a cuBLAS status; cudaSuccess for CUBLAS_STATUS_SUCCESS. */
cudaError_t lab_cuda_cublas_error(cublasStatus_t status);

#endif
