/* The variants of occupancy-ilp and the results of its kernels, compiled for device and host. */
#ifndef LAB_OCCUPANCY_ILP_H
#define LAB_OCCUPANCY_ILP_H

#include "runtime/pattern.h"

/* In the order of the parameter's choices. */
enum { OCCUPANCY_ILP_COPY, OCCUPANCY_ILP_FMA };

// region constants
/* Each chain of fma has OCCUPANCY_ILP_STEPS steps x = x * FACTOR + SUMMAND. The kernel gets the numbers as
 * arguments, so that the compiler does not know them. */
enum { OCCUPANCY_ILP_STEPS = 65536 };

#define OCCUPANCY_ILP_FACTOR 1.0f
#define OCCUPANCY_ILP_SUMMAND 251.0f
// end

/* Where chain `i` begins: an integer below 2^16. All steps of a chain are integers below 2^24, which are exact. */
LAB_HOST_DEVICE float occupancy_ilp_start(uint64_t i, uint64_t seed)
{
    return (float)(lab_pattern_word(i, seed) >> 16);
}

/* The input of fma. */
LAB_HOST_DEVICE uint32_t occupancy_ilp_input(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)parameters;
    return lab_float_bits(occupancy_ilp_start(i, seed));
}

/* The bits of element `i` of the result; parameters[0] is the variant. The input of a copy holds LAB_CONTENT_FLOATS. */
LAB_HOST_DEVICE uint32_t occupancy_ilp_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    if (parameters[0] == OCCUPANCY_ILP_COPY)
        return lab_float_bits(lab_pattern_float(i, seed));
    return lab_float_bits(occupancy_ilp_start(i, seed) + OCCUPANCY_ILP_STEPS * OCCUPANCY_ILP_SUMMAND);
}

#endif
