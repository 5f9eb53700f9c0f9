/* Device memory, pageable host memory, the three kinds of page-locked host memory, and managed memory. */
#include "memory.h"

#include "device.h"
#include "entries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
    const char *name;
    unsigned flags; /* flags for cudaHostAlloc; 0 for memory that is allocated otherwise */
} kinds[] = {
    [LAB_MEMORY_DEVICE] = {"device memory", 0},
    [LAB_MEMORY_PAGEABLE] = {"host memory", 0},
    [LAB_MEMORY_PINNED] = {"page-locked host memory", cudaHostAllocPortable},
    [LAB_MEMORY_WRITE_COMBINED] = {"write-combined host memory",
                                   cudaHostAllocPortable | cudaHostAllocWriteCombined | cudaHostAllocMapped},
    [LAB_MEMORY_MAPPED] = {"mapped host memory", cudaHostAllocPortable | cudaHostAllocMapped},
    [LAB_MEMORY_MANAGED] = {"managed memory", 0},
};

static bool is_on_device(enum lab_memory kind)
{
    return kind == LAB_MEMORY_DEVICE || kind == LAB_MEMORY_MANAGED;
}

static bool is_on_host(enum lab_memory kind)
{
    return kind != LAB_MEMORY_DEVICE;
}

/* The bytes of host memory that can be allocated without swapping (MemAvailable of Linux). UINT64_MAX if unknown. */
static uint64_t available_host_bytes(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    uint64_t kib = UINT64_MAX;
    char line[128];
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib == UINT64_MAX ? UINT64_MAX : kib * 1024;
}

/* The bytes of that kind that can be allocated; of memory that may be on either side, on the one that has less.
 * UINT64_MAX if unknown. */
static uint64_t available_bytes(struct lab_device *device, enum lab_memory kind)
{
    uint64_t available = is_on_host(kind) ? available_host_bytes() : UINT64_MAX;
    size_t free_bytes, total_bytes;
    if (is_on_device(kind) && lab_cuda_memory_info(device, &free_bytes, &total_bytes) && free_bytes < available)
        available = free_bytes;
    return available;
}

/* Sets the error of an allocation that failed. Always returns false. */
static bool insufficient(struct lab_device *device, enum lab_memory kind, size_t bytes)
{
    uint64_t available = available_bytes(device, kind);
    if (available == UINT64_MAX)
        return lab_error_set(&device->error, LAB_ERROR_INSUFFICIENT_MEMORY, "",
                             "cannot allocate %zu bytes of %s: not enough is free", bytes, kinds[kind].name);
    return lab_error_set(&device->error, LAB_ERROR_INSUFFICIENT_MEMORY, "",
                         "cannot allocate %zu bytes of %s: %" PRIu64 " bytes are free", bytes, kinds[kind].name,
                         available);
}

/* Allocates pageable memory and writes to every page, so that no page fault happens during a measurement. */
static void *allocate_pageable(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory;
    if (posix_memalign(&memory, page, bytes) != 0)
        return NULL;
    for (size_t offset = 0; offset < bytes; offset += page)
        ((volatile unsigned char *)memory)[offset] = 0;
    return memory;
}

bool lab_cuda_allocate(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address)
{
    *address = NULL;
    if (!lab_cuda_make_current(device))
        return false;
    if (bytes == 0)
        bytes = 1;
    if (kind == LAB_MEMORY_MANAGED && device->facts.managed_memory == 0)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "the device does not have managed memory");
    /* Linux overcommits memory: without this check it could kill the process when the memory is written or locked.
     * Managed memory may exceed that of the device too, whose pages would then move back and forth. */
    if (is_on_host(kind) && bytes > available_bytes(device, kind))
        return insufficient(device, kind, bytes);

    cudaError_t status = cudaSuccess;
    if (kind == LAB_MEMORY_PAGEABLE)
        *address = allocate_pageable(bytes);
    else if (kind == LAB_MEMORY_DEVICE)
        status = cudaMalloc(address, bytes);
    else if (kind == LAB_MEMORY_MANAGED)
        status = cudaMallocManaged(address, bytes, cudaMemAttachGlobal);
    else
        status = cudaHostAlloc(address, bytes, kinds[kind].flags);

    if (status == cudaErrorMemoryAllocation || (status == cudaSuccess && *address == NULL)) {
        (void)cudaGetLastError();
        return insufficient(device, kind, bytes);
    }
    return lab_cuda_check(device, status, "allocating memory");
}

void lab_cuda_free(struct lab_device *device, enum lab_memory kind, void *address)
{
    if (address == NULL)
        return;
    if (kind == LAB_MEMORY_PAGEABLE) {
        free(address);
        return;
    }
    if (!lab_cuda_make_current(device))
        return;
    (void)lab_cuda_check(device, is_on_device(kind) ? cudaFree(address) : cudaFreeHost(address), "releasing memory");
}

bool lab_cuda_memory_info(struct lab_device *device, size_t *free_bytes, size_t *total_bytes)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaMemGetInfo(free_bytes, total_bytes), "querying the free memory");
}

bool lab_cuda_device_address(struct lab_device *device, void *address, void **device_address)
{
    struct cudaPointerAttributes attributes;
    if (!lab_cuda_make_current(device) ||
        !lab_cuda_check(device, cudaPointerGetAttributes(&attributes, address), "looking up an address"))
        return false;
    *device_address = attributes.devicePointer;
    if (*device_address != NULL)
        return true;
    return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                         "the address is neither in device memory nor in page-locked host memory");
}
