/* Replaces cublas.c and cublas_handle.c in a build without cuBLAS's headers. */
#include "../entries.h"
#include "plans.h"

void lab_cuda_cublas_release(struct cuda_device *device)
{
    (void)device;
}

struct lab_plan *lab_cuda_gemm_prepare_cublas(struct lab_device *device, const struct lab_gemm *gemm)
{
    (void)gemm;
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "this program was built without cuBLAS");
    return NULL;
}
