/* Kernels whose threads take one of up to 32 paths of equal length. Thread i computes element i, whose path is
 * paths[i]. */
#include "benchmark/check.h"
#include "divergence.h"

// steps use divergence.h:pattern, divergence.h:path

// region branches "Code of its own for each path"
/* Path p is a loop whose factor is a constant in its instructions, so the compiler cannot join the paths. The lanes of
 * a warp meet again after the switch. */
template <uint32_t p> __device__ float follow(float x, uint32_t length)
{
#pragma unroll 1
    for (uint32_t done = 0; done < length; done += DIVERGENCE_UNROLL) {
#pragma unroll
        for (uint32_t step = 0; step < DIVERGENCE_UNROLL; step++)
            x = divergence_step(x, DIVERGENCE_FACTOR(p));
    }
    return x;
}

#define PATH(p)                                                                                                        \
    case p:                                                                                                            \
        return follow<p>(x, length)
#define FOUR_PATHS(p)                                                                                                  \
    PATH(p);                                                                                                           \
    PATH((p) + 1);                                                                                                     \
    PATH((p) + 2);                                                                                                     \
    PATH((p) + 3)

__device__ float choose(uint32_t path, float x, uint32_t length)
{
    switch (path) {
        FOUR_PATHS(0);
        FOUR_PATHS(4);
        FOUR_PATHS(8);
        FOUR_PATHS(12);
        FOUR_PATHS(16);
        FOUR_PATHS(20);
        FOUR_PATHS(24);
        FOUR_PATHS(28);
    default:
        return x;
    }
}

extern "C" __global__ void divergence_branches(const uint32_t *paths, const float *in, float *out, uint32_t n,
                                               uint32_t length)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = choose(paths[i], in[i], length);
}
// end

// region predicated "Two paths that the compiler makes without a branch"
/* The branch is inside each step, around one assignment. The compiler makes no jump: an instruction (R2P) sets
 * predicates from the bits of `choice`, and a selection (FSEL) takes one of the two factors in each step. No lane waits
 * for another. All bits are equal, which the compiler does not know, and they are rotated: of a branch that is the same
 * in all rounds the compiler makes the selections before the loop, where they cost nothing. */
extern "C" __global__ void divergence_predicated(const uint32_t *paths, const float *in, float *out, uint32_t n,
                                                 uint32_t length)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t choice = 0 - paths[i];
    float x = in[i];
#pragma unroll 1
    for (uint32_t done = 0; done < length; done += DIVERGENCE_UNROLL) {
#pragma unroll
        for (uint32_t step = 0; step < DIVERGENCE_UNROLL; step++) {
            float factor = DIVERGENCE_FACTOR(0);
            if (choice >> step & 1)
                factor = DIVERGENCE_FACTOR(1);
            x = divergence_step(x, factor);
        }
        choice = choice >> 1 | choice << 31;
    }
    out[i] = x;
}
// end

// region table "Paths that differ in a value only"
/* The paths are data, not code: each lane computes its factor before the loop, and all lanes execute the same
 * instructions. */
extern "C" __global__ void divergence_table(const uint32_t *paths, const float *in, float *out, uint32_t n,
                                            uint32_t length)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], factor = DIVERGENCE_FACTOR(paths[i]);
#pragma unroll 1
    for (uint32_t done = 0; done < length; done += DIVERGENCE_UNROLL) {
#pragma unroll
        for (uint32_t step = 0; step < DIVERGENCE_UNROLL; step++)
            x = divergence_step(x, factor);
    }
    out[i] = x;
}
// end

LAB_FILL_KERNEL(divergence_fill, divergence_path)
LAB_CHECK_KERNEL(divergence_check, divergence_expected)
