/* How the kernels of this folder walk through a region: persistent blocks, a grid-stride loop, and a position that is
 * stepped instead of divided, so that a pitched region costs no more than a plain one.
 */
#ifndef LAB_CUDA_WALK_CUH
#define LAB_CUDA_WALK_CUH

#include <cstdint>

#include "kernels.h"

/* 1024 threads of 16 bytes and IN_FLIGHT such in flight fill every memory and link that is known: a multiprocessor then
 * has 64 KiB on the way, where an HBM3e of 4.8 TB/s takes 20 KiB. */
enum { THREADS = 256, BLOCKS_PER_MULTIPROCESSOR = 4, IN_FLIGHT = 4 };

static inline unsigned blocks_for(uint64_t items, int multiprocessors)
{
    uint64_t wanted = (items + THREADS - 1) / THREADS;
    uint64_t most = (uint64_t)multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    return (unsigned)(wanted == 0 ? 1 : wanted < most ? wanted : most);
}

/* A place in a region, counted in units of some size. */
struct place {
    uint64_t row, column;
};

__host__ __device__ static inline struct place place_of(uint64_t index, uint64_t units_per_row)
{
    if (index < units_per_row) /* all of a single row: its divisions are saved */
        return {0, index};
    return {index / units_per_row, index % units_per_row};
}

__device__ static inline void advance(struct place &at, struct place step, uint64_t units_per_row)
{
    at.row += step.row;
    at.column += step.column;
    if (at.column >= units_per_row) {
        at.column -= units_per_row;
        at.row++;
    }
}

__device__ static inline uint64_t thread_of_grid()
{
    return (uint64_t)blockIdx.x * THREADS + threadIdx.x;
}

__device__ static inline uint64_t threads_of_grid()
{
    return (uint64_t)gridDim.x * THREADS;
}

/* Whether the region can be walked in units of that size: each row starts at a multiple of it, and a row holds whole
 * ones (the end of a single row is left over for the caller). */
static inline bool divides(size_t unit, struct cuda_region region)
{
    return (uintptr_t)region.address % unit == 0 &&
           (region.height == 1 || (region.pitch % unit == 0 && region.width % unit == 0));
}

#endif
