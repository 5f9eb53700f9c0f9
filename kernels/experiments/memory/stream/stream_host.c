/* The kernels of stream for host devices: each core takes a contiguous part of the arrays. */
#include "benchmark/check.h"
#include "stream.h"

#include <string.h>

// region part
/* Elements of 16 bytes are given out in units of 4, a cache line. */
enum { UNIT = 4, FLOATS = 4 };

static void part_floats(const struct lab_host_part *part, uint64_t n, uint64_t *begin, uint64_t *end)
{
    lab_host_part_range(part, n, UNIT, begin, end);
    *begin *= FLOATS;
    *end *= FLOATS;
}
// end part

// region read
static void read(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t *a = arguments[0].pointer;
    uint32_t *sums = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64 * FLOATS / STREAM_TILE_WORDS, 1, &begin, &end);
    for (uint64_t tile = begin; tile < end; tile++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < STREAM_TILE_WORDS; i++)
            sum += a[tile * STREAM_TILE_WORDS + i];
        sums[tile] = sum;
    }
}
// end read

// region write
static void write(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    float *c = arguments[0].pointer;
    uint64_t begin, end;
    part_floats(part, arguments[1].u64, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        c[i] = STREAM_SCALAR;
}
// end write

// region copy
static void copy(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *a = arguments[0].pointer;
    float *c = arguments[1].pointer;
    uint64_t begin, end;
    part_floats(part, arguments[2].u64, &begin, &end);
    memcpy(c + begin, a + begin, (end - begin) * sizeof *c);
}
// end copy

// region scale
static void scale(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict a = arguments[0].pointer;
    float *restrict c = arguments[1].pointer;
    uint64_t begin, end;
    part_floats(part, arguments[2].u64, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        c[i] = STREAM_SCALAR * a[i];
}
// end scale

// region add
static void add(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict a = arguments[0].pointer, *restrict b = arguments[1].pointer;
    float *restrict c = arguments[2].pointer;
    uint64_t begin, end;
    part_floats(part, arguments[3].u64, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        c[i] = a[i] + b[i];
}
// end add

// region triad
static void triad(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict a = arguments[0].pointer, *restrict b = arguments[1].pointer;
    float *restrict c = arguments[2].pointer;
    uint64_t begin, end;
    part_floats(part, arguments[3].u64, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        c[i] = a[i] + STREAM_SCALAR * b[i];
}
// end triad

LAB_CHECK_HOST(check, stream_expected)

extern const struct lab_host_kernel stream_host_kernels[];
const struct lab_host_kernel stream_host_kernels[] = {
    {"stream_read", read}, {"stream_write", write}, {"stream_copy", copy},   {"stream_scale", scale},
    {"stream_add", add},   {"stream_triad", triad}, {"stream_check", check}, {NULL, NULL},
};
