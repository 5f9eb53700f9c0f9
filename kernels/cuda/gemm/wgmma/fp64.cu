/* The kernel for fp64. */
#include "instances.cuh"

const struct wgmma_instance *lab_cuda_wgmma_fp64(enum lab_gemm_layout layout, enum wgmma_shape shape)
{
    return layout == LAB_GEMM_TN ? instance<double, double, LAB_GEMM_TN>(shape)
                                 : instance<double, double, LAB_GEMM_NN>(shape);
}
