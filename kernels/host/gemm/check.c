/* Checks of the arguments of GEMM plans. */
#include "check.h"

#include "../memory.h"

bool lab_host_gemm_check_type(struct lab_device *device, enum lab_gemm_type type)
{
    return type == LAB_GEMM_FP32 || type == LAB_GEMM_FP64 ||
           lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                         "the host runtime multiplies fp32 and fp64 only, not tf32, bf16, fp16 or fp8");
}

bool lab_host_gemm_check_size(struct lab_device *device, size_t size)
{
    enum { SIZE_LIMIT = 65536 };
    return (size >= 1 && size <= SIZE_LIMIT) || lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                                                              "a matrix must have 1 to 65536 rows and columns");
}

bool lab_host_gemm_check_memory(struct lab_device *device, const void *start, size_t bytes)
{
    enum { ALIGNMENT = 256 };
    const struct lab_region region = lab_region_of((void *)start, bytes);
    if ((uintptr_t)start % ALIGNMENT != 0)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "the address of a matrix must be a multiple of 256 bytes");
    return lab_host_in_device_memory(lab_host_device(device), &region, true) ||
           lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                         "the matrix is outside the memory that the device can address");
}

bool lab_host_gemm_check_product(struct lab_device *device, const struct lab_gemm *gemm)
{
    size_t bytes = lab_gemm_element_bytes(gemm->type);
    if ((size_t)gemm->layout >= LAB_GEMM_LAYOUTS)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                             "host devices support only the layouts nn and tn");
    return lab_host_gemm_check_type(device, gemm->type) && lab_host_gemm_check_size(device, gemm->m) &&
           lab_host_gemm_check_size(device, gemm->n) && lab_host_gemm_check_size(device, gemm->k) &&
           lab_host_gemm_check_memory(device, gemm->a, gemm->m * gemm->k * bytes) &&
           lab_host_gemm_check_memory(device, gemm->b, gemm->k * gemm->n * bytes) &&
           lab_host_gemm_check_memory(device, gemm->c, gemm->m * gemm->n * bytes);
}
