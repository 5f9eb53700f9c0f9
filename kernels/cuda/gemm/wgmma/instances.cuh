/* Instances of the kernel for all shapes. */
#ifndef LAB_CUDA_GEMM_WGMMA_INSTANCES_CUH
#define LAB_CUDA_GEMM_WGMMA_INSTANCES_CUH

#include "kernel.cuh"

namespace
{

template <typename Element, typename Result, lab_gemm_layout LAYOUT, class Shape> wgmma_instance instance_of()
{
    return {reinterpret_cast<const void *>(multiply_by_wgmma<Element, Result, LAYOUT, Shape>), Shape::CONSUMERS,
            Shape::THREADS, sizeof(Shared<Shape>) + SHARED_ALIGNMENT};
}

template <typename Element, typename Result, lab_gemm_layout LAYOUT>
const wgmma_instance *instance(enum wgmma_shape shape)
{
#define WGMMA_INSTANCE(name, ...) instance_of<Element, Result, LAYOUT, Shape<__VA_ARGS__>>(),
    static const wgmma_instance instances[] = {WGMMA_SHAPES(WGMMA_INSTANCE)};
#undef WGMMA_INSTANCE
    return &instances[shape];
}

} // namespace

#endif
