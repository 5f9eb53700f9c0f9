/* Copies a region by a kernel, in the largest unit (16, 4 or 1 bytes) that the alignment of both regions allows. */
#include "grid_stride.cuh"

struct copy_job {
    struct cuda_region destination, source;
    uint64_t units, units_per_row;
    struct position step; /* distance between two consecutive units of the same thread */
};

template <typename Unit> __device__ static Unit *unit_at(struct cuda_region region, struct position at)
{
    return reinterpret_cast<Unit *>(region.address + at.row * region.pitch) + at.column;
}

template <typename Unit> __global__ __launch_bounds__(THREADS, BLOCKS_PER_MULTIPROCESSOR) void copy_units(copy_job job)
{
    uint64_t index = thread_in_grid(), stride = threads_in_grid();
    struct position at = position_of(index, job.units_per_row);

    while (index + (IN_FLIGHT - 1) * stride < job.units) {
        struct position positions[IN_FLIGHT];
        Unit units[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            positions[i] = at;
            advance(at, job.step, job.units_per_row);
        }
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++)
            units[i] = *unit_at<Unit>(job.source, positions[i]);
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++)
            *unit_at<Unit>(job.destination, positions[i]) = units[i];
        index += IN_FLIGHT * stride;
    }
    for (; index < job.units; index += stride) {
        *unit_at<Unit>(job.destination, at) = *unit_at<Unit>(job.source, at);
        advance(at, job.step, job.units_per_row);
    }

    /* Copies the bytes after the last complete unit of a single row. */
    size_t done = job.units * sizeof(Unit);
    if (job.destination.height == 1 && thread_in_grid() < job.destination.width - done)
        job.destination.address[done + thread_in_grid()] = job.source.address[done + thread_in_grid()];
}

template <typename Unit>
static cudaError_t launch(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                          struct cuda_region source)
{
    copy_job job;
    job.destination = destination;
    job.source = source;
    job.units_per_row = destination.width / sizeof(Unit);
    job.units = job.units_per_row * destination.height;
    if (job.units_per_row == 0) /* the row is shorter than a unit; the last lines of copy_units copy it */
        job.units_per_row = 1;

    cudaLaunchConfig_t config = {};
    config.gridDim = blocks_for(job.units, multiprocessors);
    config.blockDim = THREADS;
    config.stream = stream;
    job.step = position_of((uint64_t)config.gridDim.x * THREADS, job.units_per_row);
    return cudaLaunchKernelEx(&config, copy_units<Unit>, job);
}

extern "C" cudaError_t lab_cuda_launch_copy(cudaStream_t stream, int multiprocessors, struct cuda_region destination,
                                            struct cuda_region source)
{
    if (destination.width == 0 || destination.height == 0)
        return cudaSuccess;
    if (divides(sizeof(uint4), destination) && divides(sizeof(uint4), source))
        return launch<uint4>(stream, multiprocessors, destination, source);
    if (divides(sizeof(uint32_t), destination) && divides(sizeof(uint32_t), source))
        return launch<uint32_t>(stream, multiprocessors, destination, source);
    return launch<unsigned char>(stream, multiprocessors, destination, source);
}

extern "C" cudaError_t lab_cuda_load_copy(void)
{
    cudaFuncAttributes attributes;
    cudaError_t status = cudaFuncGetAttributes(&attributes, copy_units<uint4>);
    if (status == cudaSuccess)
        status = cudaFuncGetAttributes(&attributes, copy_units<uint32_t>);
    if (status == cudaSuccess)
        status = cudaFuncGetAttributes(&attributes, copy_units<unsigned char>);
    return status;
}
