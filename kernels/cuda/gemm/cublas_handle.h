/* The device's cuBLAS: the library's functions and a handle. Created at the first use, destroyed when the device is
 * closed (lab_cuda_cublas_release).
 */
#ifndef LAB_CUDA_CUBLAS_HANDLE_H
#define LAB_CUDA_CUBLAS_HANDLE_H

#include "../device.h"
#include "cublas_library.h"

struct cuda_cublas {
    struct cublas library;
    cublasHandle_t handle;
};

/* Creates device->cublas if it does not exist. False with the device's error set, code "unsupported" if cuBLAS is not
 * installed. */
bool lab_cuda_cublas_init(struct lab_device *device);

/* The most similar CUDA error. */
cudaError_t lab_cuda_cublas_error(cublasStatus_t status);

#endif
