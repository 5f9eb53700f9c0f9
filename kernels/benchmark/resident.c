/* Chooses how many blocks fit on a multiprocessor. */
#include "benchmark/resident.h"

size_t lab_resident_shared_bytes(const struct lab_device_facts *device, int64_t blocks)
{
    enum { GRAIN = 1024 };
    int64_t total = device->shared_per_multiprocessor_bytes, reserved = device->reserved_shared_per_block_bytes;
    if (total == LAB_UNKNOWN)
        return 0;
    int64_t bytes = (total / blocks - (reserved != LAB_UNKNOWN ? reserved : 0)) / GRAIN * GRAIN;
    int64_t most = device->shared_per_block_optin_bytes;
    return (size_t)(most != LAB_UNKNOWN && bytes > most ? most : bytes);
}

int64_t lab_resident_most(const struct lab_device_facts *device, int64_t threads)
{
    int64_t most = device->max_threads_per_multiprocessor;
    return most != LAB_UNKNOWN ? most / threads : 1;
}
