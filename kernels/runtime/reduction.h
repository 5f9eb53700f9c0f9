/* Reductions by a library: an optional table of the runtime (runtime.h). */
#ifndef LAB_REDUCTION_H
#define LAB_REDUCTION_H

#include <stdint.h>

struct lab_device;
struct lab_plan;

enum lab_reduction_type { LAB_REDUCTION_INT32, LAB_REDUCTION_FP32 };

struct lab_runtime_reduction {
    /* Prepares a plan that sets *sum to the sum of the `count` elements of `type` at `elements`, for int32 modulo 2^32.
     * Both are in device memory. Returns NULL with the device's error set. */
    struct lab_plan *(*prepare)(struct lab_device *device, const void *elements, void *sum, uint64_t count,
                                enum lab_reduction_type type);
};

#endif
