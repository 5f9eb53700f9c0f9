/* The kernels of offloaded jobs (offload.h), on arrays of `count` elements of 4 bytes. Their time is proportional to
 * the number of elements and, for add_sine_cosine and pairs, to the weight. The threads of the first three have one
 * element each.
 */
#include "benchmark/pairs.h"

enum { BLOCK_MAX = 1024, ARGUMENT_LIMIT = 65536 };

__device__ static uint64_t element_of_thread()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Adds the mean, over k from 0 to weight - 1, of sqrt(sin^2 x + cos^2 x), where x is (first + i + k) modulo 65536. Each
 * term is 1 except for rounding; x depends on k so that the compiler cannot move the computation out of the loop. The
 * deviations from 1 are added up instead of the terms: a float represents each deviation, and sums of millions of them,
 * exactly, whereas the rounding of a sum of the terms would exceed the deviations. x is an integer below 2^16, which a
 * float represents exactly too. */
extern "C" __global__ __launch_bounds__(BLOCK_MAX) void add_sine_cosine(float *values, uint64_t count, uint32_t first,
                                                                        uint32_t weight)
{
    uint64_t i = element_of_thread();
    if (i >= count)
        return;
    uint32_t argument = first + (uint32_t)i;
    float deviation = 0;
    for (uint32_t k = 0; k < weight; k++) {
        float x = (float)((argument + k) % ARGUMENT_LIMIT);
        float sine = sinf(x), cosine = cosf(x);
        deviation += sqrtf(sine * sine + cosine * cosine) - 1.0f;
    }
    values[i] += 1.0f + deviation / (float)weight;
}

/* The arrays begin and end at window borders, so that their windows are those of the complete arrays
 * (lab_pattern_average). */
extern "C" __global__ __launch_bounds__(BLOCK_MAX) void average(int32_t *__restrict__ destination,
                                                                const int32_t *__restrict__ source,
                                                                const int32_t *__restrict__ source2, uint64_t count)
{
    uint64_t i = element_of_thread();
    if (i >= count)
        return;
    uint64_t window = i - i % LAB_AVERAGE_WINDOW;
    int32_t sum = 0;
#pragma unroll
    for (uint64_t k = 0; k < 3; k++) {
        uint64_t neighbour = window + (i + k) % LAB_AVERAGE_WINDOW;
        sum += source[neighbour] + source2[neighbour];
    }
    destination[i] = sum / 6;
}

extern "C" __global__ __launch_bounds__(BLOCK_MAX) void increment(int32_t *values, uint64_t count)
{
    uint64_t i = element_of_thread();
    if (i < count)
        values[i] += LAB_INCREMENT;
}

/* Each thread has LAB_PAIRS_ELEMENTS elements in registers, so that it uses each partner that it reads several times.
 * The partners are read through shared memory, LAB_PAIRS_THREADS at a time: each thread of the block loads one. */
__device__ static void add_partner(uint32_t (&sums)[LAB_PAIRS_ELEMENTS], const uint32_t (&elements)[LAB_PAIRS_ELEMENTS],
                                   uint32_t partner)
{
#pragma unroll
    for (int i = 0; i < LAB_PAIRS_ELEMENTS; i++) {
        uint32_t difference = elements[i] - partner;
        sums[i] += difference * difference;
    }
}

extern "C" __global__ __launch_bounds__(LAB_PAIRS_THREADS) void pairs(uint32_t *destination, const uint32_t *source,
                                                                      uint64_t count, const uint32_t *partners,
                                                                      uint32_t partner_count)
{
    __shared__ uint32_t tile[LAB_PAIRS_THREADS];
    uint64_t first = (uint64_t)blockIdx.x * LAB_PAIRS_BLOCK + threadIdx.x;
    uint32_t elements[LAB_PAIRS_ELEMENTS], sums[LAB_PAIRS_ELEMENTS] = {};
#pragma unroll
    for (int i = 0; i < LAB_PAIRS_ELEMENTS; i++)
        elements[i] = first + i * LAB_PAIRS_THREADS < count ? source[first + i * LAB_PAIRS_THREADS] : 0;

    uint32_t tiled_count = partner_count / LAB_PAIRS_THREADS * LAB_PAIRS_THREADS;
    for (uint32_t start = 0; start < tiled_count; start += LAB_PAIRS_THREADS) {
        __syncthreads();
        tile[threadIdx.x] = partners[start + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int i = 0; i < LAB_PAIRS_THREADS; i++)
            add_partner(sums, elements, tile[i]);
    }
    for (uint32_t i = tiled_count; i < partner_count; i++)
        add_partner(sums, elements, partners[i]);

#pragma unroll
    for (int i = 0; i < LAB_PAIRS_ELEMENTS; i++)
        if (first + i * LAB_PAIRS_THREADS < count)
            destination[first + i * LAB_PAIRS_THREADS] = sums[i];
}
