/* The result of vector-add, compiled for device and host. */
#ifndef LAB_VECTOR_ADD_H
#define LAB_VECTOR_ADD_H

#include "runtime/pattern.h"

/* The bits of element `i` of c = a + b. The inputs hold LAB_CONTENT_FLOATS of `seed` and `seed` + 1. */
LAB_HOST_DEVICE uint32_t vector_add_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    (void)parameters;
    return lab_float_bits(lab_pattern_float(i, seed) + lab_pattern_float(i, seed + 1));
}

#endif
