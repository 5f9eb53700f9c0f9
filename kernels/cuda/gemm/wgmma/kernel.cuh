// region kernel
/* WGMMA + TMA, for Hopper. Persistent, warp-specialised blocks: a block computes one part of C after the other
 * (schedule.h). One thread of the block, the producer, makes the tensor memory accelerator (TMA) copy boxes of A and B into
 * a ring buffer of stages in shared memory. One or two warpgroups, the consumers, multiply the stages that have arrived
 * (wgmma), with the sums in registers. Each stage has two barriers in shared memory, "full" and "empty". While the consumers
 * round and store a tile, the producer already loads the next one.
 *
 * Two blocks may form a cluster, whose tiles are neighbours in C. They need the same columns of B, or the same rows of A, so
 * each block loads half of them and TMA multicasts every box to both shared memories.
 *
 * A stage has 128 bytes along k of each row of A and column of B, and an instruction multiplies 32 of them, for every type.
 * So the types share this code. Compiled only for sm_90a.
 */
#ifndef LAB_CUDA_GEMM_WGMMA_KERNEL_CUH
#define LAB_CUDA_GEMM_WGMMA_KERNEL_CUH

#include "instructions.cuh"
#include "schedule.h"
#include "wgmma.h"

namespace
{

enum {
    WARPGROUP = 128, /* threads */
    MULTIPLY_M = 64, /* rows of an instruction */
    WIDTH = 128,     /* bytes along k in a stage: the width of the swizzle. Boxes of C have rows of as many bytes */
    STEP = 32,       /* bytes along k that an instruction multiplies */
    STEPS = WIDTH / STEP,
    ATOM = 8 * WIDTH, /* bytes after which the swizzle repeats: 8 rows */
    BOX_C = MULTIPLY_M * WIDTH,
    PRODUCER_REGISTERS = 24, /* see Shape::MOVES_REGISTERS */
    CONSUMER_REGISTERS = 240,
    SHARED_ALIGNMENT = 1024,  /* of boxes, for the swizzle */
    SHARED_MOST = 227 * 1024, /* shared memory of the blocks of a multiprocessor */
    SHARED_OF_BLOCK = 1024,   /* what the system takes of it for each block after the first */
    STAGES_MOST = 8
};

/* The sizes of a block, from a row of WGMMA_SHAPES (shapes.h). */
template <int ROWS_, int BN_, int CONSUMERS_, int CLUSTER_M_, int CLUSTER_N_, int BLOCKS_> struct Shape {
    enum {
        ROWS = ROWS_,           /* rows of a consumer, one below the other in the tile */
        CONSUMERS = CONSUMERS_, /* warpgroups that multiply */
        BM = ROWS * CONSUMERS,  /* rows and columns of C per block */
        BN = BN_,
        CLUSTER_M = CLUSTER_M_, /* blocks of a cluster, along m and n */
        CLUSTER_N = CLUSTER_N_,
        CLUSTER = CLUSTER_M * CLUSTER_N,
        BLOCKS = BLOCKS_,          /* blocks per multiprocessor */
        TILES = ROWS / MULTIPLY_M, /* instructions below each other of a consumer */
        SUMS = BN / 2,             /* sums of a thread in each */
        /* Many sums leave too few registers for all threads: the producer's warpgroup then gives most of its own to the
         * consumers. Otherwise the producer is a single warp. */
        MOVES_REGISTERS = CONSUMERS == 2 && TILES * SUMS >= 128,
        THREADS = CONSUMERS * WARPGROUP + (MOVES_REGISTERS ? WARPGROUP : 32),
        STAGE_BYTES = (BM + BN) * WIDTH,
        C_BUFFERS = BLOCKS == 1 ? 2 : 1, /* of a consumer */
        LEFT = SHARED_MOST / BLOCKS - (BLOCKS - 1) * SHARED_OF_BLOCK - SHARED_ALIGNMENT - 2 * STAGES_MOST * 8 -
               CONSUMERS * C_BUFFERS * BOX_C,
        STAGES = LEFT / STAGE_BYTES < STAGES_MOST ? LEFT / STAGE_BYTES : STAGES_MOST
    };
    static_assert(STAGES >= 2, "the ring buffer needs two stages");
};

/* Shared memory. The boxes are aligned to SHARED_ALIGNMENT if the struct is. */
template <class Shape> struct Shared {
    unsigned char a[Shape::STAGES][Shape::BM * WIDTH];
    unsigned char b[Shape::STAGES][Shape::BN * WIDTH];
    unsigned char c[Shape::CONSUMERS][Shape::C_BUFFERS][BOX_C];
    uint64_t full[Shape::STAGES], empty[Shape::STAGES];
};

/* --- shared by producer and consumers ----------------------------------------------------------------------------- */

/* A thread's position in the ring buffer: the stage, and the parity (0 or 1) of the number of times that the thread has
 * passed the end of the buffer, which is also the parity of the phase of the stage's barriers. */
template <int STAGES> struct RingPosition {
    uint32_t stage = 0, parity = 0;
    __device__ void next()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

template <class Shape> __device__ uint32_t cluster_rank()
{
    return Shape::CLUSTER > 1 ? rank_in_cluster() : 0;
}

template <class Shape> __device__ void synchronize_blocks()
{
    if (Shape::CLUSTER > 1)
        synchronize_cluster();
    else
        __syncthreads();
}

/* A part of this block: its first row and column in C, and its steps along k. */
struct BlockPart {
    uint32_t row, column;
    struct wgmma_part part;
};

/* Calls visit(part) for each part of this block, in the same order for the producer and the consumers. */
template <class Shape, typename Visit> __device__ void for_parts(const wgmma_schedule &schedule, Visit visit)
{
    uint32_t rank = cluster_rank<Shape>(), next = 0;
    BlockPart block;
    while (wgmma_next_part(&schedule, blockIdx.x / Shape::CLUSTER, &next, &block.part)) {
        wgmma_tile tile = wgmma_tile_at(&schedule, block.part.tile);
        block.row = (tile.row * Shape::CLUSTER_M + rank % Shape::CLUSTER_M) * Shape::BM;
        block.column = (tile.column * Shape::CLUSTER_N + rank / Shape::CLUSTER_M) * Shape::BN;
        visit(block);
    }
}

/* --- the producer ------------------------------------------------------------------------------------------------- */

/* Starts to load a box for this block, or for both blocks of the cluster if `both`. */
__device__ void load(void *box, const CUtensorMap *map, uint32_t column, uint32_t row, uint64_t *full, bool both)
{
    if (both)
        load_box(box, map, column, row, full, 3);
    else
        load_box(box, map, column, row, full);
}

/* Starts to load a stage: of what both blocks of the cluster need this block loads its half, for both. `first_k` is an
 * element. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void load_stage(Shared<Shape> &shared, const wgmma_job &job, uint32_t stage, const BlockPart &part,
                           uint32_t first_k)
{
    constexpr uint32_t rows = Shape::BM / Shape::CLUSTER_N, columns = Shape::BN / Shape::CLUSTER_M;
    constexpr uint32_t box_columns = WIDTH / sizeof(Element), box = box_columns * WIDTH;
    uint32_t first_row = Shape::CLUSTER_N > 1 ? cluster_rank<Shape>() * rows : 0;
    uint32_t first_column = Shape::CLUSTER_M > 1 ? cluster_rank<Shape>() * columns : 0;
    unsigned char *a = shared.a[stage] + first_row * WIDTH, *b = shared.b[stage] + first_column * WIDTH;
    uint64_t *full = &shared.full[stage];

    barrier_arrive_and_expect(full, Shape::STAGE_BYTES);
    load(a, &job.a, first_k, part.row + first_row, full, Shape::CLUSTER_N > 1);
    if constexpr (LAYOUT == LAB_GEMM_TN) {
        load(b, &job.b, first_k, part.column + first_column, full, Shape::CLUSTER_M > 1);
    } else {
        for (uint32_t i = 0; i < columns / box_columns; i++)
            load(b + i * box, &job.b, part.column + first_column + i * box_columns, first_k, full,
                 Shape::CLUSTER_M > 1);
    }
}

/* Loads the stages of all parts of this block. Every second part is traversed backwards along k, because it has the same
 * rows of A or columns of B as the part before, and what was loaded of them last is still in the L2 cache. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void produce(Shared<Shape> &shared, const wgmma_job &job)
{
    RingPosition<Shape::STAGES> ring;
    bool backwards = false;
    wait_for_kernels_before();
    for_parts<Shape>(job.schedule, [&](const BlockPart &block) {
        uint32_t last = block.part.first + block.part.count - 1;
        for (uint32_t i = 0; i < block.part.count; i++) {
            uint32_t step = backwards ? last - i : block.part.first + i;
            barrier_wait(&shared.empty[ring.stage], ring.parity ^ 1); /* does not wait on a newly initialised barrier */
            load_stage<Element, LAYOUT>(shared, job, ring.stage, block, step * (uint32_t)(WIDTH / sizeof(Element)));
            ring.next();
        }
        backwards = !backwards;
    });
    let_next_kernel_start();
}

