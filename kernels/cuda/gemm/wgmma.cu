// region kernel
/* WGMMA + TMA, for Hopper. Persistent, warp-specialised blocks: each multiprocessor runs one block for the complete
 * product, which computes one tile of C after the other. One thread of the block, the producer, makes the tensor memory
 * accelerator (TMA) copy boxes of A and B into a ring buffer of stages in shared memory. Two warpgroups, the consumers,
 * multiply the stages that have arrived (wgmma), each with 64 x 256 sums in registers. Each stage has two barriers in
 * shared memory, "full" and "empty". While the consumers round and store a tile, the producer already loads the next
 * one.
 *
 * Blocks form clusters of two, whose tiles are below each other in C. They need the same columns of B, so each block
 * loads half of them and TMA multicasts every box to both shared memories.
 *
 * Inputs whose rows are not aligned for TMA are copied first (operand.cuh), as part of the launch and its time.
 * Compiled only for sm_90a.
 */
#include "gemm.h"

#include "operand.cuh"
#include "wgmma.cuh"

#include <cstdlib>

namespace
{

enum {
    CLUSTER = 2,                           /* blocks, each with its own tile */
    CONSUMERS = 2,                         /* warpgroups that multiply, one below the other in the tile */
    WARPGROUP = 128,                       /* threads */
    THREADS = (CONSUMERS + 1) * WARPGROUP, /* the producer's warpgroup is the last */
    WARPGROUP_M = 64,                      /* rows of a consumer */
    BM = CONSUMERS * WARPGROUP_M,          /* rows and columns of C per block */
    BN = 256,
    BK = 64,      /* elements along k in a stage: 128 bytes, the width of the swizzle */
    WGMMA_K = 16, /* elements along k that one instruction multiplies */
    STAGES = 4,
    BOX_COLUMNS = 64, /* columns of a box of C, and of B in layout NN: also 128 bytes */
    GROUP_M = 8,      /* see tile_at */
    PRODUCER_REGISTERS = 24,
    CONSUMER_REGISTERS = 240,
    ELEMENT = 2,            /* bytes */
    ATOM = 8 * BK * ELEMENT /* bytes after which the swizzle repeats: 8 rows of 128 bytes */
};

/* The kernel's argument. A tensor map describes a matrix and its boxes. */
struct job {
    CUtensorMap a, b, c;
    void *results; /* C, if its rows are not aligned for TMA; else nullptr, and C is written through its tensor map */
    uint32_t m, n, k;
};

/* Shared memory. The swizzle needs boxes that are aligned to 1024 bytes; they are if the struct is. */
struct shared {
    unsigned char a[STAGES][BM * BK * ELEMENT];
    unsigned char b[STAGES][BN * BK * ELEMENT];
    unsigned char c[CONSUMERS][2][WARPGROUP_M * BOX_COLUMNS * ELEMENT];
    uint64_t full[STAGES], empty[STAGES];
};
enum { SHARED_ALIGNMENT = 1024, SHARED_BYTES = sizeof(struct shared) + SHARED_ALIGNMENT };

/* --- shared by producer and consumers ----------------------------------------------------------------------------- */

/* A thread's position in the ring buffer: the stage, and the parity (0 or 1) of the number of times that the thread has
 * passed the end of the buffer, which is also the parity of the phase of the stage's barriers. */
struct ring_position {
    uint32_t stage = 0, parity = 0;
    __device__ void next()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

struct tile {
    uint32_t row, column; /* position in C of the tile's first element */
};

/* x / y, rounded up. */
__host__ __device__ inline uint32_t divide_up(uint32_t x, uint32_t y)
{
    return (x + y - 1) / y;
}

/* The position of a cluster's tile number `index`. Clusters that run at the same time have neighbouring numbers.
 * Numbers advance down groups of GROUP_M rows of tiles, so that these tiles form about a square, which has the fewest
 * different rows of A and columns of B for its size. Every second group is traversed backwards. */
__device__ tile tile_at(uint32_t index, const job &job)
{
    uint32_t rows = divide_up(job.m, CLUSTER * BM), columns = divide_up(job.n, BN);
    uint32_t group = index / (GROUP_M * columns), within = index % (GROUP_M * columns);
    uint32_t height = min((uint32_t)GROUP_M, rows - group * GROUP_M);
    uint32_t row = group * GROUP_M + within % height, column = within / height;
    if (group % 2 != 0)
        column = columns - 1 - column;
    return {row * CLUSTER * BM, column * BN};
}

/* Calls visit(tile) for each tile of this block, in the same order for the producer and the consumers. */
template <typename Visit> __device__ void for_tiles(const job &job, Visit visit)
{
    uint32_t tiles = divide_up(job.m, CLUSTER * BM) * divide_up(job.n, BN);
    for (uint32_t index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
        tile tile = tile_at(index, job);
        tile.row += rank_in_cluster() * BM;
        visit(tile);
    }
}

/* --- the producer ------------------------------------------------------------------------------------------------- */

/* Starts to load a stage: this block's rows of A and, for both blocks of the cluster, its half of the columns of B. */
template <lab_gemm_layout LAYOUT>
__device__ void load_stage(shared &shared, const job &job, uint32_t stage, tile tile, uint32_t first_k)
{
    constexpr uint16_t both = (1 << CLUSTER) - 1;
    constexpr uint32_t half = BN / CLUSTER;
    uint32_t first = rank_in_cluster() * half;
    unsigned char *b = shared.b[stage] + first * BK * ELEMENT;
    uint64_t *full = &shared.full[stage];

    barrier_arrive_and_expect(full, sizeof shared.a[stage] + sizeof shared.b[stage]);
    load_box(shared.a[stage], &job.a, first_k, tile.row, full);
    if constexpr (LAYOUT == LAB_GEMM_TN) {
        load_box(b, &job.b, first_k, tile.column + first, full, both);
    } else {
        for (uint32_t i = 0; i < half; i += BOX_COLUMNS)
            load_box(b + i * BK * ELEMENT, &job.b, tile.column + first + i, first_k, full, both);
    }
}

/* Loads the stages of all tiles of this block. Every second tile is traversed backwards along k, because it has the same
 * rows of A or columns of B as the tile before, and their part that was loaded last is still in the L2 cache. */
template <lab_gemm_layout LAYOUT> __device__ void produce(shared &shared, const job &job)
{
    ring_position ring;
    bool backwards = false;
    uint32_t steps = divide_up(job.k, BK);
    for_tiles(job, [&](tile tile) {
        for (uint32_t step = 0; step < steps; step++) {
            barrier_wait(&shared.empty[ring.stage], ring.parity ^ 1); /* does not wait on a newly initialised barrier */
            load_stage<LAYOUT>(shared, job, ring.stage, tile, (backwards ? steps - 1 - step : step) * BK);
            ring.next();
        }
        backwards = !backwards;
    });
}

/* --- the consumers ------------------------------------------------------------------------------------------------ */

/* Queues the multiplications of one stage. In boxes of A, and of B in layout TN, each row holds 128 bytes along k: the
 * next 16 of k are 32 bytes further. In layout NN, each box of 64 columns of B has a row of 128 bytes for each k: the
 * next 16 of k are two atoms further. */
template <typename Element, lab_gemm_layout LAYOUT>
__device__ void multiply_stage(float (&sums)[ACCUMULATORS], const shared &shared, uint32_t stage, int consumer,
                               bool first)
{
    constexpr bool along_n = LAYOUT == LAB_GEMM_NN;
    constexpr uint32_t box = BOX_COLUMNS * BK * ELEMENT;
    uint64_t a = operand_descriptor(shared.a[stage] + consumer * WARPGROUP_M * BK * ELEMENT, 0, ATOM);
    uint64_t b = operand_descriptor(shared.b[stage], along_n ? box : 0, ATOM);
    constexpr uint64_t next_a = (WGMMA_K * ELEMENT) >> 4; /* in units of 16 bytes, as descriptors hold addresses */
    constexpr uint64_t next_b = along_n ? (2 * ATOM) >> 4 : next_a;

    multiply_fence();
#pragma unroll
    for (int step = 0; step < BK / WGMMA_K; step++)
        multiply<Element, along_n>(sums, a + step * next_a, b + step * next_b, !first || step != 0);
    multiply_commit();
}

/* Signals to the producers of both blocks, which both write to the stage, that this warpgroup has finished reading
 * it. */
__device__ void release_stage(shared &shared, uint32_t stage, uint32_t thread)
{
    if (thread < CLUSTER)
        barrier_arrive_at(&shared.empty[stage], thread);
}

/* Computes the sums of a tile over all of k. The multiplications of a stage are queued before those of the preceding stage
 * have finished, so that the tensor cores always have work. */
template <typename Element, lab_gemm_layout LAYOUT>
__device__ void multiply_tile(float (&sums)[ACCUMULATORS], shared &shared, ring_position &ring, uint32_t k,
                              int consumer, uint32_t thread)
{
    uint32_t last = 0;
    for (uint32_t first_k = 0; first_k < k; first_k += BK) {
        barrier_wait(&shared.full[ring.stage], ring.parity);
        multiply_stage<Element, LAYOUT>(sums, shared, ring.stage, consumer, first_k == 0);
        multiply_wait<1>();
        if (first_k != 0)
            release_stage(shared, last, thread);
        last = ring.stage;
        ring.next();
    }
    multiply_wait<0>();
    order_after_wait(sums);
    release_stage(shared, last, thread);
}

/* Stores a tile through shared memory, in boxes of 64 x 64 that TMA writes to C; while TMA reads one box, the next is
 * written to shared memory. A warp holds 16 rows; each 16 columns of them are four matrices of 8 x 8. */
template <typename Element>
__device__ void store_by_boxes(const float (&sums)[ACCUMULATORS], shared &shared, const job &job, tile tile,
                               int consumer, uint32_t thread)
{
    /* The row, and the left (0) or right (1) matrix, of the address that this thread passes to store_matrices. */
    uint32_t row = thread / 32 * 16 + thread % 16, right = thread / 16 % 2;
#pragma unroll
    for (int box = 0; box < BN / BOX_COLUMNS; box++) {
        unsigned char *buffer = shared.c[consumer][box % 2];
        if (thread == 0)
            wait_for_stores_to_read<1>();
        synchronize_warpgroup(1 + consumer);
#pragma unroll
        for (int part = 0; part < BOX_COLUMNS / 16; part++) {
            const float *part_sums = sums + box * (BOX_COLUMNS / 2) + part * 8;
            uint32_t matrices[4] = {
                rounded<Element>(part_sums[0], part_sums[1]), rounded<Element>(part_sums[2], part_sums[3]),
                rounded<Element>(part_sums[4], part_sums[5]), rounded<Element>(part_sums[6], part_sums[7])};
            uint32_t chunk = (2 * part + right) ^ row % 8; /* index of the 16-byte chunk in the row, swizzled */
            store_matrices(buffer + row * BOX_COLUMNS * ELEMENT + chunk * 16, matrices);
        }
        fence_async_proxy();
        synchronize_warpgroup(1 + consumer);
        if (thread == 0) {
            store_box(&job.c, tile.column + box * BOX_COLUMNS, tile.row + consumer * WARPGROUP_M, buffer);
            commit_stores();
        }
    }
}

/* Stores a tile element by element, if the rows of C do not begin at multiples of 16 bytes. */
template <typename Element>
__device__ void store_by_elements(const float (&sums)[ACCUMULATORS], const job &job, tile tile, int consumer,
                                  uint32_t thread)
{
    uint32_t row = tile.row + consumer * WARPGROUP_M + thread / 32 * 16 + thread % 32 / 4;
    uint32_t column = tile.column + thread % 4 * 2;
    Element *results = static_cast<Element *>(job.results);
#pragma unroll
    for (int i = 0; i < ACCUMULATORS; i++) {
        uint32_t r = row + i / 2 % 2 * 8, c = column + i / 4 * 8 + i % 2;
        if (r < job.m && c < job.n)
            results[(size_t)r * job.n + c] = Element(sums[i]);
    }
}

template <typename Element, lab_gemm_layout LAYOUT>
__device__ void consume(shared &shared, const job &job, int consumer, uint32_t thread)
{
    float sums[ACCUMULATORS];
    ring_position ring;
    for_tiles(job, [&](tile tile) {
        multiply_tile<Element, LAYOUT>(sums, shared, ring, job.k, consumer, thread);
        if (job.results == nullptr)
            store_by_boxes<Element>(sums, shared, job, tile, consumer, thread);
        else
            store_by_elements<Element>(sums, job, tile, consumer, thread);
    });
    wait_for_stores_to_read<0>();
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

__device__ void init_barriers(shared &shared, const job &job)
{
    prefetch_map(&job.a);
    prefetch_map(&job.b);
    for (int stage = 0; stage < STAGES; stage++) {
        barrier_init(&shared.full[stage], 1);
        barrier_init(&shared.empty[stage], CLUSTER * CONSUMERS);
    }
    barrier_init_done();
}

template <typename Element, lab_gemm_layout LAYOUT>
__global__ __cluster_dims__(CLUSTER)
    __launch_bounds__(THREADS, 1) void multiply_by_wgmma(const __grid_constant__ job job)
{
    extern __shared__ unsigned char memory[];
    uintptr_t aligned = (reinterpret_cast<uintptr_t>(memory) + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT;
    shared &shared = *reinterpret_cast<struct shared *>(aligned * SHARED_ALIGNMENT);
    /* The shuffle shows the compiler that all threads of a warp have the same value. */
    int warpgroup = __shfl_sync(UINT32_MAX, threadIdx.x / WARPGROUP, 0);
    uint32_t thread = threadIdx.x % WARPGROUP;

    if (threadIdx.x == 0)
        init_barriers(shared, job);
    synchronize_cluster();
    if (warpgroup == CONSUMERS) {
        decrease_registers<PRODUCER_REGISTERS>();
        if (thread == 0)
            produce<LAYOUT>(shared, job);
        __syncwarp();
    } else {
        increase_registers<CONSUMER_REGISTERS>();
        consume<Element, LAYOUT>(shared, job, warpgroup, thread);
    }
    synchronize_cluster(); /* a block must not end while the other one may still write to its shared memory */
}

} // namespace
// end kernel

namespace
{

/* --- host code ---------------------------------------------------------------------------------------------------- */

using kernel = void (*)(job);

struct plan {
    job job;
    operand a, b;
    kernel kernel;
};

template <typename Element> kernel kernel_of(lab_gemm_layout layout)
{
    return layout == LAB_GEMM_TN ? multiply_by_wgmma<Element, LAB_GEMM_TN> : multiply_by_wgmma<Element, LAB_GEMM_NN>;
}

cudaError_t make_operands(plan *plan, const struct cuda_gemm *gemm)
{
    bool tn = gemm->layout == LAB_GEMM_TN;
    cudaError_t status = make_operand(&plan->a, gemm->a, gemm->m, gemm->k);
    if (status == cudaSuccess)
        status = make_operand(&plan->b, gemm->b, tn ? gemm->n : gemm->k, tn ? gemm->k : gemm->n);
    return status;
}

cudaError_t make_maps(plan *plan, const struct cuda_gemm *gemm)
{
    bool tn = gemm->layout == LAB_GEMM_TN;
    operand c = {static_cast<uint16_t *>(gemm->c), nullptr, gemm->m, gemm->n, gemm->n};
    cudaError_t status = map_operand(&plan->job.a, plan->a, gemm->type, BM, BK);
    if (status == cudaSuccess)
        status = map_operand(&plan->job.b, plan->b, gemm->type, tn ? BN / CLUSTER : BK, tn ? BK : BOX_COLUMNS);
    if (status == cudaSuccess && plan->job.results == nullptr)
        status = map_operand(&plan->job.c, c, gemm->type, WARPGROUP_M, BOX_COLUMNS);
    return status;
}

void discard(struct cuda_gemm *gemm)
{
    plan *prepared = static_cast<plan *>(gemm->prepared);
    cudaFree(prepared->a.padded);
    cudaFree(prepared->b.padded);
    free(prepared);
    gemm->prepared = nullptr;
}

cudaError_t prepare(struct cuda_gemm *gemm, const char **why)
{
    /* aligned_alloc, because tensor maps must be aligned to 64 bytes. */
    plan *prepared = static_cast<plan *>(aligned_alloc(alignof(plan), sizeof(plan)));
    if (prepared == nullptr)
        return cudaErrorMemoryAllocation;
    *prepared = {};
    gemm->prepared = prepared;
    bool aligned_rows = gemm->n * (size_t)ELEMENT % 16 == 0;
    prepared->job.results = aligned_rows ? nullptr : gemm->c;
    prepared->job.m = gemm->m;
    prepared->job.n = gemm->n;
    prepared->job.k = gemm->k;
    prepared->kernel =
        gemm->type == LAB_GEMM_BF16 ? kernel_of<__nv_bfloat16>(gemm->layout) : kernel_of<__half>(gemm->layout);

    cudaError_t status = make_operands(prepared, gemm);
    if (status == cudaSuccess)
        status = make_maps(prepared, gemm);
    if (status == cudaErrorNotSupported)
        *why = "the driver does not support tensor maps, which TMA needs: it is older than CUDA 12";
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(prepared->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    if (status != cudaSuccess)
        discard(gemm);
    return status;
}

/* Launching as many clusters as fit on the GPU gives a maximum number of tiles per cluster. Returns the smallest number
 * of clusters that does not raise this maximum. All clusters are then busy until the end, and unused multiprocessors
 * draw less power, so the others run faster. */
uint32_t clusters_for(const struct cuda_gemm *gemm)
{
    uint32_t tiles = divide_up(gemm->m, CLUSTER * BM) * divide_up(gemm->n, BN);
    uint32_t fit = (uint32_t)gemm->multiprocessors / CLUSTER;
    return fit <= 1 ? 1 : divide_up(tiles, divide_up(tiles, fit));
}

cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    const plan *prepared = static_cast<const plan *>(gemm->prepared);
    cudaError_t status = queue_padding(prepared->a, stream);
    if (status == cudaSuccess)
        status = queue_padding(prepared->b, stream);
    if (status != cudaSuccess)
        return status;
    cudaLaunchConfig_t config = {};
    config.gridDim = clusters_for(gemm) * CLUSTER;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = SHARED_BYTES;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, prepared->kernel, prepared->job);
}

} // namespace

const struct cuda_gemm_step lab_cuda_gemm_wgmma = {CUDA_GEMM_BIT(LAB_GEMM_BF16) | CUDA_GEMM_BIT(LAB_GEMM_FP16),
                                                   CUDA_GEMM_BIT(LAB_GEMM_NN) | CUDA_GEMM_BIT(LAB_GEMM_TN),
                                                   90,
                                                   90,
                                                   prepare,
                                                   launch,
                                                   discard};
