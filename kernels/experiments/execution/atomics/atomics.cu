/* Kernels that count how often each key occurs: element i adds 1 to counter keys[i]. A block has ATOMICS_THREADS
 * threads; n, the number of elements, is a multiple of ATOMICS_TILE. T is the type of a counter.
 */
#include "atomics.h"
#include "benchmark/check.h"

// region elements
/* Calls add(key) for each element. A block takes a tile at a time; a thread loads all its keys of the tile before it
 * adds, so that several loads are under way. */
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
/* The compiler cannot know which lanes have the same key, so it aggregates nothing. The result of an addition is not
 * used, so the instruction is RED, for which the thread does not wait. */
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
/* `__match_any_sync` gives each lane the set of lanes with the same key. The first lane of each set adds its size, so
 * an address gets one addition for each warp. */
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
/* The counters have copies in shared memory, one for each `sharers` threads of the block, here for all of them. At the
 * end the block adds the sums of its copies to the counters in global memory. */
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

// steps use atomics.h:keys, elements

// region plain "Read, add and write, without an atomic operation"
/* A load, an addition and a store. Other threads read the counter between the load and the store, and store the same
 * sum: of their additions one counts. The lanes of a warp with the same key execute each of the three together. */
extern "C" __global__ void atomics_plain_int32(const uint32_t *keys, uint32_t *counters, uint32_t n)
{
    for_each_key(keys, n, [=](uint32_t key) {
        volatile uint32_t *counter = &counters[key];
        *counter = *counter + 1;
    });
}
// end

// region cas "Compare and swap in a loop"
/* `atomicCAS` stores the sum only if the counter is still the value to which 1 was added; otherwise the thread tries
 * again with the value that it found. Any operation of one word can be made so. */
__device__ static uint32_t increment(uint32_t value, uint32_t)
{
    return value + 1;
}

__device__ static uint32_t increment(uint32_t bits, float)
{
    return __float_as_uint(__uint_as_float(bits) + 1);
}

template <typename T> __device__ void add_by_cas(const uint32_t *keys, T *counters, uint32_t n)
{
    for_each_key(keys, n, [=](uint32_t key) {
        uint32_t *counter = reinterpret_cast<uint32_t *>(&counters[key]);
        uint32_t found = *static_cast<volatile uint32_t *>(counter), expected;
        do {
            expected = found;
            found = atomicCAS(counter, expected, increment(expected, T(0)));
        } while (found != expected);
    });
}
// end

// region lock "A lock for each counter"
/* A thread has the lock if it has changed it from 0 to 1. `__threadfence` orders what it reads and writes while it has
 * the lock after the taking and before the release, for all threads of the device. A lane that does not get the lock
 * must not wait for it in an inner loop, because the lane that has it may be of the same warp. */
extern "C" __global__ void atomics_lock_int32(const uint32_t *keys, uint32_t *counters, uint32_t n, uint32_t *locks)
{
    for_each_key(keys, n, [=](uint32_t key) {
        volatile uint32_t *counter = &counters[key];
        for (bool added = false; !added;)
            if (atomicCAS(&locks[key], 0, 1) == 0) {
                __threadfence();
                *counter = *counter + 1;
                __threadfence();
                atomicExch(&locks[key], 0);
                added = true;
            }
    });
}
// end

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
    extern "C" __global__ void atomics_cas_##type(const uint32_t *keys, T *counters, uint32_t n)                       \
    {                                                                                                                  \
        add_by_cas(keys, counters, n);                                                                                 \
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
LAB_ACCEPT_KERNEL(atomics_check_lost, atomics_lost)