/* --- the consumers: multiplying ----------------------------------------------------------------------------------- */

/* A thread of the consumers. */
struct Thread {
    int consumer;
    uint32_t index; /* in the warpgroup */
};

template <class Shape> using Sums = float[Shape::TILES][Shape::SUMS];

/* Queues the multiplications of one stage. In boxes of A, and of B in layout TN, each row holds 128 bytes along k: the next
 * step is 32 bytes further. In layout NN, each box of B has a row of 128 bytes of 64 columns for each k: the next 16 of k
 * are two atoms further. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void multiply_stage(Sums<Shape> &sums, const Shared<Shape> &shared, uint32_t stage, int consumer, bool first)
{
    constexpr bool along_n = LAYOUT == LAB_GEMM_NN;
    constexpr uint32_t box = WIDTH / sizeof(Element) * WIDTH;
    constexpr uint64_t next_a = STEP >> 4; /* in units of 16 bytes, as descriptors hold addresses */
    constexpr uint64_t next_b = along_n ? (2 * ATOM) >> 4 : next_a, next_tile = MULTIPLY_M * WIDTH >> 4;
    uint64_t a = operand_descriptor(shared.a[stage] + consumer * Shape::ROWS * WIDTH, 0, ATOM);
    uint64_t b = operand_descriptor(shared.b[stage], along_n ? box : 0, ATOM);

    multiply_fence();
