/* Plans: prepared operations. Each kind of plan is a struct that begins with struct lab_plan.
 */
#ifndef LAB_CUDA_PLAN_H
#define LAB_CUDA_PLAN_H

#include "device.h"

#include "kernels.h"

struct cuda_operation {
    const char *doing; /* such as "copying by a kernel"; for errors of a launch */
    /* Only queues, and only what a graph can capture. */
    cudaError_t (*launch)(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream);
    /* Frees what belongs to the plan, which may have been only partly prepared. NULL if nothing does. */
    void (*discard)(struct lab_device *device, struct lab_plan *plan);
};

struct lab_plan {
    const struct cuda_operation *operation;
};

/* Allocates a plan of `bytes` bytes, zero except for its operation. NULL with the device's error set. */
void *lab_cuda_plan_create(struct lab_device *device, size_t bytes, const struct cuda_operation *operation);

/* Loads everything that the plan's first launch would load, without running it: captures the plan into a graph, uploads
 * the graph and destroys it. Returns `plan`; on failure releases it and returns NULL with the device's error set. */
struct lab_plan *lab_cuda_plan_preload(struct lab_device *device, struct lab_plan *plan);

/* --- results of comparisons --------------------------------------------------------------------------------------- */

/* A kernel writes its result to device memory. The result is copied to page-locked memory and from there to the
 * caller's variables: these may be pageable, and a copy to pageable memory would block the caller until the stream
 * reaches it. */
struct cuda_comparison_buffers {
    struct cuda_comparison *on_device, *staging;
    uint64_t *wrong;   /* the caller's variable */
    double *max_error; /* the caller's variable, or NULL */
};

/* False with the device's error set; the caller must call lab_cuda_comparison_destroy in any case. */
bool lab_cuda_comparison_create(struct lab_device *device, struct cuda_comparison_buffers *buffers, uint64_t *wrong,
                                double *max_error);
void lab_cuda_comparison_destroy(struct lab_device *device, struct cuda_comparison_buffers *buffers);

/* Before the kernel: zeroes the result. After it: copies the result to the caller's variables. Both only queue. */
cudaError_t lab_cuda_comparison_clear(struct cuda_comparison_buffers *buffers, cudaStream_t stream);
cudaError_t lab_cuda_comparison_read_back(struct cuda_comparison_buffers *buffers, cudaStream_t stream);

#endif
