/* The results of the kernels of access-width, compiled for device and host. */
#ifndef LAB_ACCESS_WIDTH_H
#define LAB_ACCESS_WIDTH_H

#include "runtime/pattern.h"

/* The bits of element `i` of the result. The input holds LAB_CONTENT_FLOATS of `seed`, of which every parameters[0]-th
 * is copied. */
LAB_HOST_DEVICE uint32_t access_width_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return lab_float_bits(lab_pattern_float(i * parameters[0], seed));
}

#endif
