/* Whether a kernel can be launched: a kernel of a person's own text need not have the parameters that it is given, and
 * its launch may exceed the device's limits.
 */
#ifndef LAB_CUDA_LAUNCH_CHECK_H
#define LAB_CUDA_LAUNCH_CHECK_H

#include "runtime/runtime.h"

#include <cuda_runtime_api.h>

/* Returns false with the device's error set, code "invalid-launch" and a sentence with the limit, if the launch exceeds
 * a limit or the arguments are not those of the kernel's parameters. The device must be current. */
bool lab_cuda_check_launch(struct lab_device *device, cudaKernel_t kernel, const char *name,
                           const struct lab_launch *launch, const struct lab_argument *arguments, size_t count);

/* Rejects a cooperative launch whose blocks do not fit on the device at the same time. To be called after the kernel
 * was allowed its shared memory. */
bool lab_cuda_check_cooperative(struct lab_device *device, cudaKernel_t kernel, const char *name,
                                const struct lab_launch *launch);

#endif
