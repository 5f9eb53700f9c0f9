/* Between ceiling.cu and ceiling_wgmma.cu, which is compiled for sm_90a alone and left out where nvcc does not know it.
 */
#ifndef LAB_CUDA_GEMM_CEILING_H
#define LAB_CUDA_GEMM_CEILING_H

#include "gemm.h"

/* Hopper's tensor cores, for TF32, BF16 and FP16: as lab_cuda_launch_gemm_ceiling. */
cudaError_t lab_cuda_launch_gemm_ceiling_wgmma(cudaStream_t stream, enum lab_gemm_type type, int multiprocessors,
                                               uint32_t rounds, float *sink, double *operations);

#endif