#pragma unroll
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int tile = 0; tile < Shape::TILES; tile++)
            multiply<Element, along_n>(sums[tile], a + step * next_a + tile * next_tile, b + step * next_b,
                                       !first || step != 0);
    multiply_commit();
}

/* Signals to the producers that write to the stage, which are those of all blocks of the cluster, that this warpgroup has
 * finished reading it. */
template <class Shape> __device__ void release_stage(Shared<Shape> &shared, uint32_t stage, uint32_t thread)
{
    if (thread < Shape::CLUSTER)
        barrier_arrive_at(&shared.empty[stage], thread);
}

/* Computes the sums of a part. The multiplications of a stage are queued before those of the preceding stage have finished,
 * so that the tensor cores always have work. */
template <typename Element, lab_gemm_layout LAYOUT, class Shape>
__device__ void multiply_part(Sums<Shape> &sums, Shared<Shape> &shared, RingPosition<Shape::STAGES> &ring,
                              uint32_t steps, Thread thread)
{
    uint32_t last = 0;
    for (uint32_t step = 0; step < steps; step++) {
        barrier_wait(&shared.full[ring.stage], ring.parity);
        multiply_stage<Element, LAYOUT>(sums, shared, ring.stage, thread.consumer, step == 0);
        multiply_wait<1>();
        if (step != 0)
            release_stage(shared, last, thread.index);
        last = ring.stage;
        ring.next();
    }
    multiply_wait<0>();
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
        order_after_wait(sums[tile]);
    release_stage(shared, last, thread.index);
}

/* --- the consumers: tiles of several clusters --------------------------------------------------------------------- */

/* Where a consumer passes its sums on: four of each thread next to each other. */
template <class Shape> __device__ float4 *passed_sums(const wgmma_job &job, uint32_t block, Thread thread)
{
    constexpr uint32_t of_consumer = Shape::TILES * Shape::SUMS / 4 * WARPGROUP;
    return static_cast<float4 *>(job.sums) + (block * Shape::CONSUMERS + thread.consumer) * (size_t)of_consumer +
           thread.index;
}

template <class Shape> __device__ uint32_t *flag_of(const wgmma_job &job, uint32_t block, Thread thread)
{
    return job.flags + block * Shape::CONSUMERS + thread.consumer;
}

