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
// end

// steps use part

// region shifted "Aligned and shifted"
/* Neighbouring elements: each cache line is used completely. */
LAB_HOST_KERNEL(coalescing_read_shifted)
{
    const float *restrict in = (const float *)arguments[0].pointer + arguments[3].u64;
    float *restrict out = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[i] + 1.0f;
}

LAB_HOST_KERNEL(coalescing_write_shifted)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = (float *)arguments[1].pointer + arguments[3].u64;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[i] + 1.0f;
}
// end

// steps use coalescing.h:permutation, part

// region permuted "Permuted within 32 elements"
/* The same cache lines in another order; the compiler cannot use vector instructions. */
LAB_HOST_KERNEL(coalescing_read_permuted)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = in[coalescing_permute(i)] + 1.0f;
}

LAB_HOST_KERNEL(coalescing_write_permuted)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[coalescing_permute(i)] = in[i] + 1.0f;
}
// end

// steps use part

// region strided "Strided"
/* From stride 16 on every element is in another cache line of 64 bytes, of which 4 are used. */
LAB_HOST_KERNEL(coalescing_read_strided)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t rows = arguments[2].u64, stride = arguments[3].u64, begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t column = 0; column < stride; column++)
        for (uint64_t row = begin; row < end; row++)
            out[column * rows + row] = in[row * stride + column] + 1.0f;
}

LAB_HOST_KERNEL(coalescing_write_strided)
{
    const float *restrict in = arguments[0].pointer;
    float *restrict out = arguments[1].pointer;
    uint64_t rows = arguments[2].u64, stride = arguments[3].u64, begin, end;
    part_range(part, arguments, &begin, &end);
    for (uint64_t column = 0; column < stride; column++)
        for (uint64_t row = begin; row < end; row++)
            out[row * stride + column] = in[column * rows + row] + 1.0f;
}
// end

LAB_CHECK_HOST(coalescing_check, coalescing_expected)
