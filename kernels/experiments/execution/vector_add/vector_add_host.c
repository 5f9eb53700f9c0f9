/* The kernels of vector-add for host devices: the cores take the elements of a grid's threads. */
#include "benchmark/check.h"
#include "benchmark/host_map.h"
#include "vector_add.h"

// region one-block "one core"
/* One block is one core. */
LAB_HOST_KERNEL(vector_add_one_block)
{
    const float *restrict a = arguments[0].pointer, *restrict b = arguments[1].pointer;
    float *restrict c = arguments[2].pointer;
    for (uint64_t i = 0; part->index == 0 && i < arguments[3].u64; i++)
        c[i] = a[i] + b[i];
}
// end

// region thread-per-element "all cores"
/* Each core adds a contiguous part. */
LAB_HOST_MAP(vector_add_thread_per_element, 2, 1, a[i] + b[i])
// end

LAB_CHECK_HOST(vector_add_check, vector_add_expected)
