/* The kernel for bf16. */
#include "instances.cuh"

const struct wgmma_instance *lab_cuda_wgmma_bf16(enum lab_gemm_layout layout, enum wgmma_shape shape)
{
    return layout == LAB_GEMM_TN ? instance<__nv_bfloat16, __nv_bfloat16, LAB_GEMM_TN>(shape)
                                 : instance<__nv_bfloat16, __nv_bfloat16, LAB_GEMM_NN>(shape);
}
