/* wgmma: the product by Hopper's own means. Per multiprocessor one block stays for the whole product and works on tile
 * after tile of C. One thread of it, the producer, does nothing but order boxes of A and B from the tensor memory
 * accelerator (TMA) into a ring of slots in shared memory; two warpgroups, the consumers, keep the tensor cores busy with
 * what has arrived (wgmma), each with its 64 x 256 sums in registers. Barriers in shared memory, two for each slot, say
 * "full" and "empty". While the consumers round and store a tile, the ring fills for the next.
 *
 * Blocks work in clusters of two, one above the other in C: the columns of B are the same for both, so each block
 * fetches half of them and TMA writes every box into both shared memories.
 *
 * Inputs whose rows do not suit TMA are first copied (operand.cuh), as a part of the launch and its time. Compiled for
 * sm_90a alone.
 */
#include "gemm.h"

#include "operand.cuh"
#include "wgmma.cuh"

#include <cstdlib>

namespace
{

enum {
    CLUSTER = 2,                           /* blocks, each with a tile of its own */
    CONSUMERS = 2,                         /* warpgroups that multiply, one above the other */
    WARPGROUP = 128,                       /* threads */
    THREADS = (CONSUMERS + 1) * WARPGROUP, /* the producer's warpgroup is the last */
    ROWS = 64,                             /* of a consumer */
    TILE_ROWS = CONSUMERS * ROWS,          /* of a block */
    TILE_COLUMNS = 256,
    DEPTH = 64,             /* of a slot along k: 128 bytes, the width of the swizzle */
    DEPTH_OF_MULTIPLY = 16, /* of one instruction */
    SLOTS = 4,
    BOX_COLUMNS = 64, /* 128 bytes again: of C, and of B in layout NN */
    BAND = 8,         /* see tile_at */
    PRODUCER_REGISTERS = 24,
    CONSUMER_REGISTERS = 240,
    ELEMENT = 2,               /* bytes */
    ATOM = 8 * DEPTH * ELEMENT /* bytes of the smallest part that the swizzle maps onto itself: 8 rows of 128 bytes */
};

/* What the kernel is told. A tensor map describes a matrix, and the boxes it is copied in. */
struct job {
    CUtensorMap a, b, c;
    void *results; /* C itself where its rows do not suit TMA, else nullptr */
    uint32_t m, n, k;
};

/* Shared memory. Boxes want an alignment of 1024 bytes because of the swizzle; they have it when the whole has. */
struct shared {
    unsigned char a[SLOTS][TILE_ROWS * DEPTH * ELEMENT];
    unsigned char b[SLOTS][TILE_COLUMNS * DEPTH * ELEMENT];
    unsigned char c[CONSUMERS][2][ROWS * BOX_COLUMNS * ELEMENT];
    uint64_t full[SLOTS], empty[SLOTS];
};
enum { SHARED_ALIGNMENT = 1024, SHARED_BYTES = sizeof(struct shared) + SHARED_ALIGNMENT };

/* --- what all parts of a block agree on --------------------------------------------------------------------------- */

/* A thread's place in the ring, and the parity of how often it has come by: barriers count their phases so. */
struct turn {
    uint32_t slot = 0, parity = 0;
    __device__ void next()
    {
        if (++slot == SLOTS) {
            slot = 0;
            parity ^= 1;
        }
    }
};

struct tile {
    uint32_t row, column; /* in C, of its first element */
};

__host__ __device__ inline uint32_t parts(uint32_t whole, uint32_t part)
{
    return (whole + part - 1) / part;
}

/* Where a cluster's tile number `index` lies. Clusters that are at work together have neighbouring numbers; numbers run
 * down bands of BAND rows of tiles, so that these tiles make up about a square, which has the fewest different rows of
 * A and columns of B for its size. Bands are gone through to and fro. */
__device__ tile tile_at(uint32_t index, const job &job)
{
    uint32_t rows = parts(job.m, CLUSTER * TILE_ROWS), columns = parts(job.n, TILE_COLUMNS);
    uint32_t band = index / (BAND * columns), within = index % (BAND * columns);
    uint32_t height = min((uint32_t)BAND, rows - band * BAND);
    uint32_t row = band * BAND + within % height, column = within / height;
    if (band % 2 != 0)
        column = columns - 1 - column;
    return {row * CLUSTER * TILE_ROWS, column * TILE_COLUMNS};
}

/* Calls visit(tile) for each tile of this block, in the order that all its parts follow. */
template <typename Visit> __device__ void for_tiles(const job &job, Visit visit)
{
    uint32_t tiles = parts(job.m, CLUSTER * TILE_ROWS) * parts(job.n, TILE_COLUMNS);
    for (uint32_t index = blockIdx.x / CLUSTER; index < tiles; index += gridDim.x / CLUSTER) {
        tile tile = tile_at(index, job);
        tile.row += rank_in_cluster() * TILE_ROWS;
        visit(tile);
    }
}

/* --- the producer ------------------------------------------------------------------------------------------------- */

/* Orders this block's rows of A and, for both blocks of the cluster, its half of the columns of B. */
template <lab_gemm_layout LAYOUT>
__device__ void fill_slot(shared &shared, const job &job, uint32_t slot, tile tile, uint32_t depth)
{
    constexpr uint16_t both = (1 << CLUSTER) - 1;
    constexpr uint32_t half = TILE_COLUMNS / CLUSTER;
    uint32_t first = rank_in_cluster() * half;
    unsigned char *b = shared.b[slot] + first * DEPTH * ELEMENT;
    uint64_t *full = &shared.full[slot];

    barrier_arrive_and_expect(full, sizeof shared.a[slot] + sizeof shared.b[slot]);
    fetch_box(shared.a[slot], &job.a, depth, tile.row, full);
    if constexpr (LAYOUT == LAB_GEMM_TN) {
        fetch_box(b, &job.b, depth, tile.column + first, full, both);
    } else {
        for (uint32_t i = 0; i < half; i += BOX_COLUMNS)
            fetch_box(b + i * DEPTH * ELEMENT, &job.b, tile.column + first + i, depth, full, both);
    }
}

/* Every second tile is gone through backwards along k: it has its rows of A, or its columns of B, in common with the
 * tile before, and what was fetched last is still in the L2 cache. */
template <lab_gemm_layout LAYOUT> __device__ void produce(shared &shared, const job &job)
{
    turn turn;
    bool backwards = false;
    uint32_t steps = parts(job.k, DEPTH);
    for_tiles(job, [&](tile tile) {
        for (uint32_t step = 0; step < steps; step++) {
            barrier_wait(&shared.empty[turn.slot], turn.parity ^ 1); /* which a new barrier lets pass at once */
            fill_slot<LAYOUT>(shared, job, turn.slot, tile, (backwards ? steps - 1 - step : step) * DEPTH);
            turn.next();
        }
        backwards = !backwards;
    });
}

/* --- the consumers ------------------------------------------------------------------------------------------------ */

/* Queues the multiplications of one slot. A, and B in layout TN, have 128 bytes along k in each row of a box: the next
 * 16 of k are 32 bytes further. B in layout NN has a row of 128 bytes for each k in each box of 64 columns: the next 16
 * of k are two atoms further. */
template <typename Element, lab_gemm_layout LAYOUT>
__device__ void multiply_slot(float (&sums)[ACCUMULATORS], const shared &shared, uint32_t slot, int consumer,
                              bool first)
{
    constexpr bool across = LAYOUT == LAB_GEMM_NN;
    constexpr uint32_t box = BOX_COLUMNS * DEPTH * ELEMENT;
    uint64_t a = operand_descriptor(shared.a[slot] + consumer * ROWS * DEPTH * ELEMENT, 0, ATOM);
    uint64_t b = operand_descriptor(shared.b[slot], across ? box : 0, ATOM);
    constexpr uint64_t next_a = (DEPTH_OF_MULTIPLY * ELEMENT) >> 4; /* as descriptors count */
    constexpr uint64_t next_b = across ? (2 * ATOM) >> 4 : next_a;

    multiply_fence();
#pragma unroll
    for (int step = 0; step < DEPTH / DEPTH_OF_MULTIPLY; step++)
        multiply<Element, across>(sums, a + step * next_a, b + step * next_b, !first || step != 0);
    multiply_commit();
}

/* Tells the producers of both blocks, for both write to the slot, that this warpgroup has done with it. */
__device__ void release_slot(shared &shared, uint32_t slot, uint32_t thread)
{
    if (thread < CLUSTER)
        barrier_arrive_at(&shared.empty[slot], thread);
}

/* The sums over the whole depth. The multiplications of the next slot are queued before those of the last have ended:
 * the tensor cores always have work. */
template <typename Element, lab_gemm_layout LAYOUT>
__device__ void multiply_tile(float (&sums)[ACCUMULATORS], shared &shared, turn &turn, uint32_t k, int consumer,
                              uint32_t thread)
{
    uint32_t last = 0;
    for (uint32_t depth = 0; depth < k; depth += DEPTH) {
        barrier_wait(&shared.full[turn.slot], turn.parity);
        multiply_slot<Element, LAYOUT>(sums, shared, turn.slot, consumer, depth == 0);
        multiply_wait<1>();
        if (depth != 0)
            release_slot(shared, last, thread);
        last = turn.slot;
        turn.next();
    }
    multiply_wait<0>();
    keep_behind(sums);
    release_slot(shared, last, thread);
}

/* Through shared memory, in boxes of 64 x 64 that TMA writes to C: while it reads one, the next is made. Of
 * 16 columns, a warp holds its 16 rows as four matrices of 8 x 8. */
template <typename Element>
__device__ void store_by_boxes(const float (&sums)[ACCUMULATORS], shared &shared, const job &job, tile tile,
                               int consumer, uint32_t thread)
{
    uint32_t row = thread / 32 * 16 + thread % 16, right = thread / 16 % 2; /* of which this thread gives the address */
#pragma unroll
    for (int box = 0; box < TILE_COLUMNS / BOX_COLUMNS; box++) {
        unsigned char *here = shared.c[consumer][box % 2];
        if (thread == 0)
            wait_until_stores_have_read<1>();
        synchronize_warpgroup(1 + consumer);
#pragma unroll
        for (int part = 0; part < BOX_COLUMNS / 16; part++) {
            const float *of = sums + box * (BOX_COLUMNS / 2) + part * 8;
            uint32_t matrices[4] = {rounded<Element>(of[0], of[1]), rounded<Element>(of[2], of[3]),
                                    rounded<Element>(of[4], of[5]), rounded<Element>(of[6], of[7])};
            uint32_t piece = (2 * part + right) ^ row % 8; /* of 16 bytes, swizzled */
            store_matrices(here + row * BOX_COLUMNS * ELEMENT + piece * 16, matrices);
        }
        show_to_copy_engine();
        synchronize_warpgroup(1 + consumer);
        if (thread == 0) {
            store_box(&job.c, tile.column + box * BOX_COLUMNS, tile.row + consumer * ROWS, here);
            commit_stores();
        }
    }
}

/* Element by element, where rows of C do not begin at multiples of 16 bytes. */
template <typename Element>
__device__ void store_by_elements(const float (&sums)[ACCUMULATORS], const job &job, tile tile, int consumer,
                                  uint32_t thread)
{
    uint32_t row = tile.row + consumer * ROWS + thread / 32 * 16 + thread % 32 / 4;
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
    turn turn;
    for_tiles(job, [&](tile tile) {
        multiply_tile<Element, LAYOUT>(sums, shared, turn, job.k, consumer, thread);
        if (job.results == nullptr)
            store_by_boxes<Element>(sums, shared, job, tile, consumer, thread);
        else
            store_by_elements<Element>(sums, job, tile, consumer, thread);
    });
    wait_until_stores_have_read<0>();
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

__device__ void set_up(shared &shared, const job &job)
{
    prefetch_map(&job.a);
    prefetch_map(&job.b);
    for (int slot = 0; slot < SLOTS; slot++) {
        barrier_init(&shared.full[slot], 1);
        barrier_init(&shared.empty[slot], CLUSTER * CONSUMERS);
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
    int warpgroup = __shfl_sync(UINT32_MAX, threadIdx.x / WARPGROUP, 0); /* the compiler sees: one for the whole warp */
    uint32_t thread = threadIdx.x % WARPGROUP;

    if (threadIdx.x == 0)
        set_up(shared, job);
    synchronize_cluster();
    if (warpgroup == CONSUMERS) {
        give_back_registers<PRODUCER_REGISTERS>();
        if (thread == 0)
            produce<LAYOUT>(shared, job);
        __syncwarp();
    } else {
        take_registers<CONSUMER_REGISTERS>();
        consume<Element, LAYOUT>(shared, job, warpgroup, thread);
    }
    synchronize_cluster(); /* a block's shared memory must outlast what the other one writes to it */
}

/* --- the host's side ---------------------------------------------------------------------------------------------- */

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
    cudaError_t status = map_operand(&plan->job.a, plan->a, gemm->type, TILE_ROWS, DEPTH);
    if (status == cudaSuccess)
        status = map_operand(&plan->job.b, plan->b, gemm->type, tn ? TILE_COLUMNS / CLUSTER : DEPTH,
                             tn ? DEPTH : BOX_COLUMNS);
    if (status == cudaSuccess && plan->job.results == nullptr)
        status = map_operand(&plan->job.c, c, gemm->type, ROWS, BOX_COLUMNS);
    return status;
}

void discard(struct cuda_gemm *gemm)
{
    plan *made = static_cast<plan *>(gemm->made);
    cudaFree(made->a.padded);
    cudaFree(made->b.padded);
    free(made);
    gemm->made = nullptr;
}

cudaError_t prepare(struct cuda_gemm *gemm, const char **why)
{
    plan *made = static_cast<plan *>(aligned_alloc(alignof(plan), sizeof(plan))); /* tensor maps want their alignment */
    if (made == nullptr)
        return cudaErrorMemoryAllocation;
    *made = {};
    gemm->made = made;
    bool boxes = gemm->n * (size_t)ELEMENT % 16 == 0;
    made->job.results = boxes ? nullptr : gemm->c;
    made->job.m = gemm->m;
    made->job.n = gemm->n;
    made->job.k = gemm->k;
    made->kernel =
        gemm->type == LAB_GEMM_BF16 ? kernel_of<__nv_bfloat16>(gemm->layout) : kernel_of<__half>(gemm->layout);

    cudaError_t status = make_operands(made, gemm);
    if (status == cudaSuccess)
        status = make_maps(made, gemm);
    if (status == cudaErrorNotSupported)
        *why = "the driver makes no tensor maps, which TMA needs: it is older than CUDA 12";
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(made->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    if (status != cudaSuccess)
        discard(gemm);
    return status;
}

/* Of the clusters that the GPU has room for, as few as need no more rounds: all are then busy to the end, and those
 * left out leave their share of the power to the others. */
uint32_t clusters_for(const struct cuda_gemm *gemm)
{
    uint32_t tiles = parts(gemm->m, CLUSTER * TILE_ROWS) * parts(gemm->n, TILE_COLUMNS);
    uint32_t most = (uint32_t)gemm->multiprocessors / CLUSTER;
    return most <= 1 ? 1 : parts(tiles, parts(tiles, most));
}

cudaError_t launch(const struct cuda_gemm *gemm, cudaStream_t stream)
{
    const plan *made = static_cast<const plan *>(gemm->made);
    cudaError_t status = queue_padding(made->a, stream);
    if (status == cudaSuccess)
        status = queue_padding(made->b, stream);
    if (status != cudaSuccess)
        return status;
    cudaLaunchConfig_t config = {};
    config.gridDim = clusters_for(gemm) * CLUSTER;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = SHARED_BYTES;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, made->kernel, made->job);
}

} // namespace

const struct cuda_gemm_step lab_cuda_gemm_wgmma = {CUDA_GEMM_BIT(LAB_GEMM_BF16) | CUDA_GEMM_BIT(LAB_GEMM_FP16),
                                                   CUDA_GEMM_BIT(LAB_GEMM_NN) | CUDA_GEMM_BIT(LAB_GEMM_TN),
                                                   90,
                                                   90,
                                                   prepare,
                                                   launch,
                                                   discard};
