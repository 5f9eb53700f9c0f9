/* The PTX instructions of Hopper that wgmma.cu uses, each as a function: barriers in shared memory, copies by the
 * tensor memory accelerator (TMA), and the tensor cores' warpgroup multiply-add (wgmma). See NVIDIA's "PTX ISA" for
 * each.
 */
#ifndef LAB_CUDA_GEMM_WGMMA_CUH
#define LAB_CUDA_GEMM_WGMMA_CUH

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

/* Converts an address to the 32-bit address in shared memory that the instructions below need. */
__device__ static inline uint32_t shared_address(const void *generic)
{
    return (uint32_t)__cvta_generic_to_shared(generic);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

/* Increases or decreases the number of registers that each thread of the warpgroup has to COUNT. Registers are taken
 * from, or returned to, a pool of the block. */
template <int COUNT> __device__ static inline void increase_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT> __device__ static inline void decrease_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/* Waits until the 128 threads of the warpgroup have arrived at barrier `number`, which is at least 1, because __syncthreads
 * uses 0. */
__device__ static inline void synchronize_warpgroup(int number)
{
    asm volatile("bar.sync %0, 128;" ::"r"(number) : "memory");
}

/* The number of this block within its cluster. */
__device__ static inline uint32_t rank_in_cluster()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Waits until all threads of all blocks of the cluster have arrived. */
__device__ static inline void synchronize_cluster()
{
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;" ::
            : "memory");
}

/* --- barriers in shared memory: mbarrier -------------------------------------------------------------------------- */

/* Initialises a barrier for `arrivals` arrivals. A barrier counts arrivals of threads and bytes copied by TMA. When all
 * arrivals and bytes that a phase expects have been counted, the next phase begins. Phases are identified by their parity:
 * 0, 1, 0, 1, … */
__device__ static inline void barrier_init(uint64_t *barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* Makes initialised barriers visible to the other blocks of the cluster and to TMA. */
__device__ static inline void barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives at the barrier, and makes its current phase expect `bytes` more bytes. */
__device__ static inline void barrier_arrive_and_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/* Arrives at the same barrier of block `rank` of the cluster. Writes of this thread are not made visible to that block:
 * this would need a fence for the complete GPU, and is not needed, because the arrival only means that this warpgroup has
 * finished reading. */
__device__ static inline void barrier_arrive_at(uint64_t *barrier, uint32_t rank)
{
    asm volatile(
        "{\n"
        ".reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
        "}" ::"r"(shared_address(barrier)),
        "r"(rank)
        : "memory");
}

/* Waits until the phase with this parity has completed. The loop is needed, because try_wait suspends the thread only for
 * a limited time. */
__device__ static inline void barrier_wait(uint64_t *barrier, uint32_t parity)
{
    uint32_t over;
    do
        asm volatile(
            "{\n"
            ".reg .pred over;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n"
            "selp.u32 %0, 1, 0, over;\n"
            "}"
            : "=r"(over)
            : "r"(shared_address(barrier)), "r"(parity)
            : "memory");
    while (!over);
}

/* --- TMA, the tensor memory accelerator --------------------------------------------------------------------------- */

/* Copies a box of a matrix to the shared memory of each block of the cluster whose bit is set in `blocks`, at the same
 * offset in each, and adds the bytes to each block's `barrier` when they have arrived. */
__device__ static inline void load_box(void *box, const CUtensorMap *map, uint32_t column, uint32_t row,
                                       uint64_t *barrier, uint16_t blocks)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(box)),
        "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier)), "h"(blocks)
        : "memory");
}

/* Copies a box of a matrix to the shared memory of this block only, and adds the bytes to `barrier` when they have
 * arrived. */
__device__ static inline void load_box(void *box, const CUtensorMap *map, uint32_t column, uint32_t row,
                                       uint64_t *barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
        "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
        : "memory");
}

/* Copies a box from shared memory to a matrix. commit_stores puts the stores that the thread has started since its last
 * call into a group. */
__device__ static inline void store_box(const CUtensorMap *map, uint32_t column, uint32_t row, const void *box)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(column),
                 "r"(row), "r"(shared_address(box))
                 : "memory");
}
__device__ static inline void commit_stores()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until at most PENDING groups of this thread's stores have not finished reading shared memory. */
template <int PENDING> __device__ static inline void wait_for_stores_to_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

