/* The consumers: round the sums and store them. */
#ifndef LAB_CUDA_GEMM_WGMMA_STORE_CUH
#define LAB_CUDA_GEMM_WGMMA_STORE_CUH

#include "multiply.cuh"

namespace
{

/* Writes the sums of 64 rows and `WIDTH` bytes of columns to a box in shared memory, rounded and swizzled. A thread has
 * two neighbouring columns of row thread / 4 of each 8 x 8 matrix, and of the row 8 further down. */
template <typename Result> __device__ void write_box(unsigned char *box, const float *sums, uint32_t thread)
{
    if constexpr (sizeof(Result) == 2) {
        /* The row, and the left (0) or right (1) matrix, of the address that this thread passes to store_matrices. */
        uint32_t row = thread / 32 * 16 + thread % 16, right = thread / 16 % 2;
#pragma unroll
        for (int part = 0; part < WIDTH / 32; part++, sums += 8) {
            uint32_t matrices[4] = {rounded<Result>(sums[0], sums[1]), rounded<Result>(sums[2], sums[3]),
                                    rounded<Result>(sums[4], sums[5]), rounded<Result>(sums[6], sums[7])};
            uint32_t chunk = (2 * part + right) ^ row % 8; /* index of the 16-byte chunk in the row, swizzled */
            store_matrices(box + row * WIDTH + chunk * 16, matrices);
        }
    } else {
        uint32_t row = thread / 32 * 16 + thread % 32 / 4, pair = thread % 4;
#pragma unroll
        for (int part = 0; part < WIDTH / 32; part++, sums += 4) {
            uint32_t offset = ((2 * part + pair / 2) ^ row % 8) * 16 + pair % 2 * 8;
            *reinterpret_cast<float2 *>(box + row * WIDTH + offset) = make_float2(sums[0], sums[1]);
            *reinterpret_cast<float2 *>(box + (row + 8) * WIDTH + offset) = make_float2(sums[2], sums[3]);
        }
    }
}

/* Stores the sums through shared memory, in boxes that TMA writes to C; while TMA reads one box, the next is written to
 * another buffer, where there is one. */
template <typename Result, class Shape>
__device__ void store_by_boxes(const Sums<Shape> &sums, Shared<Shape> &shared, const wgmma_job &job,
                               const BlockPart &block, Thread thread)
{
    constexpr int columns = WIDTH / sizeof(Result), boxes = Shape::BN / columns;
    static_assert(Shape::TILES * boxes % Shape::C_BUFFERS == 0,
                  "a part begins with the buffer that was used least recently");
    uint32_t row = block.row + thread.consumer * Shape::ROWS;
#pragma unroll
    for (int box = 0; box < Shape::TILES * boxes; box++) {
        int tile = box / boxes, column = box % boxes * columns;
        unsigned char *buffer = shared.c[thread.consumer][box % Shape::C_BUFFERS];
        if (thread.index == 0)
            wait_for_stores_to_read<Shape::C_BUFFERS - 1>();
        synchronize_warpgroup(1 + thread.consumer);
        write_box<Result>(buffer, &sums[tile][column / 2], thread.index);
        fence_async_proxy();
        synchronize_warpgroup(1 + thread.consumer);
        if (thread.index == 0) {
            store_box(&job.c, block.column + column, row + tile * MULTIPLY_M, buffer);
            commit_stores();
        }
    }
}

/* The same for the transposed product: a box has 32 of the thread's rows along n, and 64 columns along m. Two of a
 * tile's warps write to each box. */
template <class Shape>
__device__ void store_transposed_by_boxes(const Sums<Shape> &sums, Shared<Shape> &shared, const wgmma_job &job,
                                          const BlockPart &block, Thread thread)
{
    static_assert(Shape::TILES * Shape::BN / 32 % Shape::C_BUFFERS == 0, "as in store_by_boxes");
    uint32_t t = thread.index % 4;
#pragma unroll
    for (int box = 0; box < Shape::TILES * Shape::BN / 32; box++) {
        int tile = box / (Shape::BN / 32), group = box % (Shape::BN / 32) / 2, right = box % 2;
        unsigned char *buffer = shared.c[thread.consumer][box % Shape::C_BUFFERS];
        if (thread.index == 0)
            wait_for_stores_to_read<Shape::C_BUFFERS - 1>();
        synchronize_warpgroup(1 + thread.consumer);
        if (thread.index / 64 == right)
#pragma unroll
            for (int i = 0; i < 32; i++) {
                uint32_t column = i / 4 * 8 + 2 * t + i % 2, row = row_of_thread(thread.index, i / 2 % 2) % 32;
                uint32_t at = column * WIDTH + (row / 4 ^ column % 8) * 16 + row % 4 * 4;
                *reinterpret_cast<float *>(buffer + at) = sums[tile][group * 32 + i];
            }
        fence_async_proxy();
        synchronize_warpgroup(1 + thread.consumer);
        if (thread.index == 0) {
            uint32_t row = block.row + thread.consumer * Shape::ROWS + tile * MULTIPLY_M + right * 32;
            store_box(&job.c, row, block.column + group * 64, buffer);
            commit_stores();
        }
    }
}

/* Stores the sums element by element, if the rows of C do not begin at multiples of 16 bytes. */
template <typename Result, bool TRANSPOSED, class Shape>
__device__ void store_by_elements(const Sums<Shape> &sums, const wgmma_job &job, const BlockPart &block, Thread thread)
{
    uint32_t first_row = block.row + thread.consumer * Shape::ROWS, column = block.column + thread.index % 4 * 2;
    Result *results = static_cast<Result *>(job.results);
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
#pragma unroll
        for (int i = 0; i < Shape::SUMS; i++) {
            uint32_t half = i / 2 % 2, row = thread.index / 32 * 16 + thread.index % 32 / 4 + half * 8;
            uint32_t r = first_row + tile * MULTIPLY_M + (TRANSPOSED ? row_of_thread(thread.index, half) : row);
            uint32_t c = column + i / 4 * 8 + i % 2;
            if (r < job.m && c < job.n)
                results[TRANSPOSED ? (size_t)c * job.m + r : (size_t)r * job.n + c] = Result(sums[tile][i]);
        }
}

template <typename Result, bool TRANSPOSED, class Shape>
__device__ void store(const Sums<Shape> &sums, Shared<Shape> &shared, const wgmma_job &job, const BlockPart &block,
                      Thread thread)
{
    if (job.results != nullptr)
        store_by_elements<Result, TRANSPOSED, Shape>(sums, job, block, thread);
    else if constexpr (TRANSPOSED)
        store_transposed_by_boxes<Shape>(sums, shared, job, block, thread);
    else
        store_by_boxes<Result, Shape>(sums, shared, job, block, thread);
}

} // namespace

#endif
