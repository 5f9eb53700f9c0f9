/* Copies of input matrices, and their tensor maps. */
#include "operand.h"

#include "tensor_map.h"

enum { ROW_BYTES = 16, BOX_BYTES = 128, PAD_ROWS = 8, PAD_CHUNKS = 32 };

/* --- the kernel --------------------------------------------------------------------------------------------------- */

/* Copies the matrix with another pitch, filled up with zeros. A thread writes 16 bytes of a row, and reads their words
 * one by one, because the 16 bytes are not aligned in the matrix; of the reads of a cache line, all but the first find
 * it in the first-level cache. */
template <typename Word>
__global__ __launch_bounds__(PAD_ROWS *PAD_CHUNKS) void pad(const Word *matrix, Word *copy, uint32_t rows,
                                                            uint32_t columns, size_t pitch)
{
    constexpr uint32_t WORDS = ROW_BYTES / sizeof(Word);
    uint32_t row = blockIdx.x * PAD_ROWS + threadIdx.y, first = (blockIdx.y * PAD_CHUNKS + threadIdx.x) * WORDS;
    if (row >= rows || first >= columns)
        return;
    const Word *from = matrix + row * (size_t)columns;
    alignas(ROW_BYTES) Word words[WORDS];
#pragma unroll
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = first + i < columns ? from[first + i] : Word(0);
    *reinterpret_cast<uint4 *>(copy + row * (pitch / sizeof(Word)) + first) = *reinterpret_cast<const uint4 *>(words);
}

/* --- host code ---------------------------------------------------------------------------------------------------- */

cudaError_t lab_cuda_wgmma_operand_init(struct wgmma_operand *operand)
{
    size_t bytes = operand->columns * (size_t)operand->element_bytes;
    operand->pitch = (bytes + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    operand->copy = nullptr;
    if (operand->pitch == bytes)
        return cudaSuccess;
    return cudaMalloc(&operand->copy, operand->rows * operand->pitch);
}

void lab_cuda_wgmma_operand_release(struct wgmma_operand *operand)
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
    size_t block_bytes = PAD_CHUNKS * ROW_BYTES; /* of a row */
    config.gridDim =
        dim3((operand->rows + PAD_ROWS - 1) / PAD_ROWS, (unsigned)((operand->pitch + block_bytes - 1) / block_bytes));
    config.blockDim = dim3(PAD_CHUNKS, PAD_ROWS);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, pad<Word>, static_cast<const Word *>(operand->matrix),
                              static_cast<Word *>(operand->copy), operand->rows, operand->columns, operand->pitch);
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