/* Makes this thread's writes to shared memory visible to the async proxy: to TMA and the tensor cores. */
__device__ static inline void fence_async_proxy()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Loads a tensor map into the cache before its first use. */
__device__ static inline void prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* --- the tensor cores: wgmma -------------------------------------------------------------------------------------- */

/* The matrix descriptor of an operand in shared memory. The operand is stored in atoms of 8 rows of 128 bytes with the
 * 128-byte swizzle. The descriptor holds the address of its first element, and the distance in bytes from atom to atom in
 * both directions (`leading` and `stride`). All are multiples of 16 and are encoded without their lowest four bits. In a
 * cluster the upper bits of a shared address identify the block; they are removed. */
__device__ static inline uint64_t operand_descriptor(const void *operand, uint32_t leading, uint32_t stride)
{
    uint64_t swizzle_128_bytes = 1;
    return (uint64_t)(shared_address(operand) & 0x3FFFF) >> 4 | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | swizzle_128_bytes << 62;
}

/* Orders this thread's earlier accesses to the accumulator registers before later multiplications. */
__device__ static inline void multiply_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Puts the multiplications that have been queued since the last call into a group. */
__device__ static inline void multiply_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until at most PENDING groups of multiplications are unfinished. */
template <int PENDING> __device__ static inline void multiply_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* Prevents the compiler from moving reads of the sums before multiply_wait; it does not know that they change there. */
template <int COUNT> __device__ inline void order_after_wait(float (&sums)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+f"(sums[i])::"memory");
}

/* Accumulators per thread: a 64 x 256 tile is distributed over the 128 threads of a warpgroup. */
enum { ACCUMULATORS = 128 };

#define ACCUMULATORS_8(sums, i)                                                                                        \
    "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]),      \
        "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define ACCUMULATORS_32(sums, i)                                                                                       \
    ACCUMULATORS_8(sums, i), ACCUMULATORS_8(sums, i + 8), ACCUMULATORS_8(sums, i + 16), ACCUMULATORS_8(sums, i + 24)

/* Queues sums = A B, or sums += A B if `add`, where A is 64 x 16 and B is 16 x 256. B_ALONG_N: neighbouring elements of
 * B in shared memory are along n (1) or along k (0). Those of A are along k. */
#define MULTIPLY(type)                                                                                                 \
    asm volatile(                                                                                                      \
        "{\n"                                                                                                          \
        ".reg .pred add;\n"                                                                                            \
        "setp.ne.b32 add, %130, 0;\n"                                                                                  \
        "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type                                                   \
        "\n"                                                                                                           \
        "{"                                                                                                            \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                       \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                             \
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                             \
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "                             \
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                             \
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                             \
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "                 \
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"               \
        "},\n"                                                                                                         \
        "%128, %129, add, 1, 1, 0, %131;\n"                                                                            \
        "}"                                                                                                            \
        : ACCUMULATORS_32(sums, 0), ACCUMULATORS_32(sums, 32), ACCUMULATORS_32(sums, 64), ACCUMULATORS_32(sums, 96)    \
        : "l"(a), "l"(b), "r"((int)add), "n"(B_ALONG_N))
template <typename Element, int B_ALONG_N>
__device__ static inline void multiply(float (&sums)[ACCUMULATORS], uint64_t a, uint64_t b, bool add)
{
    if constexpr (std::is_same_v<Element, __half>)
        MULTIPLY("f16");
    else
        MULTIPLY("bf16");
}
#undef MULTIPLY
#undef ACCUMULATORS_32
#undef ACCUMULATORS_8

/* --- results ------------------------------------------------------------------------------------------------------ */

/* Converts two sums to the element type, rounded to nearest, ties to even, and packs them into one register. */
template <typename Element> __device__ static inline uint32_t rounded(float first, float second)
{
    uint32_t pair;
    if constexpr (std::is_same_v<Element, __half>)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    else
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

/* Stores four 8 x 8 matrices of 2-byte elements, distributed over the warp as the tensor cores return them: matrix i in
 * parts[i], its row r to the address that thread 8 i + r passes. */
__device__ static inline void store_matrices(void *row, const uint32_t (&parts)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
                 "r"(parts[0]), "r"(parts[1]), "r"(parts[2]), "r"(parts[3])
                 : "memory");
}

#endif
