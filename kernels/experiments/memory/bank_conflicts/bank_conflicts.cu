/* Loads and stores of shared memory whose lanes are a stride apart. Each access is volatile assembly, so that the
 * compiler neither merges nor removes it, and the address is computed before the loop: only shared memory limits the
 * rate. */
#include "bank_conflicts.h"
#include "benchmark/check.h"

/* Accesses for each test of a loop's end; they divide the number of requests. A load needs registers for its result. */
constexpr uint32_t unroll_loads = 8, unroll_stores = 32;

// region instructions
__device__ static inline void load(uint32_t address, uint32_t (&v)[1])
{
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(address));
}

__device__ static inline void load(uint32_t address, uint32_t (&v)[2])
{
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(address));
}

__device__ static inline void load(uint32_t address, uint32_t (&v)[4])
{
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(address));
}

/* Stores the same value in all words of an element. */
template <uint32_t words> __device__ static inline void store(uint32_t address, uint32_t value)
{
    if constexpr (words == 1)
        asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
    else if constexpr (words == 2)
        asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(value) : "memory");
    else
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(value) : "memory");
}
// end

// region load
/* All warps load the same elements. The loads of a loop do not wait for each other. */
template <uint32_t words>
__device__ static inline void load_loop(uint32_t *result, uint32_t stride, uint32_t requests, uint64_t seed)
{
    extern __shared__ uint4 aligned[];
    uint32_t *shared = (uint32_t *)aligned;
    for (uint32_t i = threadIdx.x; i < bank_conflicts_span(stride, words); i += blockDim.x)
        shared[i] = lab_pattern_word(i, seed);
    __syncthreads();
    uint32_t lane = threadIdx.x % BANK_CONFLICTS_LANES, sum = 0;
    uint32_t address = (uint32_t)__cvta_generic_to_shared(shared + bank_conflicts_address(lane, stride, words));
#pragma unroll 1
    for (uint32_t i = 0; i < requests; i += unroll_loads) {
        uint32_t value[unroll_loads][words];
#pragma unroll
        for (uint32_t k = 0; k < unroll_loads; k++)
            load(address, value[k]);
#pragma unroll
        for (uint32_t k = 0; k < unroll_loads; k++)
#pragma unroll
            for (uint32_t word = 0; word < words; word++)
                sum += value[k][word];
    }
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// end

// region store
/* Each warp has elements of its own, so that no two threads write the same word. */
template <uint32_t words>
__device__ static inline void store_loop(uint32_t *result, uint32_t stride, uint32_t requests, uint64_t seed)
{
    extern __shared__ uint4 aligned[];
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t lane = threadIdx.x % BANK_CONFLICTS_LANES, warp = threadIdx.x / BANK_CONFLICTS_LANES;
    uint32_t *own =
        (uint32_t *)aligned + warp * bank_conflicts_span(stride, words) + bank_conflicts_address(lane, stride, words);
    uint32_t address = (uint32_t)__cvta_generic_to_shared(own), value = bank_conflicts_value(thread, seed);
#pragma unroll 1
    for (uint32_t i = 0; i < requests; i += unroll_stores)
#pragma unroll
        for (uint32_t k = 0; k < unroll_stores; k++) {
            store<words>(address, value);
            value += BANK_CONFLICTS_STEP;
        }
    uint32_t stored[words], sum = 0;
    load(address, stored);
    for (uint32_t word = 0; word < words; word++)
        sum += stored[word];
    result[thread] = sum;
}
// end

#define KERNELS(bytes)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        bank_conflicts_load_##bytes(uint32_t *result, uint32_t stride, uint32_t requests, uint64_t seed)               \
    {                                                                                                                  \
        load_loop<(bytes) / 4>(result, stride, requests, seed);                                                        \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(1024)                                                                 \
        bank_conflicts_store_##bytes(uint32_t *result, uint32_t stride, uint32_t requests, uint64_t seed)              \
    {                                                                                                                  \
        store_loop<(bytes) / 4>(result, stride, requests, seed);                                                       \
    }

KERNELS(4)
KERNELS(8)
KERNELS(16)

LAB_CHECK_KERNEL(bank_conflicts_check, bank_conflicts_expected)
