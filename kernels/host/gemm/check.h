/* Checks of the arguments of GEMM plans. Each returns false with the device's error set.
 */
#ifndef LAB_HOST_GEMM_CHECK_H
#define LAB_HOST_GEMM_CHECK_H

#include "runtime/gemm.h"
#include "runtime/runtime.h"

/* Accepts fp32 and fp64; the error has code "unsupported". */
bool lab_host_gemm_check_type(struct lab_device *device, enum lab_gemm_type type);

/* Accepts 1 to 65536 rows or columns; the error has code "invalid-argument". */
bool lab_host_gemm_check_size(struct lab_device *device, size_t size);

/* Accepts products whose layout, type, sizes and memory are valid. */
bool lab_host_gemm_check_product(struct lab_device *device, const struct lab_gemm *gemm);

/* Accepts memory that is aligned to 256 bytes and that the device can address; the error has code
 * "invalid-argument". */
bool lab_host_gemm_check_memory(struct lab_device *device, const void *start, size_t bytes);

#endif
