/* Kernels that count how often each key occurs: element i adds 1 to counter keys[i]. A block has ATOMICS_THREADS threads; n, the
 * number of elements, is a multiple of ATOMICS_TILE. T is the type of a counter.
 */
#include "atomics.h"
#include "benchmark/check.h"

// region elements
/* Calls add(key) for each element. A block takes a tile at a time; a thread loads all its keys of the tile before it adds,
 * so that several loads are under way. */
template <typename Add> __device__ void for_each_key(const uint32_t *keys, uint32_t n, Add add)
{
    constexpr uint32_t loads = ATOMICS_TILE / ATOMICS_THREADS;
    for (uint32_t tile = blockIdx.x * ATOMICS_TILE; tile < n; tile += gridDim.x * ATOMICS_TILE) {
        uint32_t loaded[loads];
#pragma unroll
        for (uint32_t k = 0; k < loads; k++)
            loaded[k] = keys[tile + k * ATOMICS_THREADS + threadIdx.x];
#pragma unroll
        for (uint32_t k = 0; k < loads; k++)
            add(loaded[k]);
    }
}
// end

// steps use atomics.h:keys, elements

// region global "An addition in global memory for each element"
/* The compiler cannot know which lanes have the same key, so it aggregates nothing. The result of an addition is not used,
 * so the instruction is RED, for which the thread does not wait. */
template <typename T> __device__ void add_to_global(const uint32_t *keys, T *counters, uint32_t n)
{
    for_each_key(keys, n, [=](uint32_t key) { atomicAdd(&counters[key], T(1)); });
}
// end

// steps use elements

// region known-address "One address, known to the compiler"
/* Counts the elements that satisfy a condition. The address is an argument of the kernel, the same for all lanes. For
 * integers the compiler counts the active lanes (VOTE and POPC), and one lane adds the number. For floats it keeps all
 * additions. */
template <typename T> __device__ void add_to_known(const uint32_t *keys, T *counter, uint32_t n, uint32_t limit)
{
    for_each_key(keys, n, [=](uint32_t key) {
        if (key < limit)
            atomicAdd(counter, T(1));
    });
}
// end

// region aggregated "One addition for the lanes of a warp with the same address"
/* `__match_any_sync` gives each lane the set of lanes with the same key. The first lane of each set adds its size, so an
 * address gets one addition for each warp. */
template <typename T> __device__ void add_aggregated(const uint32_t *keys, T *counters, uint32_t n)
{
    constexpr uint32_t warp = 32, all_lanes = 0xffffffff;
    for_each_key(keys, n, [=](uint32_t key) {
        uint32_t equal = __match_any_sync(all_lanes, key), first = __ffs(equal) - 1;
        if (threadIdx.x % warp == first)
            atomicAdd(&counters[key], T(__popc(equal)));
    });
}
// end

// region shared "A copy of the counters for each block"
/* The counters have copies in shared memory, one for each `sharers` threads of the block, here for all of them. At the end
 * the block adds the sums of its copies to the counters in global memory. */
template <typename T>
__device__ void add_to_copies(const uint32_t *keys, T *counters, uint32_t n, uint32_t addresses, uint32_t sharers)
{
    extern __shared__ __align__(8) unsigned char memory[];
    T *copies = reinterpret_cast<T *>(memory), *own = copies + threadIdx.x / sharers * addresses;
    uint32_t in_all_copies = blockDim.x / sharers * addresses;
    for (uint32_t k = threadIdx.x; k < in_all_copies; k += blockDim.x)
        copies[k] = 0;
    __syncthreads();
    for_each_key(keys, n, [=](uint32_t key) { atomicAdd(&own[key], T(1)); });
    __syncthreads();
    for (uint32_t address = threadIdx.x; address < addresses; address += blockDim.x) {
        T sum = 0;
        for (uint32_t k = address; k < in_all_copies; k += addresses)
            sum += copies[k];
        if (sum != 0)
            atomicAdd(&counters[address], sum);
    }
}
// end

// step shared-per-warp "A copy of the counters for each warp" shows elements, shared
/* Eight copies in each block: a warp competes only with itself. The copies take shared memory, so fewer blocks fit on
 * a multiprocessor, and they must be added up. */

#define KERNELS(type, T)                                                                                               \
    extern "C" __global__ void atomics_global_##type(const uint32_t *keys, T *counters, uint32_t n)                    \
    {                                                                                                                  \
        add_to_global(keys, counters, n);                                                                              \
    }                                                                                                                  \
    extern "C" __global__ void atomics_known_address_##type(const uint32_t *keys, T *counter, uint32_t n,              \
                                                            uint32_t limit)                                            \
    {                                                                                                                  \
        add_to_known(keys, counter, n, limit);                                                                         \
    }                                                                                                                  \
    extern "C" __global__ void atomics_aggregated_##type(const uint32_t *keys, T *counters, uint32_t n)                \
    {                                                                                                                  \
        add_aggregated(keys, counters, n);                                                                             \
    }                                                                                                                  \
    extern "C" __global__ void atomics_shared_##type(const uint32_t *keys, T *counters, uint32_t n,                    \
                                                     uint32_t addresses, uint32_t sharers)                             \
    {                                                                                                                  \
        add_to_copies(keys, counters, n, addresses, sharers);                                                          \
    }

KERNELS(int32, uint32_t)
KERNELS(fp32, float)

LAB_FILL_KERNEL(atomics_fill, atomics_key)
LAB_CHECK_KERNEL(atomics_check, atomics_expected)
