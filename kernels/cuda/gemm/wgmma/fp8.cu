/* The kernel for fp8, for which wgmma reads B only along k. */
#include "instances.cuh"

const struct wgmma_instance *lab_cuda_wgmma_fp8(enum lab_gemm_layout layout, enum wgmma_shape shape)
{
    return layout == LAB_GEMM_TN ? instance<__nv_fp8_e4m3, __nv_bfloat16, LAB_GEMM_TN>(shape) : nullptr;
}
