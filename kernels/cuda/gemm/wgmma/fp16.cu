/* The kernel for fp16. */
#include "instances.cuh"

const struct wgmma_instance *lab_cuda_wgmma_fp16(enum lab_gemm_layout layout, enum wgmma_shape shape)
{
    return layout == LAB_GEMM_TN ? instance<__half, __half, LAB_GEMM_TN>(shape)
                                 : instance<__half, __half, LAB_GEMM_NN>(shape);
}
