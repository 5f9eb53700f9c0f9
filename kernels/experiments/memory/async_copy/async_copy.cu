/* A stencil of three points on tiles of 1024 floats: out[i] = in[i - 1] + in[i] + in[i + 1], the ends of a tile being
 * neighbours. A block of 128 threads takes the tiles blockIdx.x, blockIdx.x + gridDim.x, ...; `tiles` is their number.
 */
#include "async_copy.h"
#include "benchmark/check.h"

// region stencil
/* The tile's results; `in` is the tile in global or in shared memory. */
__device__ static void stencil(const float *__restrict__ in, float *__restrict__ out)
{
#pragma unroll
    for (uint32_t i = threadIdx.x; i < TILE; i += THREADS)
        out[i] = in[(i + TILE - 1) % TILE] + in[i] + in[(i + 1) % TILE];
}
// end

// steps use async_copy.h:sizes, stencil

// region direct "Without shared memory"
/* Each thread loads three neighbours, two of which other threads load too: the L1 cache has them. */
extern "C" __global__ void async_copy_direct(const float *in, float *out, uint64_t tiles)
{
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        stencil(in + tile * TILE, out + tile * TILE);
}
// end

// region registers "Loads through registers"
/* Ordinary loads into registers, and stores to shared memory, between two barriers. With one stage the block loads,
 * waits, and computes. With two it loads the next tile into registers before it computes, so that the loads are under
 * way meanwhile. */
constexpr uint32_t VECTORS = TILE / 4 / THREADS; /* that a thread loads of a tile */

__device__ static void load(float4 (&values)[VECTORS], const float *in)
{
#pragma unroll
    for (uint32_t k = 0; k < VECTORS; k++)
        values[k] = reinterpret_cast<const float4 *>(in)[k * THREADS + threadIdx.x];
}

template <bool AHEAD> __device__ static void through_registers(const float *in, float *out, uint64_t tiles)
{
    __shared__ __align__(16) float shared[TILE];
    float4 values[VECTORS];
    if (AHEAD && blockIdx.x < tiles)
        load(values, in + blockIdx.x * (uint64_t)TILE);
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (!AHEAD)
            load(values, in + tile * TILE);
#pragma unroll
        for (uint32_t k = 0; k < VECTORS; k++)
            reinterpret_cast<float4 *>(shared)[k * THREADS + threadIdx.x] = values[k];
        __syncthreads();
        if (AHEAD && tile + gridDim.x < tiles)
            load(values, in + (tile + gridDim.x) * TILE);
        stencil(shared, out + tile * TILE);
        __syncthreads();
    }
}

extern "C" __global__ void async_copy_registers_1(const float *in, float *out, uint64_t tiles)
{
    through_registers<false>(in, out, tiles);
}

extern "C" __global__ void async_copy_registers_2(const float *in, float *out, uint64_t tiles)
{
    through_registers<true>(in, out, tiles);
}
// end

// region cp-async "cp.async"
/* Each thread starts copies of 16 bytes from global to shared memory, which use no registers (compute capability 8.0).
 * A group is the copies of a tile; a stage is a tile's place in shared memory. `wait_group` waits until at most as many
 * groups are under way, the newest ones. With one stage the block waits for the copy that it has just started; with S
 * stages S - 1 tiles are under way while it computes. */
__device__ static void start_copies(float *shared, const float *in)
{
#if __CUDA_ARCH__ >= 800
#pragma unroll
    for (uint32_t i = threadIdx.x * 4; i < TILE; i += THREADS * 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(shared + i)),
                     "l"(in + i)
                     : "memory");
#endif
}

__device__ static void commit_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int GROUPS> __device__ static void wait_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
#endif
}

template <uint32_t STAGES> __device__ static void by_cp_async(const float *in, float *out, uint64_t tiles)
{
    __shared__ __align__(16) float shared[STAGES][TILE];
    const uint64_t step = gridDim.x;
    for (uint32_t stage = 0; stage < STAGES; stage++) {
        if (blockIdx.x + stage * step < tiles)
            start_copies(shared[stage], in + (blockIdx.x + stage * step) * TILE);
        commit_group();
    }
    uint32_t stage = 0;
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += step, stage = (stage + 1) % STAGES) {
        wait_group<STAGES - 1>();
        __syncthreads();
        stencil(shared[stage], out + tile * TILE);
        __syncthreads();
        if (tile + STAGES * step < tiles)
            start_copies(shared[stage], in + (tile + STAGES * step) * TILE);
        commit_group();
    }
}

#define CP_ASYNC_KERNEL(stages)                                                                                        \
    extern "C" __global__ void async_copy_cp_async_##stages(const float *in, float *out, uint64_t tiles)               \
    {                                                                                                                  \
        by_cp_async<stages>(in, out, tiles);                                                                           \
    }
CP_ASYNC_KERNEL(1)
CP_ASYNC_KERNEL(2)
CP_ASYNC_KERNEL(4)
// end

// region tma "TMA: cp.async.bulk"
/* One thread starts one copy of the whole tile, which the tensor memory accelerator executes (compute capability 9.0).
 * A barrier in shared memory counts the bytes that have arrived; its phase, 0 or 1, changes when all have. The other
 * threads spend no instructions on addresses. */
__device__ static uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

__device__ static void make_barrier(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
#endif
}

/* Makes the barriers visible to the accelerator. */
__device__ static void publish_barriers()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

__device__ static void start_tile(float *shared, const float *in, uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    constexpr uint32_t bytes = TILE * sizeof(float);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(in), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
#endif
}

__device__ static void wait_phase(uint64_t *barrier, uint32_t phase)
{
#if __CUDA_ARCH__ >= 900
    uint32_t done = 0;
    while (done == 0)
        asm volatile(
            "{\n"
            ".reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n"
            "}"
            : "=r"(done)
            : "r"(shared_address(barrier)), "r"(phase)
            : "memory");
#endif
}

template <uint32_t STAGES> __device__ static void by_tma(const float *in, float *out, uint64_t tiles)
{
    __shared__ __align__(128) float shared[STAGES][TILE];
    __shared__ __align__(8) uint64_t barriers[STAGES];
    const uint64_t step = gridDim.x;
    if (threadIdx.x == 0) {
        for (uint32_t stage = 0; stage < STAGES; stage++)
            make_barrier(&barriers[stage]);
        publish_barriers();
        for (uint32_t stage = 0; stage < STAGES; stage++)
            if (blockIdx.x + stage * step < tiles)
                start_tile(shared[stage], in + (blockIdx.x + stage * step) * TILE, &barriers[stage]);
    }
    __syncthreads();
    uint32_t stage = 0, phase = 0;
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += step) {
        wait_phase(&barriers[stage], phase);
        stencil(shared[stage], out + tile * TILE);
        __syncthreads();
        if (threadIdx.x == 0 && tile + STAGES * step < tiles)
            start_tile(shared[stage], in + (tile + STAGES * step) * TILE, &barriers[stage]);
        stage = (stage + 1) % STAGES;
        phase ^= stage == 0;
    }
}

#define TMA_KERNEL(stages)                                                                                             \
    extern "C" __global__ void async_copy_tma_##stages(const float *in, float *out, uint64_t tiles)                    \
    {                                                                                                                  \
        by_tma<stages>(in, out, tiles);                                                                                \
    }
TMA_KERNEL(1)
TMA_KERNEL(2)
TMA_KERNEL(4)
// end

LAB_CHECK_KERNEL(async_copy_check, async_copy_expected)
