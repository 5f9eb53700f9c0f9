/* fma of occupancy-ilp for host devices: each core is a thread, with N chains. */
#include "benchmark/check.h"
#include "occupancy_ilp.h"

/* Several chains must not become the elements of one vector. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize")
#endif

// steps use occupancy_ilp.h:constants

// region fma "N chains on a core"
/* A core executes instructions out of order: it starts a step of each chain as soon as its operands are there. The
 * compiler is told not to combine the chains into vectors. */
static inline void chains(const struct lab_argument *arguments, uint64_t thread, uint64_t threads, size_t n)
{
    const float *in = arguments[0].pointer;
    float *out = arguments[1].pointer, x[8];
    uint32_t steps = arguments[2].u32;
    float factor = arguments[3].f32, summand = arguments[4].f32;
    for (size_t k = 0; k < n; k++)
        x[k] = in[thread + k * threads];
    for (uint32_t step = 0; step < steps; step++)
        for (size_t k = 0; k < n; k++)
            x[k] = x[k] * factor + summand;
    for (size_t k = 0; k < n; k++)
        out[thread + k * threads] = x[k];
}

/* A core has the place of a thread. */
static inline void multiply_add(const struct lab_host_part *part, const struct lab_argument *arguments, size_t n)
{
    uint64_t begin, end, threads = part->launch->grid[0];
    lab_host_part_range(part, threads, 1, &begin, &end);
    for (uint64_t thread = begin; thread < end; thread++)
        chains(arguments, thread, threads, n);
}
// end

#define KERNEL(name, n)                                                                                                \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        multiply_add(part, arguments, n);                                                                              \
    }

KERNEL(occupancy_ilp_fma_1, 1)
KERNEL(occupancy_ilp_fma_2, 2)
KERNEL(occupancy_ilp_fma_4, 4)
KERNEL(occupancy_ilp_fma_8, 8)

LAB_FILL_HOST(occupancy_ilp_fill, occupancy_ilp_input)
LAB_CHECK_HOST(occupancy_ilp_check, occupancy_ilp_expected)
