/* Allocation of memory, and checks of which memory a device's operations may address.
 */
#ifndef LAB_HOST_MEMORY_H
#define LAB_HOST_MEMORY_H

#include "device.h"

/* Whether the complete region is in this device's memory. With `or_addressable`, the region may also be in other memory
 * that the device's operations may address: page-locked memory, and the memory of peers that it has access to. */
bool lab_host_in_device_memory(struct host_device *device, const struct lab_region *region, bool or_addressable);

/* Frees all memory that was allocated through the device. */
void lab_host_release_all(struct host_device *device);

/* Allocates memory from Linux and writes to every page: preferably on NUMA node `node` unless that is negative, and
 * with `huge` in huge pages if Linux has some. `bytes` is a multiple of the page size. Returns NULL when there is not
 * enough memory. The caller releases it with lab_host_unmap. */
void *lab_host_map(size_t bytes, bool huge, int64_t node);
void lab_host_unmap(void *address, size_t bytes);
/* Rounds up to a multiple of the page size. */
size_t lab_host_round_to_page(size_t bytes);

/* Functions of the runtime's table (runtime.h). */
bool lab_host_allocate(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address);
void lab_host_free(struct lab_device *device, enum lab_memory kind, void *address);
bool lab_host_memory_info(struct lab_device *device, size_t *free_bytes, size_t *total_bytes);

#endif
