/* What the faster steps move: four neighbouring floats of a row at once (16 bytes, the most that a thread can), and
 * copies into shared memory that no thread waits for.
 *
 * QUADS says that rows are whole numbers of such fours, so that each lies at a multiple of 16 bytes; without it floats
 * are moved one by one. What lies outside a matrix is read as 0 and never written.
 */
#ifndef LAB_CUDA_GEMM_COPIES_CUH
#define LAB_CUDA_GEMM_COPIES_CUH

#include <cstddef>
#include <cstdint>

/* The four elements of `matrix` from (row, column) on; `column` is a multiple of 4. */
template <bool QUADS>
__device__ static inline float4 load_quad(const float *matrix, uint32_t rows, uint32_t columns, uint32_t row,
                                          uint32_t column)
{
    if (row >= rows || column >= columns)
        return make_float4(0, 0, 0, 0);
    const float *from = matrix + (size_t)row * columns + column;
    if constexpr (QUADS) {
        return *reinterpret_cast<const float4 *>(from);
    } else {
        uint32_t count = columns - column;
        return make_float4(from[0], count > 1 ? from[1] : 0, count > 2 ? from[2] : 0, count > 3 ? from[3] : 0);
    }
}

template <bool QUADS>
__device__ static inline void store_quad(float *matrix, uint32_t rows, uint32_t columns, uint32_t row, uint32_t column,
                                         float4 quad)
{
    if (row >= rows || column >= columns)
        return;
    float *to = matrix + (size_t)row * columns + column;
    if constexpr (QUADS) {
        *reinterpret_cast<float4 *>(to) = quad;
    } else {
        uint32_t count = columns - column;
        to[0] = quad.x;
        if (count > 1)
            to[1] = quad.y;
        if (count > 2)
            to[2] = quad.z;
        if (count > 3)
            to[3] = quad.w;
    }
}

/* Starts to copy a T (4 or 16 bytes) into shared memory, or 0 if it is not `inside` the matrix; `from` is then not
 * read. GPUs before sm_80 have no such copies: there the thread loads and stores. */
template <typename T> __device__ static inline void start_copy(T *shared, const T *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
    uint32_t bytes = inside ? sizeof(T) : 0; /* the rest of T is filled with 0 */
    if constexpr (sizeof(T) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#else
    *shared = inside ? *from : T{};
#endif
}

/* The same for four floats from `column` on, a multiple of 4, of a row of `columns`. */
template <bool QUADS>
__device__ static inline void start_copy_quad(float *shared, const float *row, uint32_t column, uint32_t columns)
{
    if constexpr (QUADS)
        start_copy(reinterpret_cast<float4 *>(shared), reinterpret_cast<const float4 *>(row + column),
                   column < columns);
    else
        for (uint32_t i = 0; i < 4; i++)
            start_copy(shared + i, row + column + i, column + i < columns);
}

/* Ends a group of copies: those that the thread has started since it ended the last. */
__device__ static inline void end_copy_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all copies of the thread have arrived, but for its last `LATER` groups. */
template <int LATER> __device__ static inline void await_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
#endif
}

#endif
