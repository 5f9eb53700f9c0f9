/* The instructions of Hopper that wgmma.cu is made of, each as a function: barriers in shared memory, TMA
 * (TMA), and the tensor cores' warpgroup instruction. All are documented in NVIDIA's "PTX ISA"; the name of each is in
 * its text here.
 */
#ifndef LAB_CUDA_GEMM_WGMMA_CUH
#define LAB_CUDA_GEMM_WGMMA_CUH

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

/* Shared memory has addresses of its own, 32 bits wide; the instructions below want these. */
__device__ static inline uint32_t shared_address(const void *generic)
{
    return (uint32_t)__cvta_generic_to_shared(generic);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

/* Takes registers from the multiprocessor's pool, or gives some back: COUNT is what each thread of the warpgroup has
 * from here on. */
template <int COUNT> __device__ static inline void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT> __device__ static inline void give_back_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/* Waits until the 128 threads that use barrier `number` (from 1 on; 0 is __syncthreads') have come. */
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

/* Waits until all threads of all blocks of the cluster have come. */
__device__ static inline void synchronize_cluster()
{
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;" ::
            : "memory");
}

/* --- barriers: mbarrier --------------------------------------------------------------------------------------------
 * A barrier counts arrivals of threads and bytes brought by TMA. When all that its phase waits for has
 * come, the next phase begins; phases are told apart by their parity, 0, 1, 0, 1, … */

__device__ static inline void barrier_init(uint64_t *barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* Lets the other blocks of the cluster and TMA see barriers that were just set up. */
__device__ static inline void barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and has the phase wait for so many bytes as well. */
__device__ static inline void barrier_arrive_and_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/* Arrives at the same barrier of block `rank` of the cluster. What this thread has written is not made visible there:
 * that would take a fence for the whole GPU, and those who wait want to know that reading is over. */
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

/* Waits until the phase of that parity is over. The hardware puts the thread to sleep for a while before it says no. */
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

/* Fetches a box of a matrix into the shared memory of each block of the cluster that has its bit in `blocks`, at the
 * same place in each, and tells each one's `barrier` of the bytes when they are there. */
__device__ static inline void fetch_box(void *box, const CUtensorMap *map, uint32_t column, uint32_t row,
                                        uint64_t *barrier, uint16_t blocks)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(box)),
        "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier)), "h"(blocks)
        : "memory");
}

/* The same for this block alone. */
__device__ static inline void fetch_box(void *box, const CUtensorMap *map, uint32_t column, uint32_t row,
                                        uint64_t *barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
        "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
        : "memory");
}

/* Writes a box to a matrix. Stores are counted in groups, each closed by `commit_stores`. */
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

/* Waits until at most PENDING groups of this thread's stores have yet to read their shared memory. */
template <int PENDING> __device__ static inline void wait_until_stores_have_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

/* Lets TMA see what this thread has written to shared memory. */
__device__ static inline void show_to_copy_engine()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Gets the description of a matrix into TMA's cache ahead of its first use. */
__device__ static inline void prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* --- the tensor cores: wgmma -------------------------------------------------------------------------------------- */

/* How the tensor cores find an operand in shared memory, where it lies in atoms of 8 rows of 128 bytes, swizzled: the
 * address of its first element, and the bytes from atom to atom in the one direction and in the other. All of these are
 * multiples of 16 and stored without their last four bits. (In a cluster, the upper bits of a shared address say whose
 * memory it is; they have no place here.) */
__device__ static inline uint64_t operand_descriptor(const void *operand, uint32_t leading, uint32_t stride)
{
    uint64_t swizzle_128_bytes = 1;
    return (uint64_t)(shared_address(operand) & 0x3FFFF) >> 4 | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | swizzle_128_bytes << 62;
}

/* Orders this thread's earlier use of the accumulator registers before the multiplications to come. */
__device__ static inline void multiply_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Multiplications are counted in groups, each closed by `multiply_commit`. */
__device__ static inline void multiply_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until at most PENDING groups are still at work. */
template <int PENDING> __device__ static inline void multiply_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* Whoever reads the sums from here on does so after the wait above: the compiler does not know that it writes them. */
template <int COUNT> __device__ inline void keep_behind(float (&sums)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+f"(sums[i])::"memory");
}

/* The accumulators of a 64 x 256 tile, spread over the 128 threads of a warpgroup. */
enum { ACCUMULATORS = 128 };

#define ACCUMULATORS_8(sums, i)                                                                                        \
    "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]),      \
        "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define ACCUMULATORS_32(sums, i)                                                                                       \
    ACCUMULATORS_8(sums, i), ACCUMULATORS_8(sums, i + 8), ACCUMULATORS_8(sums, i + 16), ACCUMULATORS_8(sums, i + 24)

/* sums = A B, or += A B where `add`: 64 x 16 times 16 x 256, queued for the tensor cores. B_ACROSS: whether B lies in
 * shared memory with neighbours along n (1) or along k (0); A lies along k. */
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
        : "l"(a), "l"(b), "r"((int)add), "n"(B_ACROSS))
template <typename Element, int B_ACROSS>
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

/* Two sums, rounded to nearest even, in one register. */
template <typename Element> __device__ static inline uint32_t rounded(float first, float second)
{
    uint32_t pair;
    if constexpr (std::is_same_v<Element, __half>)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    else
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

/* Stores four 8 x 8 matrices of 2-byte elements, which a warp holds as the tensor cores deal them out: matrix i in
 * parts[i], its row r at the address that thread 8 i + r gives. */
__device__ static inline void store_matrices(void *row, const uint32_t (&parts)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
                 "r"(parts[0]), "r"(parts[1]), "r"(parts[2]), "r"(parts[3])
                 : "memory");
}

#endif
