/* Writing and checking the test pattern (pattern.h) where kernels reach: 16 bytes at a time where a region allows it,
 * else element by element. */
#include "../pattern.h"
#include "walk.cuh"

struct pattern_job {
    struct cuda_region region;
    uint64_t bytes; /* in all rows together */
    uint64_t seed;
    uint64_t vectors, vectors_per_row; /* of 16 bytes; none where the region does not divide */
    struct place step;                 /* of the whole grid, in vectors */
};

enum { ELEMENTS_PER_VECTOR = 4, ELEMENT_BYTES = 4 };

__device__ static uint4 vector_of_pattern(uint64_t vector, uint64_t seed)
{
    uint64_t first = vector * ELEMENTS_PER_VECTOR;
    return make_uint4(lab_pattern_word(first, seed), lab_pattern_word(first + 1, seed),
                      lab_pattern_word(first + 2, seed), lab_pattern_word(first + 3, seed));
}

__device__ static uint4 *vector_at(const pattern_job &job, struct place at)
{
    return reinterpret_cast<uint4 *>(job.region.address + at.row * job.region.pitch) + at.column;
}

/* Calls visit(byte, number) for the bytes of an element, which may lie in several rows; the last may have fewer than
 * four. */
template <typename Visit> __device__ static void for_bytes_of(const pattern_job &job, uint64_t element, Visit visit)
{
    uint64_t first = element * ELEMENT_BYTES;
    struct place at = place_of(first, job.region.width);
    for (int i = 0; i < ELEMENT_BYTES && first + i < job.bytes; i++) {
        visit(job.region.address + at.row * job.region.pitch + at.column, i);
        advance(at, {0, 1}, job.region.width);
    }
}

__device__ static uint64_t elements_of(const pattern_job &job)
{
    return (job.bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES;
}

__global__ __launch_bounds__(THREADS, BLOCKS_PER_MULTIPROCESSOR) void fill_pattern(pattern_job job)
{
    struct place at = place_of(thread_of_grid(), job.vectors_per_row);
    for (uint64_t i = thread_of_grid(); i < job.vectors; i += threads_of_grid()) {
        *vector_at(job, at) = vector_of_pattern(i, job.seed);
        advance(at, job.step, job.vectors_per_row);
    }
    uint64_t elements = elements_of(job);
    for (uint64_t i = job.vectors * ELEMENTS_PER_VECTOR + thread_of_grid(); i < elements; i += threads_of_grid()) {
        uint32_t word = lab_pattern_word(i, job.seed);
        for_bytes_of(job, i, [word](unsigned char *byte, int number) { *byte = (unsigned char)(word >> 8 * number); });
    }
}

__device__ static unsigned wrong_in_vector(uint4 found, uint4 right)
{
    return (found.x != right.x) + (found.y != right.y) + (found.z != right.z) + (found.w != right.w);
}

__device__ static unsigned long long wrong_vectors(const pattern_job &job)
{
    unsigned long long wrong = 0;
    uint64_t index = thread_of_grid(), stride = threads_of_grid();
    struct place at = place_of(index, job.vectors_per_row);
    for (; index + (IN_FLIGHT - 1) * stride < job.vectors; index += IN_FLIGHT * stride) {
        uint4 found[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            found[i] = *vector_at(job, at);
            advance(at, job.step, job.vectors_per_row);
        }
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++)
            wrong += wrong_in_vector(found[i], vector_of_pattern(index + i * stride, job.seed));
    }
    for (; index < job.vectors; index += stride) {
        wrong += wrong_in_vector(*vector_at(job, at), vector_of_pattern(index, job.seed));
        advance(at, job.step, job.vectors_per_row);
    }
    return wrong;
}

__device__ static unsigned long long wrong_elements(const pattern_job &job)
{
    unsigned long long wrong = 0;
    uint64_t elements = elements_of(job);
    for (uint64_t i = job.vectors * ELEMENTS_PER_VECTOR + thread_of_grid(); i < elements; i += threads_of_grid()) {
        uint32_t word = lab_pattern_word(i, job.seed);
        bool differs = false;
        for_bytes_of(job, i, [&](const unsigned char *byte, int number) {
            differs |= *byte != (unsigned char)(word >> 8 * number);
        });
        wrong += differs;
    }
    return wrong;
}

__global__ __launch_bounds__(THREADS, BLOCKS_PER_MULTIPROCESSOR) void check_pattern(pattern_job job,
                                                                                    unsigned long long *wrong)
{
    __shared__ unsigned long long wrong_in_block;
    if (threadIdx.x == 0)
        wrong_in_block = 0;
    __syncthreads();
    unsigned long long mine = wrong_vectors(job) + wrong_elements(job);
    if (mine != 0)
        atomicAdd(&wrong_in_block, mine);
    __syncthreads();
    if (threadIdx.x == 0 && wrong_in_block != 0)
        atomicAdd(wrong, wrong_in_block);
}

static pattern_job job_of(struct cuda_region region, uint64_t seed, int multiprocessors, cudaLaunchConfig_t *config)
{
    pattern_job job;
    job.region = region;
    job.bytes = (uint64_t)region.width * region.height;
    job.seed = seed;
    job.vectors_per_row = divides(sizeof(uint4), region) ? region.width / sizeof(uint4) : 0;
    job.vectors = job.vectors_per_row * region.height;
    uint64_t items = job.vectors != 0 ? job.vectors : (job.bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES;
    if (job.vectors_per_row == 0)
        job.vectors_per_row = 1;
    config->gridDim = blocks_for(items, multiprocessors);
    config->blockDim = THREADS;
    job.step = place_of((uint64_t)config->gridDim.x * THREADS, job.vectors_per_row);
    return job;
}

extern "C" cudaError_t lab_cuda_launch_fill(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                            uint64_t seed)
{
    cudaLaunchConfig_t config = {};
    config.stream = stream;
    pattern_job job = job_of(destination, seed, multiprocessors, &config);
    return cudaLaunchKernelEx(&config, fill_pattern, job);
}

extern "C" cudaError_t lab_cuda_launch_check(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                             uint64_t seed, unsigned long long *wrong)
{
    cudaLaunchConfig_t config = {};
    config.stream = stream;
    pattern_job job = job_of(destination, seed, multiprocessors, &config);
    return cudaLaunchKernelEx(&config, check_pattern, job, wrong);
}

extern "C" cudaError_t lab_cuda_load_pattern(void)
{
    cudaFuncAttributes attributes;
    cudaError_t status = cudaFuncGetAttributes(&attributes, fill_pattern);
    return status == cudaSuccess ? cudaFuncGetAttributes(&attributes, check_pattern) : status;
}
