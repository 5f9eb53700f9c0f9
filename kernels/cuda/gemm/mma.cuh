/* The PTX instructions that mma.cu and wgmma/fp64.cuh use, each as a function: asynchronous copies to shared memory,
 * matrix loads, and the tensor cores' warp-wide multiply-add. That for fp64 needs Hopper (sm_90), all others Ampere
 * (sm_80) or later. See NVIDIA's "PTX ISA".
 */
#ifndef LAB_CUDA_GEMM_MMA_CUH
#define LAB_CUDA_GEMM_MMA_CUH

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

/* Starts to copy 16 bytes to shared memory without using registers; writes zeros if `inside` is false. commit_copies
 * puts the copies that the thread has started since its last call into a group. */
__device__ static inline void copy_async(void *shared, const void *global, bool inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((uint32_t)__cvta_generic_to_shared(shared)),
                 "l"(global), "r"(inside ? 16 : 0)
                 : "memory");
}
__device__ static inline void commit_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until at most PENDING groups of this thread's copies have not arrived. */
template <int PENDING> __device__ static inline void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* Loads four matrices of 8 rows of 16 bytes: row r of matrix i from the address that thread 8 i + r passes. Each thread
 * gets 4 bytes of matrix i in parts[i]: of row thread / 4, the bytes from thread % 4 * 4 on. */
__device__ static inline void load_matrices(uint32_t (&parts)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* Like load_matrices, for 2-byte elements and with each matrix transposed: a thread gets the elements of column thread
 * / 4 in the rows thread % 4 * 2 and thread % 4 * 2 + 1. */
__device__ static inline void load_matrices_transposed(uint32_t (&parts)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* sums += A B, by the threads of a warp together: A has 16 rows, B has 8 columns, both 32 bytes along k. With g =
 * thread / 4 and t = thread % 4, a thread holds rows g and g + 8 of A and column g of B, each 4 bytes at offset 4 t and
 * 4 bytes at 16 + 4 t; and the sums in columns 2 t and 2 t + 1 of row g, then of row g + 8. Of a float, the multiplier
 * uses the upper 19 bits as tf32: sign, exponent and 10 bits of fraction. */
#define MULTIPLY_ADD(instruction)                                                                                      \
    asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                        \
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
template <typename Element>
__device__ static inline void multiply_add(float (&sums)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    if constexpr (std::is_same_v<Element, __nv_bfloat16>)
        MULTIPLY_ADD("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
    else if constexpr (std::is_same_v<Element, __half>)
        MULTIPLY_ADD("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    else
        MULTIPLY_ADD("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
}
#undef MULTIPLY_ADD

/* The same for fp64, with 16 numbers along k; Hopper's instruction. A thread holds of A rows g and g + 8 at t, then at
 * t + 4, t + 8 and t + 12; of B column g at the same four. Of the fp64 forms this has the most numbers along k, so the
 * sums are read and written least often, which saves energy. */
__device__ static inline void multiply_add_fp64(double (&sums)[4], const double (&a)[8], const double (&b)[4])
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
        "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
          "d"(b[2]), "d"(b[3]));
}

#endif
