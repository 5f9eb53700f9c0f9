/* Converts host addresses to the addresses that kernels use.
 */
#ifndef LAB_CUDA_MEMORY_H
#define LAB_CUDA_MEMORY_H

#include "runtime/runtime.h"

/* Sets *device_address to the address at which kernels access device memory or page-locked host memory; for
 * write-combined memory it differs from the host's. Returns false with code "unsupported" for other memory. */
bool lab_cuda_device_address(struct lab_device *device, void *address, void **device_address);

#endif