/* Passes the sums to the block that stores the tile. */
template <class Shape> __device__ void pass_sums(const Sums<Shape> &sums, const wgmma_job &job, Thread thread)
{
    float4 *to = passed_sums<Shape>(job, blockIdx.x, thread);
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
#pragma unroll
        for (int i = 0; i < Shape::SUMS; i += 4, to += WARPGROUP)
            __stcg(to, make_float4(sums[tile][i], sums[tile][i + 1], sums[tile][i + 2], sums[tile][i + 3]));
    synchronize_warpgroup(1 + thread.consumer);
    if (thread.index == 0)
        set_flag(flag_of<Shape>(job, blockIdx.x, thread), 1);
}

/* Adds the sums that other clusters have passed on, in the order of the clusters, so that the result is always the same. */
template <class Shape>
__device__ void add_passed_sums(Sums<Shape> &sums, const wgmma_job &job, uint32_t tile, Thread thread)
{
    uint32_t rank = cluster_rank<Shape>();
    for (uint32_t c = wgmma_first_cluster(&job.schedule, tile); c < blockIdx.x / Shape::CLUSTER; c++) {
        uint32_t block = c * Shape::CLUSTER + rank;
        const float4 *from = passed_sums<Shape>(job, block, thread);
        if (thread.index == 0)
            wait_for_flag(flag_of<Shape>(job, block, thread));
        synchronize_warpgroup(1 + thread.consumer);
#pragma unroll
        for (int i = 0; i < Shape::TILES; i++)
#pragma unroll
            for (int j = 0; j < Shape::SUMS; j += 4, from += WARPGROUP) {
                float4 four = __ldcg(from);
                sums[i][j] += four.x;
                sums[i][j + 1] += four.y;
                sums[i][j + 2] += four.z;
                sums[i][j + 3] += four.w;
            }
        synchronize_warpgroup(1 + thread.consumer);
        if (thread.index == 0)
            set_flag(flag_of<Shape>(job, block, thread), 0); /* for the next product */
    }
}

/* --- the consumers: storing --------------------------------------------------------------------------------------- */

/* Writes the sums of 64 rows and `WIDTH` bytes of columns to a box in shared memory, rounded and swizzled. A thread has two
 * neighbouring columns of row thread / 4 of each 8 x 8 matrix, and of the row 8 further down. */
template <typename Result> __device__ void write_box(unsigned char *box, const float *sums, uint32_t thread)
{
    if constexpr (sizeof(Result) == 2) {
        /* The row, and the left (0) or right (1) matrix, of the address that this thread passes to store_matrices. */
        uint32_t row = thread / 32 * 16 + thread % 16, right = thread / 16 % 2;
#pragma unroll
        for (int part = 0; part < WIDTH / 32; part++, sums += 8) {
            uint32_t matrices[4] = {rounded<Result>(sums[0], sums[1]), rounded<Result>(sums[2], sums[3]),
                                    rounded<Result>(sums[4], sums[5]), rounded<Result>(sums[6], sums[7])};
            uint32_t chunk = (2 * part + right) ^ row % 8; /* index of the 16-byte chunk in the row, swizzled */
            store_matrices(box + row * WIDTH + chunk * 16, matrices);
        }
    } else {
        uint32_t row = thread / 32 * 16 + thread % 32 / 4, pair = thread % 4;
#pragma unroll
        for (int part = 0; part < WIDTH / 32; part++, sums += 4) {
            uint32_t offset = ((2 * part + pair / 2) ^ row % 8) * 16 + pair % 2 * 8;
            *reinterpret_cast<float2 *>(box + row * WIDTH + offset) = make_float2(sums[0], sums[1]);
            *reinterpret_cast<float2 *>(box + (row + 8) * WIDTH + offset) = make_float2(sums[2], sums[3]);
        }
    }
}

/* Stores the sums through shared memory, in boxes that TMA writes to C; while TMA reads one box, the next is written to
 * another buffer, where there is one. */
template <typename Result, class Shape>
__device__ void store_by_boxes(const Sums<Shape> &sums, Shared<Shape> &shared, const wgmma_job &job,
                               const BlockPart &part, Thread thread)
{
    constexpr int columns = WIDTH / sizeof(Result), boxes = Shape::BN / columns;
    uint32_t row = part.row + thread.consumer * Shape::ROWS;
#pragma unroll
    for (int box = 0; box < Shape::TILES * boxes; box++) {
        int tile = box / boxes, column = box % boxes * columns;
        unsigned char *buffer = shared.c[thread.consumer][box % Shape::C_BUFFERS];
        if (thread.index == 0)
            wait_for_stores_to_read<Shape::C_BUFFERS - 1>();
        synchronize_warpgroup(1 + thread.consumer);
        write_box<Result>(buffer, &sums[tile][column / 2], thread.index);
        fence_async_proxy();
        synchronize_warpgroup(1 + thread.consumer);
        if (thread.index == 0) {
            store_box(&job.c, part.column + column, row + tile * MULTIPLY_M, buffer);
            commit_stores();
        }
    }
}

