#include "launch_check.h"

#include "device.h"

#include <inttypes.h>

/* --- limits ------------------------------------------------------------------------------------------------------- */

static uint32_t size_of(const uint32_t size[3], size_t dimension)
{
    return size[dimension] > 0 ? size[dimension] : 1;
}

/* Checks that each dimension of a block or grid is at most the device's. */
static bool check_dimensions(struct lab_device *device, const char *name, const char *what, const uint32_t size[3],
                             const int64_t most[3])
{
    for (size_t i = 0; i < 3; i++)
        if (size_of(size, i) > most[i])
            return lab_error_set(&device->error, LAB_ERROR_INVALID_LAUNCH, "",
                                 "the %s of %s has the size %" PRIu32 " in %c; %s allows at most %" PRId64, what, name,
                                 size_of(size, i), "xyz"[i], device -> facts.name, most[i]);
    return true;
}

static bool check_threads(struct lab_device *device, const char *name, const struct cudaFuncAttributes *kernel,
                          const uint32_t block[3])
{
    uint64_t threads = (uint64_t)size_of(block, 0) * size_of(block, 1) * size_of(block, 2);
    return threads <= (uint64_t)kernel->maxThreadsPerBlock ||
           lab_error_set(&device->error, LAB_ERROR_INVALID_LAUNCH, "",
                         "a block of %s has %" PRIu64
                         " threads; with %d registers for each thread at most %d are allowed",
                         name, threads, kernel->numRegs, kernel->maxThreadsPerBlock);
}

static bool check_shared_memory(struct lab_device *device, const char *name, const struct cudaFuncAttributes *kernel,
                                size_t dynamic_bytes)
{
    size_t most = (size_t)device->facts.shared_per_block_optin_bytes;
    return kernel->sharedSizeBytes + dynamic_bytes <= most ||
           lab_error_set(&device->error, LAB_ERROR_INVALID_LAUNCH, "",
                         "a block of %s has %zu bytes of shared memory (%zu of them dynamic); %s allows at most %zu",
                         name, kernel->sharedSizeBytes + dynamic_bytes, dynamic_bytes, device->facts.name, most);
}

/* --- cooperative launches ----------------------------------------------------------------------------------------- */

bool lab_cuda_check_cooperative(struct lab_device *device, cudaKernel_t kernel, const char *name,
                                const struct lab_launch *launch)
{
    uint64_t threads = (uint64_t)size_of(launch->block, 0) * size_of(launch->block, 1) * size_of(launch->block, 2);
    uint64_t blocks = (uint64_t)size_of(launch->grid, 0) * size_of(launch->grid, 1) * size_of(launch->grid, 2);
    int resident = 0;
    if (!launch->cooperative)
        return true;
    if (!lab_cuda_check(device,
                        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, (const void *)kernel, (int)threads,
                                                                      launch->shared_bytes),
                        "computing how many blocks of a kernel fit"))
        return false;
    uint64_t most = (uint64_t)resident * (uint64_t)device->facts.multiprocessors;
    return blocks <= most ||
           lab_error_set(&device->error, LAB_ERROR_INVALID_LAUNCH, "",
                         "a cooperative launch of %s has %" PRIu64 " blocks; at most %" PRIu64
                         " are on %s at the same time, %d on each of %" PRId64 " multiprocessors",
                         name, blocks, most, device->facts.name, resident, (int64_t)device->facts.multiprocessors);
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

#if CUDART_VERSION >= 13000
/* Sets *bytes to the size of a parameter; 0: the kernel has no more parameters. */
static bool size_of_parameter(struct lab_device *device, cudaKernel_t kernel, size_t index, size_t *bytes)
{
    size_t offset;
    cudaError_t status = cudaFuncGetParamInfo((const void *)kernel, index, &offset, bytes);
    if (status != cudaErrorInvalidValue)
        return lab_cuda_check(device, status, "reading a kernel's parameters");
    (void)cudaGetLastError();
    *bytes = 0;
    return true;
}

static bool check_parameters(struct lab_device *device, cudaKernel_t kernel, const char *name,
                             const struct lab_argument *arguments, size_t count)
{
    for (size_t i = 0; i <= count; i++) {
        size_t bytes = 0, given = i < count ? arguments[i].bytes : 0;
        if (!size_of_parameter(device, kernel, i, &bytes))
            return false;
        if (bytes != given && (bytes == 0 || given == 0))
            return lab_error_set(&device->error, LAB_ERROR_INVALID_LAUNCH, "",
                                 "%s has %s parameters than the %zu arguments of the launch", name,
                                 bytes == 0 ? "fewer" : "more", count);
        if (bytes != given)
            return lab_error_set(&device->error, LAB_ERROR_INVALID_LAUNCH, "",
                                 "parameter %zu of %s has %zu bytes; its argument has %zu", i + 1, name, bytes, given);
    }
    return true;
}
#else
/* This version of the CUDA runtime library does not say what parameters a kernel has. */
static bool check_parameters(struct lab_device *device, cudaKernel_t kernel, const char *name,
                             const struct lab_argument *arguments, size_t count)
{
    (void)device, (void)kernel, (void)name, (void)arguments, (void)count;
    return true;
}
#endif

bool lab_cuda_check_launch(struct lab_device *device, cudaKernel_t kernel, const char *name,
                           const struct lab_launch *launch, const struct lab_argument *arguments, size_t count)
{
    struct cudaFuncAttributes attributes;
    return lab_cuda_check(device, cudaFuncGetAttributes(&attributes, (const void *)kernel),
                          "reading a kernel's attributes") &&
           check_dimensions(device, name, "block", launch->block, device->facts.max_block_dim) &&
           check_dimensions(device, name, "grid", launch->grid, device->facts.max_grid_dim) &&
           check_threads(device, name, &attributes, launch->block) &&
           check_shared_memory(device, name, &attributes, launch->shared_bytes) &&
           check_parameters(device, kernel, name, arguments, count);
}
