/* The kernels of divergence for host devices: each core takes a contiguous part of the elements. */
#include "benchmark/check.h"
#include "divergence.h"

// region elements
/* Computes a part's elements, out[i] = function(paths[i], in[i], length). */
static inline void for_each_element(const struct lab_host_part *part, const struct lab_argument *arguments,
                                    float (*function)(uint32_t path, float x, uint32_t length))
{
    const uint32_t *restrict paths = arguments[0].pointer;
    const float *restrict in = arguments[1].pointer;
    float *restrict out = arguments[2].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[3].u32, DIVERGENCE_WARP, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = function(paths[i], in[i], arguments[4].u32);
}
// end

// steps use divergence.h:pattern, divergence.h:path, elements

// region branches "Code of its own for each path"
/* A jump for each element, to the code of its path. The processor predicts it from the jumps before. */
#define PATH(p)                                                                                                        \
    case p:                                                                                                            \
        for (uint32_t step = 0; step < length; step++)                                                                 \
            x = divergence_step(x, DIVERGENCE_FACTOR(p));                                                              \
        return x
#define FOUR_PATHS(p)                                                                                                  \
    PATH(p);                                                                                                           \
    PATH((p) + 1);                                                                                                     \
    PATH((p) + 2);                                                                                                     \
    PATH((p) + 3)

static inline float choose(uint32_t path, float x, uint32_t length)
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

LAB_HOST_KERNEL(divergence_branches)
{
    for_each_element(part, arguments, choose);
}
// end

// region table "Paths that differ in a value only"
/* No jump depends on the data. */
static inline float look_up(uint32_t path, float x, uint32_t length)
{
    float factor = DIVERGENCE_FACTOR(path);
    for (uint32_t step = 0; step < length; step++)
        x = divergence_step(x, factor);
    return x;
}

LAB_HOST_KERNEL(divergence_table)
{
    for_each_element(part, arguments, look_up);
}
// end

LAB_FILL_HOST(divergence_fill, divergence_path)
LAB_CHECK_HOST(divergence_check, divergence_expected)
