/* Instances of the kernel for all shapes. */
#ifndef LAB_CUDA_GEMM_WGMMA_INSTANCES_CUH
#define LAB_CUDA_GEMM_WGMMA_INSTANCES_CUH

#include "kernel.cuh"

namespace
{

/* Without a kernel if the shape is not for the type. */
template <typename Element, typename Result, lab_gemm_layout LAYOUT, wgmma_types TYPES, class Shape>
wgmma_instance instance_of()
{
    if constexpr (TYPES == (is_fp64<Element> ? WGMMA_NOT_FP64 : WGMMA_ONLY_FP64))
        return {};
    else
        return {reinterpret_cast<const void *>(multiply_by_wgmma<Element, Result, LAYOUT, Shape>), Shape::CONSUMERS,
                Shape::THREADS, sizeof(Shared<Shape>) + SHARED_ALIGNMENT};
}

template <typename Element, typename Result, lab_gemm_layout LAYOUT>
const wgmma_instance *instance(enum wgmma_shape shape)
{
#define WGMMA_INSTANCE(name, types, ...)                                                                               \
    instance_of<Element, Result, LAYOUT, types, Shape<SumOf<Element>, __VA_ARGS__>>(),
    static const wgmma_instance instances[] = {WGMMA_SHAPES(WGMMA_INSTANCE)};
#undef WGMMA_INSTANCE
    return instances[shape].kernel != nullptr ? &instances[shape] : nullptr;
}

} // namespace

#endif
