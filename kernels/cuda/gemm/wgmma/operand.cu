/* Copies of input matrices, and their tensor maps. */
#include "operand.h"

#include "tensor_map.h"

enum { ROW_BYTES = 16, BOX_BYTES = 128, PAD_THREADS = 256 };

/* --- the kernel ----------------------------------------------------------------------------------------------------- */

/* Copies the matrix with another pitch, a block for each row. */
template <typename Word>
__global__ __launch_bounds__(PAD_THREADS) void pad(const Word *matrix, Word *copy, uint32_t columns, size_t pitch)
{
    const Word *from = matrix + blockIdx.x * (size_t)columns;
    Word *to = copy + blockIdx.x * (pitch / sizeof(Word));
    for (uint32_t column = threadIdx.x; column < columns; column += PAD_THREADS)
        to[column] = from[column];
}

/* --- host code ---------------------------------------------------------------------------------------------------- */

cudaError_t lab_cuda_wgmma_operand_create(struct wgmma_operand *operand)
{
    size_t bytes = operand->columns * (size_t)operand->element_bytes;
    operand->pitch = (bytes + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    operand->copy = nullptr;
    if (operand->pitch == bytes)
        return cudaSuccess;
    return cudaMalloc(&operand->copy, operand->rows * operand->pitch);
}

void lab_cuda_wgmma_operand_free(struct wgmma_operand *operand)
{
    cudaFree(operand->copy);
    operand->copy = nullptr;
}

cudaError_t lab_cuda_wgmma_operand_map(const struct wgmma_operand *operand, CUtensorMapDataType type, unsigned rows,
                                       CUtensorMap *map)
{
    struct cuda_tensor tensor = {};
    tensor.type = type;
    tensor.matrix = operand->copy != nullptr ? operand->copy : operand->matrix;
    tensor.rows = operand->rows;
    tensor.columns = operand->columns;
    tensor.pitch = operand->pitch;
    tensor.box_rows = rows;
    tensor.box_columns = BOX_BYTES / operand->element_bytes;
    return lab_cuda_tensor_map(map, &tensor);
}

template <typename Word> static cudaError_t queue_pad(const struct wgmma_operand *operand, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = operand->rows;
    config.blockDim = PAD_THREADS;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, pad<Word>, static_cast<const Word *>(operand->matrix),
                              static_cast<Word *>(operand->copy), operand->columns, operand->pitch);
}

cudaError_t lab_cuda_wgmma_operand_queue_copy(const struct wgmma_operand *operand, cudaStream_t stream)
{
    if (operand->copy == nullptr)
        return cudaSuccess;
    return operand->element_bytes == 1   ? queue_pad<uint8_t>(operand, stream)
           : operand->element_bytes == 2 ? queue_pad<uint16_t>(operand, stream)
           : operand->element_bytes == 4 ? queue_pad<uint32_t>(operand, stream)
                                         : queue_pad<uint64_t>(operand, stream);
}
