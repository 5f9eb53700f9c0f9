/* Checks of the arguments of GEMM plans. Each returns false with the device's error set.
 */
#ifndef LAB_HOST_GEMM_CHECK_H
#define LAB_HOST_GEMM_CHECK_H

#include "runtime/gemm.h"
#include "runtime/runtime.h"

/* fp32 and fp64 only, code "unsupported". */
bool lab_host_gemm_check_type(struct lab_device *device, enum lab_gemm_type type);

/* 1 to 65536 rows or columns, code "invalid-argument". */
bool lab_host_gemm_check_size(struct lab_device *device, size_t size);

/* 256-byte aligned, and within the memory that the device can address; code "invalid-argument". */
bool lab_host_gemm_check_memory(struct lab_device *device, const void *start, size_t bytes);

#endif
