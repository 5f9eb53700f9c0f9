/* The kernels of managed-memory on host devices. */
#include "benchmark/check.h"
#include "managed_memory.h"

// region read
LAB_HOST_KERNEL(managed_memory_read)
{
    const uint32_t *pages = arguments[0].pointer;
    uint32_t *out = arguments[1].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u64, 1024, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        out[i] = pages[i] + 1;
}
// end

// region write
LAB_HOST_KERNEL(managed_memory_write)
{
    uint32_t *pages = arguments[0].pointer;
    uint64_t begin, end;
    lab_host_part_range(part, arguments[1].u64, 1024, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        pages[i] = (uint32_t)i;
}
// end

// step copy shows read, run.c:copy

// step resident shows read, run.c:kernel

// step first-touch shows write, run.c:untouched, run.c:kernel

LAB_CHECK_HOST(managed_memory_check, managed_memory_expected)
