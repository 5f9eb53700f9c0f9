/* The instructions that mma.cu is made of, each as a function: asynchronous copies to shared memory, matrix loads, and
 * the tensor cores' warp-wide multiply-add; all of them since Ampere (sm_80). They are documented in NVIDIA's "PTX
 * ISA".
 */
#ifndef LAB_CUDA_GEMM_MMA_CUH
#define LAB_CUDA_GEMM_MMA_CUH

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

/* Copies 16 bytes to shared memory past the registers, or writes zeros where not `inside`. The thread goes on at once;
 * its copies are counted in groups, each closed by `commit_copies`. */
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

/* Waits until at most PENDING groups of this thread's copies are still on their way. */
template <int PENDING> __device__ static inline void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* Loads four matrices of 8 rows of 16 bytes: row r of matrix i from the address that thread 8 i + r gives. Of each, a
 * thread gets 4 bytes in parts[i]: of row thread / 4, the bytes from thread % 4 * 4 on. */
__device__ static inline void load_matrices(uint32_t (&parts)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* The same for 2-byte elements, transposed on the way: a thread gets of column thread / 4 the elements of the rows
 * thread % 4 * 2 and the next. */
__device__ static inline void load_matrices_transposed(uint32_t (&parts)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* sums += A B by the threads of a warp together: A of 16 rows and B of 8 columns, both 32 bytes long along k. A thread
 * (g = thread / 4, t = thread % 4) holds of A the rows g and g + 8, of B the column g, 4 bytes at 4 t and 4 bytes at 16
 * + 4 t; of the sums, columns 2 t and 2 t + 1 of row g, then of row g + 8. Of a float, the multiplier takes the upper
 * 19 bits as tf32: sign, exponent and 10 bits of fraction. */
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

#endif
