/* Kernels in which each block, one on each multiprocessor, reads the same small array again and again. They differ in
 * the instruction that loads. */
#include "benchmark/check.h"
#include "l1_cache.h"

// region rounds
/* The threads of the block read all `vectors` vectors of 16 bytes, `rounds` times, by load(address), and store the sum
 * of all words. */
template <typename Load>
__device__ void read_rounds(const uint4 *data, uint32_t *sums, uint32_t vectors, uint32_t rounds, Load load)
{
    __shared__ uint32_t sum_of_block;
    uint32_t sum = 0;
    if (threadIdx.x == 0)
        sum_of_block = 0;
    for (uint32_t round = 0; round < rounds; round++)
#pragma unroll 8
        for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
            uint4 value = load(data + i);
            sum += value.x + value.y + value.z + value.w;
        }
    __syncthreads();
    atomicAdd(&sum_of_block, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum_of_block;
}

/* A load with a hint, as assembly. It is volatile, so that the compiler does not take loads out of the loop over the
 * rounds. */
#define LOAD(instruction)                                                                                              \
    [](const uint4 *address) {                                                                                         \
        uint4 value;                                                                                                   \
        asm volatile(instruction ".v4.u32 {%0, %1, %2, %3}, [%4];"                                                     \
                     : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)                                      \
                     : "l"(address));                                                                                  \
        return value;                                                                                                  \
    }

#define KERNEL(name, instruction)                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        l1_cache_##name(const uint4 *data, uint32_t *sums, uint32_t vectors, uint32_t rounds)                          \
    {                                                                                                                  \
        read_rounds(data, sums, vectors, rounds, LOAD(instruction));                                                   \
    }
// end

// steps use rounds

// region ca "ld.global.ca: cached at all levels"
/* What an ordinary load is: the line is kept in L1 and in L2. In C++ it is also `__ldca`. */
KERNEL(ca, "ld.global.ca")
// end

// region ldg "__ldg: ld.global.nc"
/* For data that nobody writes while the kernel runs, which the compiler also finds out from `const` and `__restrict__`.
 * On old GPUs it went through the texture cache, when L1 did not keep global data; today both are one cache. */
KERNEL(ldg, "ld.global.nc")
// end

// region cs "ld.global.cs: probably used once"
/* The line is the first to be replaced, so that a stream of data does not replace what is used again. In C++:
 * `__ldcs`. */
KERNEL(cs, "ld.global.cs")
// end

// region cg "ld.global.cg: cached in L2 only"
/* The load goes past L1, and every round reads from L2. In C++: `__ldcg`. */
KERNEL(cg, "ld.global.cg")
// end

LAB_CHECK_KERNEL(l1_cache_check, l1_cache_sum)
