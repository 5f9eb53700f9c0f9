/* Fills buffers with their expected contents (runtime/pattern.h) and checks them: 16 bytes at a time if the alignment
 * of the region allows it, else element by element. */
#include "grid_stride.cuh"
#include "runtime/pattern.h"

struct pattern_job {
    struct cuda_region region;
    uint64_t bytes; /* number of bytes in all rows together */
    struct lab_expectation expected;
    uint64_t vectors, vectors_per_row; /* numbers of 16-byte vectors; `vectors` is 0 if the region is not aligned */
    struct position step;              /* distance between two consecutive vectors of the same thread, in vectors */
};

enum { ELEMENTS_PER_VECTOR = 4, ELEMENT_BYTES = 4 };

/* The expected bits of an element. CONTENT equals job.expected.content and is a compile-time constant. */
template <lab_content CONTENT> __device__ static uint32_t expected_bits(const pattern_job &job, uint64_t element)
{
    lab_expectation expected = job.expected;
    expected.content = CONTENT;
    return lab_expected_bits(&expected, element);
}

__device__ static uint4 *vector_at(const pattern_job &job, struct position at)
{
    return reinterpret_cast<uint4 *>(job.region.address + at.row * job.region.pitch) + at.column;
}

/* Calls visit(byte, number) for each byte of an element, which may extend over several rows. The last element may have
 * fewer than 4 bytes. */
template <typename Visit> __device__ static void for_bytes_of(const pattern_job &job, uint64_t element, Visit visit)
{
    uint64_t first = element * ELEMENT_BYTES;
    struct position at = position_of(first, job.region.width);
    for (int i = 0; i < ELEMENT_BYTES && first + i < job.bytes; i++) {
        visit(job.region.address + at.row * job.region.pitch + at.column, i);
        advance(at, {0, 1}, job.region.width);
    }
}

__device__ static uint64_t elements_of(const pattern_job &job)
{
    return (job.bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES;
}

template <lab_content CONTENT>
__global__ __launch_bounds__(THREADS, BLOCKS_PER_MULTIPROCESSOR) void fill(pattern_job job)
{
    struct position at = position_of(thread_in_grid(), job.vectors_per_row);
    for (uint64_t i = thread_in_grid(); i < job.vectors; i += threads_in_grid()) {
        uint64_t element = i * ELEMENTS_PER_VECTOR;
        *vector_at(job, at) =
            make_uint4(expected_bits<CONTENT>(job, element), expected_bits<CONTENT>(job, element + 1),
                       expected_bits<CONTENT>(job, element + 2), expected_bits<CONTENT>(job, element + 3));
        advance(at, job.step, job.vectors_per_row);
    }
    uint64_t elements = elements_of(job);
    for (uint64_t i = job.vectors * ELEMENTS_PER_VECTOR + thread_in_grid(); i < elements; i += threads_in_grid()) {
        uint32_t word = expected_bits<CONTENT>(job, i);
        for_bytes_of(job, i, [word](unsigned char *byte, int number) { *byte = (unsigned char)(word >> 8 * number); });
    }
}

/* Compares the bits in `mask`. LAB_CONTENT_FLOATS_PLUS_ONE allows for rounding errors; a NaN is wrong. */
template <lab_content CONTENT>
__device__ static void compare(const pattern_job &job, uint64_t element, uint32_t found, uint32_t mask,
                               cuda_comparison &comparison)
{
    if constexpr (CONTENT == LAB_CONTENT_FLOATS_PLUS_ONE) {
        double right = (double)lab_pattern_float(job.expected.first + element, job.expected.seed) + 1;
        double error = fabs((double)__uint_as_float(found) - right);
        comparison.wrong += !(error <= LAB_FLOAT_ERROR_MAX);
        if (error > comparison.max_error)
            comparison.max_error = error;
    } else {
        comparison.wrong += (found & mask) != (expected_bits<CONTENT>(job, element) & mask);
    }
}

template <lab_content CONTENT>
__device__ static void compare_vector(const pattern_job &job, uint64_t vector, uint4 found, cuda_comparison &comparison)
{
    uint64_t element = vector * ELEMENTS_PER_VECTOR;
    compare<CONTENT>(job, element, found.x, UINT32_MAX, comparison);
    compare<CONTENT>(job, element + 1, found.y, UINT32_MAX, comparison);
    compare<CONTENT>(job, element + 2, found.z, UINT32_MAX, comparison);
    compare<CONTENT>(job, element + 3, found.w, UINT32_MAX, comparison);
}

template <lab_content CONTENT>
__device__ static void compare_vectors(const pattern_job &job, cuda_comparison &comparison)
{
    uint64_t index = thread_in_grid(), stride = threads_in_grid();
    struct position at = position_of(index, job.vectors_per_row);
    for (; index + (IN_FLIGHT - 1) * stride < job.vectors; index += IN_FLIGHT * stride) {
        uint4 found[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            found[i] = *vector_at(job, at);
            advance(at, job.step, job.vectors_per_row);
        }
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++)
            compare_vector<CONTENT>(job, index + i * stride, found[i], comparison);
    }
    for (; index < job.vectors; index += stride) {
        compare_vector<CONTENT>(job, index, *vector_at(job, at), comparison);
        advance(at, job.step, job.vectors_per_row);
    }
}

