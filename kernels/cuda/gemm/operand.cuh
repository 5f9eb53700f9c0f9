/* An input matrix of wgmma.cu. TMA needs rows that begin at multiples of 16 bytes. If a matrix does not have them, it
 * is copied into a matrix with padded rows; the copy is made for each product and is part of its time.
 */
#ifndef LAB_CUDA_GEMM_OPERAND_CUH
#define LAB_CUDA_GEMM_OPERAND_CUH

#include "gemm.h"
#include "tensor_map.h"

#include <type_traits>

namespace
{

struct operand {
    const uint16_t *matrix; /* 2-byte elements, bf16 or fp16 */
    uint16_t *padded;       /* device memory; nullptr if the matrix needs no padding */
    uint32_t rows, columns;
    uint32_t pitch; /* elements from the start of a row to the start of the next, in the matrix that TMA reads */
};

/* Copies the matrix to its padded copy, with one block for each row. */
__global__ void pad(operand operand)
{
    const uint16_t *from = operand.matrix + blockIdx.x * (size_t)operand.columns;
    uint16_t *to = operand.padded + blockIdx.x * (size_t)operand.pitch;
    for (uint32_t column = threadIdx.x; column < operand.columns; column += blockDim.x)
        to[column] = from[column];
}

/* Fills in *operand, and allocates operand->padded if it is needed. The caller frees it, also after a failure. */
inline cudaError_t make_operand(operand *operand, const void *matrix, uint32_t rows, uint32_t columns)
{
    constexpr uint32_t per_16_bytes = 16 / sizeof(uint16_t);
    uint32_t pitch = (columns + per_16_bytes - 1) / per_16_bytes * per_16_bytes;
    *operand = {static_cast<const uint16_t *>(matrix), nullptr, rows, columns, pitch};
    if (pitch == columns)
        return cudaSuccess;
    return cudaMalloc(reinterpret_cast<void **>(&operand->padded), (size_t)rows * pitch * sizeof(uint16_t));
}

/* Creates the tensor map of an operand, with boxes of `rows` x `columns`. */
inline cudaError_t map_operand(CUtensorMap *map, const operand &operand, enum lab_gemm_type type, uint32_t rows,
                               uint32_t columns)
{
    struct cuda_tensor tensor = {};
    tensor.type = type == LAB_GEMM_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    tensor.matrix = operand.padded != nullptr ? operand.padded : operand.matrix;
    tensor.rows = operand.rows;
    tensor.columns = operand.columns;
    tensor.pitch = operand.pitch * sizeof(uint16_t);
    tensor.box_rows = rows;
    tensor.box_columns = columns;
    return lab_cuda_tensor_map(map, &tensor);
}

/* Queues the kernel `pad` if the operand needs padding. */
inline cudaError_t queue_padding(const operand &operand, cudaStream_t stream)
{
    if (operand.padded == nullptr)
        return cudaSuccess;
    cudaLaunchConfig_t config = {};
    config.gridDim = operand.rows;
    config.blockDim = 256;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, pad, operand);
}

} // namespace

#endif
