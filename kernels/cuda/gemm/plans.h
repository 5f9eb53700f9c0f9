/* The functions that gemm.c puts into the GEMM table, grouped by the file that defines them, and the checks that they
 * share. kernels/runtime/gemm.h describes the functions.
 */
#ifndef LAB_CUDA_GEMM_PLANS_H
#define LAB_CUDA_GEMM_PLANS_H

#include "../plan.h"

/* cublas.c, or no_cublas.c: makes the plan of a product by cuBLAS. The caller has checked `gemm`. */
struct lab_plan *lab_cuda_gemm_prepare_cublas(struct lab_device *device, const struct lab_gemm *gemm);

/* cublaslt.c: the same for fp8. */
struct lab_plan *lab_cuda_gemm_prepare_cublaslt(struct lab_device *device, const struct lab_gemm *gemm);

/* inputs.c */
struct lab_plan *lab_cuda_gemm_prepare_fill(struct lab_device *device, const struct lab_gemm_fill *fill);
struct lab_plan *lab_cuda_gemm_prepare_expected(struct lab_device *device, const struct lab_gemm_expected *expected);
struct lab_plan *lab_cuda_gemm_prepare_compare(struct lab_device *device, const struct lab_gemm_compare *compare);
struct lab_plan *lab_cuda_gemm_prepare_sample(struct lab_device *device, const struct lab_gemm_sample *sample);

/* inputs.c: check arguments. Return false with the device's error set, with code "invalid-argument". */
bool lab_cuda_gemm_check_sizes(struct lab_device *device, size_t m, size_t n, size_t k);
bool lab_cuda_gemm_check_address(struct lab_device *device, const void *address);
bool lab_cuda_gemm_check_product(struct lab_device *device, const struct lab_gemm *gemm);
bool lab_cuda_gemm_check_type(struct lab_device *device, enum lab_gemm_type type);

/* ceiling.c */
struct lab_plan *lab_cuda_gemm_prepare_ceiling(struct lab_device *device, struct lab_gemm_ceiling *ceiling);

#endif
