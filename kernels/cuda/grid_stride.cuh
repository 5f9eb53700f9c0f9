/* Parts of a grid-stride loop over a region, for the kernels of this folder. The position (row, column) is advanced by
 * a fixed step instead of being computed with divisions, so that a pitched region takes no longer than a contiguous
 * one.
 */
#ifndef LAB_CUDA_GRID_STRIDE_CUH
#define LAB_CUDA_GRID_STRIDE_CUH

#include <cstdint>

#include "kernels.h"

/* 1024 threads per multiprocessor, each with IN_FLIGHT outstanding loads of 16 bytes, have 64 KiB of loads outstanding
 * per multiprocessor. HBM3e at 4.8 TB/s needs 20 KiB. */
enum { THREADS = 256, BLOCKS_PER_MULTIPROCESSOR = 4, IN_FLIGHT = 4 };

/* The number of thread blocks for `items` items: at most BLOCKS_PER_MULTIPROCESSOR on each multiprocessor, at least
 * 1. */
static inline unsigned blocks_for(uint64_t items, int multiprocessors)
{
    uint64_t wanted = (items + THREADS - 1) / THREADS;
    uint64_t most = (uint64_t)multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    return (unsigned)(wanted == 0 ? 1 : wanted < most ? wanted : most);
}

/* A position in a region; `column` is counted in units of the size that the kernel processes at a time. */
struct position {
    uint64_t row, column;
};

__host__ __device__ static inline struct position position_of(uint64_t index, uint64_t units_per_row)
{
    if (index < units_per_row) /* saves the divisions; always true in a region of one row */
        return {0, index};
    return {index / units_per_row, index % units_per_row};
}

__device__ static inline void advance(struct position &at, struct position step, uint64_t units_per_row)
{
    at.row += step.row;
    at.column += step.column;
    if (at.column >= units_per_row) {
        at.column -= units_per_row;
        at.row++;
    }
}

__device__ static inline uint64_t thread_in_grid()
{
    return (uint64_t)blockIdx.x * THREADS + threadIdx.x;
}

__device__ static inline uint64_t threads_in_grid()
{
    return (uint64_t)gridDim.x * THREADS;
}

/* Whether the region can be processed in units of `unit` bytes: each row begins at a multiple of `unit` and, if there
 * are several rows, consists of complete units. The caller processes the rest of a single row. */
static inline bool divides(size_t unit, struct cuda_region region)
{
    return (uintptr_t)region.address % unit == 0 &&
           (region.height == 1 || (region.pitch % unit == 0 && region.width % unit == 0));
}

#endif
