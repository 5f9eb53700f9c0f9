/* What a device keeps of cuBLAS: the library's functions and a handle.
 */
#ifndef LAB_CUDA_CUBLAS_HANDLE_H
#define LAB_CUDA_CUBLAS_HANDLE_H

#include "../device.h"
#include "cublas_library.h"

struct cuda_cublas {
    struct cublas library;
    cublasHandle_t handle;
};

/* Sees to it that device->cublas is there. False with the device's error set, code "unsupported" where the machine has no
 * cuBLAS. */
bool lab_cuda_cublas_ready(struct lab_device *device);

/* The error of CUDA's that comes closest. */
cudaError_t lab_cuda_cublas_error(cublasStatus_t status);

#endif