/* Stores the sums element by element, if the rows of C do not begin at multiples of 16 bytes. */
template <typename Result, class Shape>
__device__ void store_by_elements(const Sums<Shape> &sums, const wgmma_job &job, const BlockPart &part, Thread thread)
{
    uint32_t row = part.row + thread.consumer * Shape::ROWS + thread.index / 32 * 16 + thread.index % 32 / 4;
    uint32_t column = part.column + thread.index % 4 * 2;
    Result *results = static_cast<Result *>(job.results);
#pragma unroll
    for (int tile = 0; tile < Shape::TILES; tile++)
#pragma unroll
        for (int i = 0; i < Shape::SUMS; i++) {
            uint32_t r = row + tile * MULTIPLY_M + i / 2 % 2 * 8, c = column + i / 4 * 8 + i % 2;
            if (r < job.m && c < job.n)
                results[(size_t)r * job.n + c] = Result(sums[tile][i]);
        }
}

template <typename Element, typename Result, lab_gemm_layout LAYOUT, class Shape>
__device__ void consume(Shared<Shape> &shared, const wgmma_job &job, Thread thread)
{
    Sums<Shape> sums;
    RingPosition<Shape::STAGES> ring;
    for_parts<Shape>(job.schedule, [&](const BlockPart &block) {
        multiply_part<Element, LAYOUT, Shape>(sums, shared, ring, block.part.count, thread);
        if (!wgmma_ends(&job.schedule, &block.part)) {
            pass_sums<Shape>(sums, job, thread);
            return;
        }
        if (!wgmma_begins(&block.part))
            add_passed_sums<Shape>(sums, job, block.part.tile, thread);
        if (job.results == nullptr)
            store_by_boxes<Result, Shape>(sums, shared, job, block, thread);
        else
            store_by_elements<Result, Shape>(sums, job, block, thread);
    });
    wait_for_stores_to_read<0>();
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

template <class Shape> __device__ void init_barriers(Shared<Shape> &shared, const wgmma_job &job)
{
    prefetch_map(&job.a);
    prefetch_map(&job.b);
    for (int stage = 0; stage < Shape::STAGES; stage++) {
        barrier_init(&shared.full[stage], 1);
        barrier_init(&shared.empty[stage], Shape::CLUSTER * Shape::CONSUMERS);
    }
    barrier_init_done();
}

template <typename Element, typename Result, lab_gemm_layout LAYOUT, class Shape>
__global__ __launch_bounds__(Shape::THREADS,
                             Shape::BLOCKS) void multiply_by_wgmma(const __grid_constant__ wgmma_job job)
{
    extern __shared__ unsigned char memory[];
    uintptr_t aligned = (reinterpret_cast<uintptr_t>(memory) + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT;
    Shared<Shape> &shared = *reinterpret_cast<Shared<Shape> *>(aligned * SHARED_ALIGNMENT);
    /* The shuffle shows the compiler that all threads of a warp have the same value. */
    int warpgroup = __shfl_sync(UINT32_MAX, threadIdx.x / WARPGROUP, 0);
    uint32_t thread = threadIdx.x % WARPGROUP;

    if (threadIdx.x == 0)
        init_barriers(shared, job);
    synchronize_blocks<Shape>();
    if (warpgroup == Shape::CONSUMERS) {
        if (Shape::MOVES_REGISTERS)
            decrease_registers<PRODUCER_REGISTERS>();
        if (thread == 0)
            produce<Element, LAYOUT>(shared, job);
        __syncwarp();
    } else {
        if (Shape::MOVES_REGISTERS)
            increase_registers<CONSUMER_REGISTERS>();
        consume<Element, Result, LAYOUT>(shared, job, Thread{warpgroup, thread});
    }
    if (Shape::CLUSTER > 1)
        synchronize_cluster(); /* a block must not end while the other one may still write to its shared memory */
}

} // namespace
// end kernel

#endif
