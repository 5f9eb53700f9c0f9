/* Creates tensor maps by a function of the driver. It is looked up through the CUDA runtime library, so that the
 * program does not link the driver's library, which a machine without a GPU does not have. */
#include "tensor_map.h"

#include <cudaTypedefs.h>

enum { VERSION_WITH_TENSOR_MAPS = 12000 };

static cudaError_t find_encoder(PFN_cuTensorMapEncodeTiled_v12000 *encode)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    void *address = NULL;
#if CUDART_VERSION >= 12050
    cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &address, VERSION_WITH_TENSOR_MAPS,
                                                          cudaEnableDefault, &found);
#else
    cudaError_t status = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &address, cudaEnableDefault, &found);
#endif
    if (status == cudaSuccess && found != cudaDriverEntryPointSuccess)
        status = cudaErrorNotSupported;
    *encode = (PFN_cuTensorMapEncodeTiled_v12000)address;
    return status;
}

cudaError_t lab_cuda_tensor_map(CUtensorMap *map, const struct cuda_tensor *tensor)
{
    PFN_cuTensorMapEncodeTiled_v12000 encode;
    cudaError_t status = find_encoder(&encode);
    if (status != cudaSuccess)
        return status;
    /* The dimensions are listed from the innermost outwards. The innermost has no pitch, because its elements are
     * contiguous. */
    cuuint64_t size[2] = {tensor->columns, tensor->rows};
    cuuint64_t pitch[1] = {tensor->pitch};
    cuuint32_t box[2] = {tensor->box_columns, tensor->box_rows};
    cuuint32_t element_strides[2] = {1, 1};
    CUresult result = encode(map, tensor->type, 2, (void *)(uintptr_t)tensor->matrix, size, pitch, box, element_strides,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
