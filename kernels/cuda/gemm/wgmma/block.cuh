/* The sizes of a block, its shared memory, and its parts of the product. */
#ifndef LAB_CUDA_GEMM_WGMMA_BLOCK_CUH
#define LAB_CUDA_GEMM_WGMMA_BLOCK_CUH

#include "instructions.cuh"
#include "schedule.h"
#include "wgmma.h"

namespace
{

enum {
    WARPGROUP = 128, /* threads */
    MULTIPLY_M = 64, /* rows of an instruction */
    WIDTH = 128,     /* bytes along k in a stage: the width of the swizzle. Boxes of C have rows of as many bytes */
    MULTIPLY_K = 32, /* bytes along k that an instruction multiplies */
    MULTIPLIES = WIDTH / MULTIPLY_K,
    ATOM = 8 * WIDTH, /* bytes after which the swizzle repeats: 8 rows */
    BOX_C = MULTIPLY_M * WIDTH,
    BARRIER = 8,              /* bytes */
    REGISTERS = 512,          /* of a multiprocessor / threads of a warpgroup */
    PRODUCER_REGISTERS = 24,  /* see Shape::MOVES_REGISTERS */
    SHARED_ALIGNMENT = 1024,  /* of boxes, for the swizzle */
    SHARED_MOST = 227 * 1024, /* shared memory of the blocks of a multiprocessor */
    SHARED_OF_BLOCK = 1024,   /* what the system takes of it for each block after the first */
    STAGES_MOST = 8,
    LONGEST_WAIT = 200000 /* cycles: 0.1 ms (produce.cuh) */
};

/* The sizes of a block, from a row of WGMMA_SHAPES (shapes.h), and the type of its sums: double for fp64, otherwise
 * float. */
template <typename Sum_, int ROWS_, int BN_, int CONSUMERS_, int CLUSTER_M_, int CLUSTER_N_, int BLOCKS_> struct Shape {
    using Sum = Sum_;
    enum {
        ROWS = ROWS_,           /* rows of a consumer, one below the other in the tile */
        CONSUMERS = CONSUMERS_, /* warpgroups that multiply */
        BM = ROWS * CONSUMERS,  /* rows and columns of C per block */
        BN = BN_,
        CLUSTER_M = CLUSTER_M_, /* blocks of a cluster, along m and n */
        CLUSTER_N = CLUSTER_N_,
        CLUSTER = CLUSTER_M * CLUSTER_N,
        BLOCKS = BLOCKS_,                                  /* blocks per multiprocessor */
        TILES = ROWS > MULTIPLY_M ? ROWS / MULTIPLY_M : 1, /* groups of 64 rows in a consumer; fp64: one, of 64 or 32 */
        SUMS = ROWS / TILES * BN / WARPGROUP,              /* sums of a thread in each */
        /* Many sums leave too few registers for all threads: the producer's warpgroup then gives most of its own to the
         * consumers. Otherwise the producer is a single warp. */
        MOVES_REGISTERS = CONSUMERS > 2 || (CONSUMERS == 2 && TILES * SUMS * sizeof(Sum) >= 512),
        CONSUMER_REGISTERS = (REGISTERS - PRODUCER_REGISTERS) / CONSUMERS / 8 * 8, /* setmaxnreg takes multiples of 8 */
        THREADS = CONSUMERS * WARPGROUP + (MOVES_REGISTERS ? WARPGROUP : 32),
        STAGE_BYTES = (BM + BN) * WIDTH,
        C_BUFFERS = sizeof(Sum) == 8 ? 0 : 1 + (BLOCKS == 1 && BN > 64), /* of a consumer; fp64 needs none */
        LEFT = SHARED_MOST / BLOCKS - (BLOCKS - 1) * SHARED_OF_BLOCK - SHARED_ALIGNMENT - 2 * STAGES_MOST * BARRIER -
               CONSUMERS * C_BUFFERS * BOX_C,
        STAGES = LEFT / STAGE_BYTES < STAGES_MOST ? LEFT / STAGE_BYTES : STAGES_MOST
    };
    static_assert(STAGES >= 2, "the ring buffer needs two stages");
    static_assert(ROWS % MULTIPLY_M == 0 || (ROWS == 32 && sizeof(Sum) == 8), "wgmma multiplies 64 rows at a time");
    static_assert(CLUSTER <= 2, "a cluster has at most two blocks");
    static_assert(!MOVES_REGISTERS || (PRODUCER_REGISTERS + CONSUMERS * CONSUMER_REGISTERS) * WARPGROUP <=
                                          REGISTERS * WARPGROUP / BLOCKS / THREADS / 8 * 8 * THREADS,
                  "the registers with which the block starts suffice");
};

/* Shared memory. The boxes are aligned to SHARED_ALIGNMENT if the struct is. */
template <class Shape> struct Shared {
    unsigned char a[Shape::STAGES][Shape::BM * WIDTH];
    unsigned char b[Shape::STAGES][Shape::BN * WIDTH];
    unsigned char c[Shape::CONSUMERS][Shape::C_BUFFERS][BOX_C];
    uint64_t full[Shape::STAGES], empty[Shape::STAGES];
};

/* Whether the transposed product is computed; as lab_cuda_wgmma_is_transposed (choice.h) says for the host. */
template <typename Element, lab_gemm_layout LAYOUT>
constexpr bool is_transposed = LAYOUT == LAB_GEMM_NN && sizeof(Element) == 4;

template <typename Element> constexpr bool is_fp64 = sizeof(Element) == 8;
template <typename Element> using SumOf = std::conditional_t<is_fp64<Element>, double, float>;

/* A thread of the consumers. */
struct Thread {
    int consumer;
    uint32_t index; /* in the warpgroup */
};

template <class Shape> using Sums = typename Shape::Sum[Shape::TILES][Shape::SUMS];

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

/* Calls visit(stage, step) for each of `steps` steps, with the position in `ring` moved on after each. The stage is a
 * constant in each call: what depends on it, such as addresses, need not be computed again in each step. */
template <int STAGES, typename Visit> __device__ void for_steps(RingPosition<STAGES> &ring, uint32_t steps, Visit visit)
{
    for (uint32_t step = 0; step < steps;)
#pragma unroll
        for (uint32_t stage = 0; stage < STAGES; stage++)
            if (stage == ring.stage && step < steps) {
                visit(stage, step++);
                ring.next();
            }
}

/* The barriers of the stages, as a thread of a consumer uses them. */
template <class Shape> struct Barriers {
    uint32_t full, empty; /* addresses of those of the first stage */
    uint32_t thread;      /* index in the warpgroup (wgmma) or warp (fp64); thread i < CLUSTER signals to block i */

    __device__ Barriers(const Shared<Shape> &shared, uint32_t thread)
        : full(uniform(shared_address(shared.full))), empty(uniform(shared_address(shared.empty))), thread(kept(thread))
    {
    }

    /* Waits until TMA has written the stage. */
    __device__ void wait(uint32_t stage, uint32_t parity) const
    {
        barrier_wait(full + stage * BARRIER, parity);
    }

    /* Signals to the producers that write to the stage, which are those of all blocks of the cluster, that this
     * warpgroup or warp has finished reading it. */
    __device__ void release(uint32_t stage) const
    {
        if (thread >= Shape::CLUSTER)
            return;
        if constexpr (Shape::CLUSTER == 1)
            barrier_arrive(empty + stage * BARRIER);
        else
            barrier_arrive_at(empty + stage * BARRIER, thread);
    }
};

template <class Shape> __device__ uint32_t stage_before(uint32_t stage)
{
    return (stage + Shape::STAGES - 1) % Shape::STAGES;
}

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

} // namespace

#endif
