/* Memory of the host runtime, and which of it a device's operations may address.
 */
#ifndef LAB_HOST_MEMORY_H
#define LAB_HOST_MEMORY_H

#include "device.h"

/* Whether the whole region is memory of this device. With `or_addressable` also memory that the device's operations may
 * address: page-locked memory, and the memory of peers that it has access to. */
bool lab_host_in_device_memory(struct host_device *device, const struct lab_region *region, bool or_addressable);

/* Frees all memory that was allocated through the device. */
void lab_host_release_all(struct host_device *device);

/* Anonymous memory with every page touched: on NUMA node `node` unless negative, with `huge` in huge pages where the
 * kernel has some. `bytes` is a multiple of the page size. NULL when there is not enough. */
void *lab_host_map(size_t bytes, bool huge, int64_t node);
void lab_host_unmap(void *address, size_t bytes);
size_t lab_host_round_to_page(size_t bytes);

/* Entries of the runtime's table (runtime.h). */
bool lab_host_allocate(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address);
void lab_host_release(struct lab_device *device, enum lab_memory kind, void *address);
bool lab_host_memory_info(struct lab_device *device, size_t *free_bytes, size_t *total_bytes);

#endif
