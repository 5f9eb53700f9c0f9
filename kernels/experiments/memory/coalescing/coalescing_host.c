/* The kernels of coalescing for host devices: each core takes a contiguous part of the threads. */
#include "benchmark/check.h"
#include "coalescing.h"

// region part
/* A part's elements of the linear patterns, n being the third argument. */
static void part_range(const struct lab_host_part *part, const struct lab_argument *arguments, uint64_t *begin,
                       uint64_t *end)
{
    lab_host_part_range(part, arguments[2].u64, 32, begin, end);
}
// end part

// region shifted
static void read_shifted(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict in = (const float *)arguments[0].pointer + arguments[3].u64;
    float *restrict out = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[i] + 1.0f;
}

static void write_shifted(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = (float *)arguments[1].pointer + arguments[3].u64;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[i] + 1.0f;
}
// end shifted

// region permuted
static void read_permuted(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[coalescing_permute(i)] + 1.0f;
}

static void write_permuted(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[coalescing_permute(i)] = in[i] + 1.0f;
}
// end permuted

// region strided
static void read_strided(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t rows = arguments[2].u64, stride = arguments[3].u64, begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t column = 0; column < stride; column++)
        for (uint64_t row = begin; row < end; row++)
            out[column * rows + row] = in[row * stride + column] + 1.0f;
}

static void write_strided(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t rows = arguments[2].u64, stride = arguments[3].u64, begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t column = 0; column < stride; column++)
        for (uint64_t row = begin; row < end; row++)
            out[row * stride + column] = in[column * rows + row] + 1.0f;
}
// end strided

LAB_CHECK_HOST(check, coalescing_expected)

extern const struct lab_host_kernel coalescing_host_kernels[];
const struct lab_host_kernel coalescing_host_kernels[] = {
    {"coalescing_read_shifted", read_shifted},
    {"coalescing_write_shifted", write_shifted},
    {"coalescing_read_permuted", read_permuted},
    {"coalescing_write_permuted", write_permuted},
    {"coalescing_read_strided", read_strided},
    {"coalescing_write_strided", write_strided},
    {"coalescing_check", check},
    {NULL, NULL},
};
