/* The kernel for tf32. */
#include "instances.cuh"

const struct wgmma_instance *lab_cuda_wgmma_tf32(enum lab_gemm_layout layout, enum wgmma_shape shape)
{
    return layout == LAB_GEMM_TN ? instance<float, float, LAB_GEMM_TN>(shape)
                                 : instance<float, float, LAB_GEMM_NN>(shape);
}
