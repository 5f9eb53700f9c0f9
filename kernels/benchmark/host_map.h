/* Element-wise kernels of the host runtime, which cores execute as loops over a part of the arrays. */
#ifndef LAB_HOST_MAP_H
#define LAB_HOST_MAP_H

#include "runtime/module.h"

/* Defines the kernel `name`, which sets c[i] to `value` for each float: LAB_HOST_MAP(stream_add, 2, 4, a[i] + b[i]).
 * Its arguments are the arrays of `inputs` inputs, a and b, the array c, and the number of elements of `floats` floats.
 * Each core takes whole cache lines. */
#define LAB_HOST_MAP(name, inputs, floats, value)                                                                      \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        enum { LINE = 16 };                                                                                            \
        const float *restrict a = arguments[0].pointer, *restrict b = arguments[(inputs) > 1 ? 1 : 0].pointer;         \
        float *restrict c = arguments[inputs].pointer;                                                                 \
        uint64_t begin, end;                                                                                           \
        lab_host_part_range(part, arguments[(inputs) + 1].u64 *(floats), LINE, &begin, &end);                          \
        (void)a;                                                                                                       \
        (void)b;                                                                                                       \
        for (uint64_t i = begin; i < end; i++)                                                                         \
            c[i] = (value);                                                                                            \
    }

#endif
