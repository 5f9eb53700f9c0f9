/* The PTX instructions of Hopper that kernel.cuh uses, each as a function: barriers in shared memory, copies by the
 * tensor memory accelerator (TMA), and the tensor cores' warpgroup multiply-add (wgmma). See NVIDIA's "PTX ISA" for
 * each.
 */
#ifndef LAB_CUDA_GEMM_WGMMA_INSTRUCTIONS_CUH
#define LAB_CUDA_GEMM_WGMMA_INSTRUCTIONS_CUH

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>

/* Converts an address to the 32-bit address in shared memory that the instructions below need. */
__device__ static inline uint32_t shared_address(const void *generic)
{
    return (uint32_t)__cvta_generic_to_shared(generic);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

/* Returns `value`, which all 32 threads of the warp must pass alike. The compiler then knows that it is the same, and
 * computes once for the warp, in uniform registers, what follows from it. */
__device__ static inline uint32_t uniform(uint32_t value)
{
    return __reduce_max_sync(UINT32_MAX, value);
}

/* Returns this thread's `value`, through a shuffle, so that the compiler keeps it in a register instead of computing it
 * again where it is used. All 32 threads of the warp must call it. */
__device__ static inline uint32_t kept(uint32_t value)
{
    return __shfl_sync(UINT32_MAX, value, threadIdx.x % 32);
}

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

/* Waits until the 128 threads of the warpgroup have arrived at barrier `number`, which is at least 1, because
 * __syncthreads uses 0. */
__device__ static inline void synchronize_warpgroup(int number)
{
    asm volatile("bar.sync %0, 128;" ::"r"(number) : "memory");
}

/* The number of this thread within its warp; kept in a register. */
__device__ static inline uint32_t lane_of_thread()
{
    uint32_t lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
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

/* Waits until the kernels that this one depends on, launched before it in the stream, have ended and their writes are
 * visible. Without programmatic launches, it returns at once. */
__device__ static inline void wait_for_kernels_before()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* Lets the next kernel of the stream start, if it was launched to overlap with this one, when all blocks have called
 * this or ended. It waits in wait_for_kernels_before. */
__device__ static inline void let_next_kernel_start()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* --- flags in device memory --------------------------------------------------------------------------------------- */

/* Sets a flag, after which this thread's writes, and those that it has waited for, are visible to who has seen it. */
__device__ static inline void set_flag(uint32_t *flag, uint32_t value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/* Waits until a flag is set. */
__device__ static inline void wait_for_flag(const uint32_t *flag)
{
    uint32_t value;
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    while (value == 0);
}

/* A word that other blocks change. No other read or write is ordered by it. */
__device__ static inline uint32_t load_relaxed(const uint32_t *word)
{
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word));
    return value;
}

/* --- barriers in shared memory: mbarrier -------------------------------------------------------------------------- */

/* Initialises a barrier for `arrivals` arrivals. A barrier counts arrivals of threads and bytes copied by TMA. When all
 * arrivals and bytes that a phase expects have been counted, the next phase begins. Phases are identified by their
 * parity: 0, 1, 0, 1, … */
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

/* Arrives at the barrier with this address. */
__device__ static inline void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrives at the same barrier of block `rank` of the cluster. Writes of this thread are not made visible to that block:
 * this would need a fence for the complete GPU, and is not needed, because the arrival only means that this warpgroup
 * or warp has finished reading. */
__device__ static inline void barrier_arrive_at(uint32_t barrier, uint32_t rank)
{
    asm volatile(
        "{\n"
        ".reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
        "}" ::"r"(barrier),
        "r"(rank)
        : "memory");
}

/* Waits until the phase with this parity has completed. The loop is needed, because try_wait suspends the thread only
 * for a limited time. */
__device__ static inline void barrier_wait(uint32_t barrier, uint32_t parity)
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
            : "r"(barrier), "r"(parity)
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

/* Loads 4 bytes from an address in shared memory. */
__device__ static inline uint32_t load_shared(uint32_t address)
{
    uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

/* Loads 8 bytes. */
__device__ static inline double load_shared_double(uint32_t address)
{
    double number;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(number) : "r"(address));
    return number;
}

/* --- the tensor cores: wgmma -------------------------------------------------------------------------------------- */

/* The matrix descriptor of an operand in shared memory. The operand is stored in atoms of 8 rows of 128 bytes with the
 * 128-byte swizzle. The lower word holds the address of the operand's first element, and the distance in bytes from
 * atom to atom in one direction (`leading`); the upper word, a constant, the distance in the other one, 1024 bytes, and
 * the swizzle. Addresses and distances are encoded without their lowest four bits. In a cluster the upper bits of a
 * shared address identify the block; they are removed. */
__device__ static inline uint32_t operand_descriptor(uint32_t address, uint32_t leading)
{
    return (address & 0x3FFFF) >> 4 | leading >> 4 << 16;
}
#define DESCRIPTOR_UPPER "0x40000040" /* 1024 >> 4; bit 30: swizzle of 128 bytes */

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

/* A thread of the warpgroup holds N / 2 sums of a tile of 64 x N. These are lists of the registers that hold 32 sums,
 * and of their numbers in an instruction. */
#define SUMS_8(i)                                                                                                      \
    "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]),      \
        "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define NUMBERS_10(tens)                                                                                               \
    "%" #tens "0, %" #tens "1, %" #tens "2, %" #tens "3, %" #tens "4, %" #tens "5, %" #tens "6, %" #tens "7, %" #tens  \
    "8, %" #tens "9"
#define NUMBERS_32 NUMBERS_10() ", " NUMBERS_10(1) ", " NUMBERS_10(2) ", %30, %31"
#define NUMBERS_64                                                                                                     \
    NUMBERS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, " NUMBERS_10(4) ", " NUMBERS_10(5) ", %60, %61, %62, %63"
#define NUMBERS_128                                                                                                    \
    NUMBERS_64 ", %64, %65, %66, %67, %68, %69, " NUMBERS_10(7) ", " NUMBERS_10(8) ", " NUMBERS_10(9) ", " NUMBERS_10( \
        10) ", " NUMBERS_10(11) ", %120, %121, %122, %123, %124, %125, %126, %127"

/* sums = A B, or sums += A B if `add`. B_ALONG_N: neighbouring elements of B in shared memory are along n (1), which
 * only types of 2 bytes allow, or along k (0). Those of A are along k. */
#define MULTIPLY(shape, type, sums_list, numbers, a_number, b_number, add_number, along_n)                             \
    asm volatile(                                                                                                      \
        "{\n"                                                                                                          \
        ".reg .pred add;\n"                                                                                            \
        ".reg .b64 a, b;\n"                                                                                            \
        "setp.ne.b32 add, " add_number                                                                                 \
        ", 0;\n"                                                                                                       \
        "mov.b64 a, {" a_number ", " DESCRIPTOR_UPPER                                                                  \
        "};\n"                                                                                                         \
        "mov.b64 b, {" b_number ", " DESCRIPTOR_UPPER                                                                  \
        "};\n"                                                                                                         \
        "wgmma.mma_async.sync.aligned." shape ".f32." type "." type " {" numbers "}, a, b, add, 1, 1" along_n          \
        ";\n"                                                                                                          \
        "}"                                                                                                            \
        : sums_list                                                                                                    \
        : "r"(a), "r"(b), "r"((int)add), "n"(B_ALONG_N))
/* The same with A in registers: of 8 numbers of tf32 along k, the four that the thread holds. */
#define MULTIPLY_REGISTERS(shape, sums_list, numbers, a_numbers, b_number, add_number)                                 \
    asm volatile(                                                                                                      \
        "{\n"                                                                                                          \
        ".reg .pred add;\n"                                                                                            \
        ".reg .b64 b;\n"                                                                                               \
        "setp.ne.b32 add, " add_number                                                                                 \
        ", 0;\n"                                                                                                       \
        "mov.b64 b, {" b_number ", " DESCRIPTOR_UPPER                                                                  \
        "};\n"                                                                                                         \
        "wgmma.mma_async.sync.aligned." shape "k8.f32.tf32.tf32 {" numbers "}, {" a_numbers                            \
        "}, b, add, 1, 1;\n"                                                                                           \
        "}"                                                                                                            \
        : sums_list                                                                                                    \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"((int)add))
#define MULTIPLY_64(k, type, along_n) MULTIPLY("m64n64" k, type, SUMS_32(0), NUMBERS_32, "%32", "%33", "%34", along_n)
#define MULTIPLY_128(k, type, along_n)                                                                                 \
    MULTIPLY("m64n128" k, type, SUMS_32(0) COMMA SUMS_32(32), NUMBERS_64, "%64", "%65", "%66", along_n)
#define MULTIPLY_256(k, type, along_n)                                                                                 \
    MULTIPLY("m64n256" k, type, SUMS_32(0) COMMA SUMS_32(32) COMMA SUMS_32(64) COMMA SUMS_32(96), NUMBERS_128, "%128", \
             "%129", "%130", along_n)
#define COMMA ,

/* Queues the multiplication of A, 64 rows, by B, as many columns as there are sums for, each 32 bytes along k. */
#define DEFINE_MULTIPLY(columns, count, number)                                                                        \
    template <typename Element, int B_ALONG_N>                                                                         \
    __device__ static inline void multiply(float(&sums)[count], uint32_t a, uint32_t b, bool add)                      \
    {                                                                                                                  \
        if constexpr (std::is_same_v<Element, __half>)                                                                 \
            MULTIPLY_##columns("k16", "f16", ", 0, " number);                                                          \
        else if constexpr (std::is_same_v<Element, __nv_bfloat16>)                                                     \
            MULTIPLY_##columns("k16", "bf16", ", 0, " number);                                                         \
        else if constexpr (std::is_same_v<Element, __nv_fp8_e4m3>)                                                     \
            MULTIPLY_##columns("k32", "e4m3", "");                                                                     \
        else                                                                                                           \
            MULTIPLY_##columns("k8", "tf32", "");                                                                      \
    }
DEFINE_MULTIPLY(64, 32, "%35")
DEFINE_MULTIPLY(128, 64, "%67")
DEFINE_MULTIPLY(256, 128, "%131")
#undef DEFINE_MULTIPLY

/* Queues the multiplication of A, 64 rows of tf32, by B, both 32 bytes along k. With g = lane / 4 and t = lane % 4, a
 * thread holds of A the rows g and g + 8 of its warp's 16 at t, then at t + 4. The registers must not change until the
 * multiplication has ended. */
__device__ static inline void multiply(float (&sums)[32], const uint32_t (&a)[4], uint32_t b, bool add)
{
    MULTIPLY_REGISTERS("m64n64", SUMS_32(0), NUMBERS_32, "%32, %33, %34, %35", "%36", "%37");
}
__device__ static inline void multiply(float (&sums)[64], const uint32_t (&a)[4], uint32_t b, bool add)
{
    MULTIPLY_REGISTERS("m64n128", SUMS_32(0) COMMA SUMS_32(32), NUMBERS_64, "%64, %65, %66, %67", "%68", "%69");
}
__device__ static inline void multiply(float (&sums)[128], const uint32_t (&a)[4], uint32_t b, bool add)
{
    MULTIPLY_REGISTERS("m64n256", SUMS_32(0) COMMA SUMS_32(32) COMMA SUMS_32(64) COMMA SUMS_32(96), NUMBERS_128,
                       "%128, %129, %130, %131", "%132", "%133");
}
#undef COMMA
#undef MULTIPLY_256
#undef MULTIPLY_128
#undef MULTIPLY_64
#undef MULTIPLY_REGISTERS
#undef MULTIPLY
#undef NUMBERS_128
#undef NUMBERS_64
#undef NUMBERS_32
#undef NUMBERS_10
#undef SUMS_32
#undef SUMS_8

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
