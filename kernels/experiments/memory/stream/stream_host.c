/* The kernels of stream for host devices: each core takes a contiguous part of the arrays, whose elements are four
 * floats. */
#include "benchmark/check.h"
#include "benchmark/host_map.h"
#include "stream.h"

// steps use stream.h:constants

// region read
LAB_HOST_KERNEL(stream_read)
{
    const uint32_t *a = arguments[0].pointer;
    uint32_t *sums = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64 * 4 / STREAM_TILE_WORDS, 1, &begin, &end);
    for (uint64_t tile = begin; tile < end; tile++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < STREAM_TILE_WORDS; i++)
            sum += a[tile * STREAM_TILE_WORDS + i];
        sums[tile] = sum;
    }
}
// end

// step write, copy, scale, add, triad shows stream.h:constants, maps
// region maps
LAB_HOST_MAP(stream_write, 0, 4, STREAM_SCALAR)
LAB_HOST_MAP(stream_copy, 1, 4, a[i])
LAB_HOST_MAP(stream_scale, 1, 4, STREAM_SCALAR *a[i])
LAB_HOST_MAP(stream_add, 2, 4, a[i] + b[i])
LAB_HOST_MAP(stream_triad, 2, 4, a[i] + STREAM_SCALAR * b[i])
// end

// steps use nothing

// step memset "Memset (library)" shows kernels/host/operations.c:set
/* Each core sets a part of the array by `memset`. */

LAB_CHECK_HOST(stream_check, stream_expected)
