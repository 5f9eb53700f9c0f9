/* The ceiling kernel in wgmma/ceiling.cu, which is compiled only for sm_90a, and not at all if nvcc does not support
 * sm_90a.
 */
#ifndef LAB_CUDA_GEMM_CEILING_H
#define LAB_CUDA_GEMM_CEILING_H

#include "gemm.h"

/* Like lab_cuda_launch_gemm_ceiling (gemm.h), on Hopper's tensor cores, for TF32, BF16, FP16 and FP8. */
cudaError_t lab_cuda_launch_gemm_ceiling_wgmma(cudaStream_t stream, enum lab_gemm_type type, int multiprocessors,
                                               uint32_t rounds, float *sink, double *operations);

#endif
