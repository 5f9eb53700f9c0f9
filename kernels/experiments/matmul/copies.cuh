/* Vectorised loads and stores of four neighbouring floats of a row (16 bytes, the maximum per thread), and asynchronous
 * copies to shared memory.
 *
 * If VECTORS is true, the length of a row is a multiple of 4 floats, so that each group of four is aligned to 16 bytes.
 * Otherwise floats are loaded and stored one by one. Elements outside the matrix are read as 0 and not written.
 */
#ifndef LAB_MATMUL_COPIES_CUH
#define LAB_MATMUL_COPIES_CUH

#include <cstddef>
#include <cstdint>

/* Loads the four elements of `matrix` from (row, column) on. `column` must be a multiple of 4. */
template <bool VECTORS>
__device__ static inline float4 load_float4(const float *matrix, uint32_t rows, uint32_t columns, uint32_t row,
                                            uint32_t column)
{
    if (row >= rows || column >= columns)
        return make_float4(0, 0, 0, 0);
    const float *from = matrix + (size_t)row * columns + column;
    if constexpr (VECTORS) {
        return *reinterpret_cast<const float4 *>(from);
    } else {
        uint32_t count = columns - column;
        return make_float4(from[0], count > 1 ? from[1] : 0, count > 2 ? from[2] : 0, count > 3 ? from[3] : 0);
    }
}

template <bool VECTORS>
__device__ static inline void store_float4(float *matrix, uint32_t rows, uint32_t columns, uint32_t row,
                                           uint32_t column, float4 four)
{
    if (row >= rows || column >= columns)
        return;
    float *to = matrix + (size_t)row * columns + column;
    if constexpr (VECTORS) {
        *reinterpret_cast<float4 *>(to) = four;
    } else {
        uint32_t count = columns - column;
        to[0] = four.x;
        if (count > 1)
            to[1] = four.y;
        if (count > 2)
            to[2] = four.z;
        if (count > 3)
            to[3] = four.w;
    }
}

/* Starts to copy a T (4 or 16 bytes) to shared memory. If `inside` is false, the T is outside the matrix: writes 0 and
 * does not read `from`. On GPUs before sm_80, which have no asynchronous copies, the thread loads and stores. */
template <typename T> __device__ static inline void start_copy(T *shared, const T *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
    uint32_t bytes = inside ? sizeof(T) : 0; /* the remaining bytes of T become 0 */
    if constexpr (sizeof(T) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#else
    *shared = inside ? *from : T{};
#endif
}

/* Starts to copy four floats of a row of `columns` floats to shared memory, from `column` on, which must be a multiple
 * of 4. Floats beyond the row become 0. */
template <bool VECTORS>
__device__ static inline void start_copy_float4(float *shared, const float *row, uint32_t column, uint32_t columns)
{
    if constexpr (VECTORS)
        start_copy(reinterpret_cast<float4 *>(shared), reinterpret_cast<const float4 *>(row + column),
                   column < columns);
    else
        for (uint32_t i = 0; i < 4; i++)
            start_copy(shared + i, row + column + i, column + i < columns);
}

/* Puts the copies that the thread has started since the last call into a group. */
__device__ static inline void end_copy_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all groups of copies of the thread, except the last `LATER` groups, have arrived. */
template <int LATER> __device__ static inline void await_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
#endif
}

#endif
