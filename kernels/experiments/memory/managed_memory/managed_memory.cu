/* Kernels that read or write all elements of an array, each thread one. */
#include "benchmark/check.h"
#include "managed_memory.h"

// region read
extern "C" __global__ void managed_memory_read(const uint32_t *pages, uint32_t *out, uint64_t count)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = pages[i] + 1;
}
// end

// region write
extern "C" __global__ void managed_memory_write(uint32_t *pages, uint64_t count)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        pages[i] = (uint32_t)i;
}
// end

// step copy "Memory of the device, and a copy" shows read, run.c:copy
/* Without managed memory: the kernel reads memory of cudaMalloc, to which cudaMemcpyAsync copies the data from pinned
 * memory first. */

// step resident "Pages that are on the device" shows read, run.c:kernel
/* The kernel finds the pages where the sample before has brought them: memory like any other. */

// step first-touch "Pages that nobody has touched" shows write, run.c:untouched, run.c:kernel
/* cudaMallocManaged has made addresses and no memory. The kernel is the first to write, so the pages are made on the
 * device, by faults. */

// step faults "Pages at the host" shows read, run.c:at-host, run.c:kernel
/* The kernel waits for each page that is not there: the GPU reports faults, the driver copies pages with some around
 * them, and the threads try again. */

// step prefetch "Pages at the host, moved ahead" shows read, run.c:at-host, run.c:kernel
/* cudaMemPrefetchAsync moves all pages in the stream before the kernel, like a copy. No fault is left. */

// step read-mostly "Pages at the host, copied and not moved" shows read, run.c:at-host, run.c:kernel
/* With cudaMemAdviseSetReadMostly a fault of a reader makes a copy of the page, and the host keeps its own. Before each
 * sample the host writes to the pages, which ends the copies. */

// step accessed-by "Pages that stay at the host" shows read, run.c:kernel
/* With cudaMemAdviseSetPreferredLocation (the host) and cudaMemAdviseSetAccessedBy (the device) the kernel reads over
 * the link, as from mapped memory, and nothing moves: each repetition pays again. */

// step host-first-touch "The host touches pages first" shows run.c:untouched, run.c:host
/* One word of each page. The operating system and the driver make the pages in the memory of the host. */

// step host-faults "The host reads pages at the device" shows run.c:at-device, run.c:host, read
/* One word of each page, after the kernel: a fault of the CPU brings back the page, with some around it. */

// step host-prefetch "The host reads pages that were moved back" shows run.c:at-device, run.c:host, read
/* cudaMemPrefetchAsync moves all pages to the host. The host waits for the stream, and reads. */

// step host-read-mostly "The host reads pages of which the device has copies" shows run.c:at-device, run.c:host, read
/* With cudaMemAdviseSetReadMostly the host has kept its pages while the kernel read copies: no fault. */

LAB_CHECK_KERNEL(managed_memory_check, managed_memory_expected)
