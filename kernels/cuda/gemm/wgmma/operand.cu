/* Copies of input matrices, and their tensor maps. */
#include "operand.h"

#include "tensor_map.h"

enum { ROW_BYTES = 16, BOX_BYTES = 128, PAD_THREADS = 256, SIDE = 32, TRANSPOSE_ROWS = 8 };

/* --- kernels ------------------------------------------------------------------------------------------------------ */

/* Copies the matrix with another pitch, a block for each row. */
template <typename Word>
__global__ __launch_bounds__(PAD_THREADS) void pad(const Word *matrix, Word *copy, uint32_t columns, size_t pitch)
{
    const Word *from = matrix + blockIdx.x * (size_t)columns;
    Word *to = copy + blockIdx.x * (pitch / sizeof(Word));
    for (uint32_t column = threadIdx.x; column < columns; column += PAD_THREADS)
        to[column] = from[column];
}

/* Transposes tiles of SIDE x SIDE through shared memory, so that it is read and written along rows. The last column keeps
 * the rows of a column in different banks. */
__global__ __launch_bounds__(SIDE *TRANSPOSE_ROWS) void transpose(const uint32_t *matrix, uint32_t *copy, uint32_t rows,
                                                                  uint32_t columns, size_t pitch)
{
    __shared__ uint32_t tile[SIDE][SIDE + 1];
    uint32_t left = blockIdx.x * SIDE, x = threadIdx.x, y = threadIdx.y;
    for (uint32_t top = blockIdx.y * SIDE; top < rows; top += gridDim.y * SIDE) {
#pragma unroll
        for (uint32_t i = y; i < SIDE; i += TRANSPOSE_ROWS)
            if (top + i < rows && left + x < columns)
                tile[i][x] = matrix[(size_t)(top + i) * columns + left + x];
        __syncthreads();
#pragma unroll
        for (uint32_t i = y; i < SIDE; i += TRANSPOSE_ROWS)
            if (left + i < columns && top + x < rows)
                copy[(left + i) * (pitch / sizeof(uint32_t)) + top + x] = tile[x][i];
        __syncthreads();
    }
}

/* --- host code ---------------------------------------------------------------------------------------------------- */

static uint32_t rows_of(const struct wgmma_operand *operand)
{
    return operand->transposed ? operand->columns : operand->rows;
}

static uint32_t columns_of(const struct wgmma_operand *operand)
{
    return operand->transposed ? operand->rows : operand->columns;
}

cudaError_t lab_cuda_wgmma_operand_create(struct wgmma_operand *operand)
{
    size_t bytes = columns_of(operand) * (size_t)operand->element_bytes;
    operand->pitch = (bytes + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    operand->copy = nullptr;
    if (!operand->transposed && operand->pitch == bytes)
        return cudaSuccess;
    return cudaMalloc(&operand->copy, rows_of(operand) * operand->pitch);
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
    tensor.rows = rows_of(operand);
    tensor.columns = columns_of(operand);
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

static cudaError_t queue_transpose(const struct wgmma_operand *operand, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((operand->columns + SIDE - 1) / SIDE, (operand->rows + SIDE - 1) / SIDE);
    config.blockDim = dim3(SIDE, TRANSPOSE_ROWS);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, transpose, static_cast<const uint32_t *>(operand->matrix),
                              static_cast<uint32_t *>(operand->copy), operand->rows, operand->columns, operand->pitch);
}

cudaError_t lab_cuda_wgmma_operand_queue_copy(const struct wgmma_operand *operand, cudaStream_t stream)
{
    if (operand->copy == nullptr)
        return cudaSuccess;
    if (operand->transposed)
        return queue_transpose(operand, stream);
    return operand->element_bytes == 1   ? queue_pad<uint8_t>(operand, stream)
           : operand->element_bytes == 2 ? queue_pad<uint16_t>(operand, stream)
                                         : queue_pad<uint32_t>(operand, stream);
}