template <lab_content CONTENT>
__device__ static void compare_elements(const pattern_job &job, cuda_comparison &comparison)
{
    uint64_t elements = elements_of(job);
    for (uint64_t i = job.vectors * ELEMENTS_PER_VECTOR + thread_in_grid(); i < elements; i += threads_in_grid()) {
        uint32_t found = 0, mask = 0;
        for_bytes_of(job, i, [&](const unsigned char *byte, int number) {
            found |= (uint32_t)*byte << 8 * number;
            mask |= 0xFFu << 8 * number;
        });
        compare<CONTENT>(job, i, found, mask, comparison);
    }
}

/* *most = max(*most, value), atomically: doubles that are not negative are ordered like their bits. */
__device__ static void atomic_max(double *most, double value)
{
    atomicMax(reinterpret_cast<unsigned long long *>(most), (unsigned long long)__double_as_longlong(value));
}

template <lab_content CONTENT>
__global__ __launch_bounds__(THREADS, BLOCKS_PER_MULTIPROCESSOR) void check(pattern_job job,
                                                                            cuda_comparison *comparison)
{
    __shared__ cuda_comparison of_block;
    if (threadIdx.x == 0)
        of_block = {0, 0};
    __syncthreads();
    cuda_comparison of_thread = {0, 0};
    compare_vectors<CONTENT>(job, of_thread);
    compare_elements<CONTENT>(job, of_thread);
    if (of_thread.wrong != 0)
        atomicAdd(&of_block.wrong, of_thread.wrong);
    if (of_thread.max_error > 0)
        atomic_max(&of_block.max_error, of_thread.max_error);
    __syncthreads();
    if (threadIdx.x == 0 && of_block.wrong != 0)
        atomicAdd(&comparison->wrong, of_block.wrong);
    if (threadIdx.x == 0 && of_block.max_error > 0)
        atomic_max(&comparison->max_error, of_block.max_error);
}

/* The kernels for each content, in the order of enum lab_content. */
static void (*const fills[])(pattern_job) = {
    fill<LAB_CONTENT_WORDS>,
    fill<LAB_CONTENT_FLOATS>,
    fill<LAB_CONTENT_FLOATS_PLUS_ONE>,
    fill<LAB_CONTENT_INTS>,
    fill<LAB_CONTENT_INTS_INCREMENTED>,
    fill<LAB_CONTENT_AVERAGES>,
    fill<LAB_CONTENT_TRANSPOSED>,
    fill<LAB_CONTENT_ZEROS>,
};
static void (*const checks[])(pattern_job, cuda_comparison *) = {
    check<LAB_CONTENT_WORDS>,
    check<LAB_CONTENT_FLOATS>,
    check<LAB_CONTENT_FLOATS_PLUS_ONE>,
    check<LAB_CONTENT_INTS>,
    check<LAB_CONTENT_INTS_INCREMENTED>,
    check<LAB_CONTENT_AVERAGES>,
    check<LAB_CONTENT_TRANSPOSED>,
    check<LAB_CONTENT_ZEROS>,
};
static_assert(sizeof fills / sizeof *fills == (size_t)LAB_CONTENTS &&
                  sizeof checks / sizeof *checks == (size_t)LAB_CONTENTS,
              "each content needs a fill and a check kernel");

static pattern_job job_of(struct cuda_region region, struct lab_expectation expected, int multiprocessors,
                          cudaLaunchConfig_t *config)
{
    pattern_job job;
    job.region = region;
    job.bytes = (uint64_t)region.width * region.height;
    job.expected = expected;
    job.vectors_per_row = divides(sizeof(uint4), region) ? region.width / sizeof(uint4) : 0;
    job.vectors = job.vectors_per_row * region.height;
    uint64_t items = job.vectors != 0 ? job.vectors : (job.bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES;
    if (job.vectors_per_row == 0)
        job.vectors_per_row = 1;
    config->gridDim = blocks_for(items, multiprocessors);
    config->blockDim = THREADS;
    job.step = position_of((uint64_t)config->gridDim.x * THREADS, job.vectors_per_row);
    return job;
}

extern "C" cudaError_t lab_cuda_launch_fill(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                            struct lab_expectation expected)
{
    cudaLaunchConfig_t config = {};
    config.stream = stream;
    pattern_job job = job_of(destination, expected, multiprocessors, &config);
    return cudaLaunchKernelEx(&config, fills[expected.content], job);
}

extern "C" cudaError_t lab_cuda_launch_check(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                             struct lab_expectation expected, struct cuda_comparison *comparison)
{
    cudaLaunchConfig_t config = {};
    config.stream = stream;
    pattern_job job = job_of(destination, expected, multiprocessors, &config);
    return cudaLaunchKernelEx(&config, checks[expected.content], job, comparison);
}

extern "C" cudaError_t lab_cuda_load_pattern(void)
{
    cudaFuncAttributes attributes;
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < LAB_CONTENTS && status == cudaSuccess; i++) {
        status = cudaFuncGetAttributes(&attributes, fills[i]);
        if (status == cudaSuccess)
            status = cudaFuncGetAttributes(&attributes, checks[i]);
    }
    return status;
}
