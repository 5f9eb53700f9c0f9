/* Plans: prepared operations. Each kind of plan is a struct that begins with struct lab_plan.
 */
#ifndef LAB_CUDA_PLAN_H
#define LAB_CUDA_PLAN_H

#include "device.h"

#include "kernels.h"

/* The functions of one kind of plan. */
struct cuda_operation {
    const char *doing; /* the activity that is named in the error of a failed launch: "copying by a kernel" */
    /* Queues the work and returns. The work must be such that a graph can capture it. */
    cudaError_t (*launch)(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream);
    /* Frees memory and objects that the plan owns; the plan may be only partly prepared. NULL if it owns none. */
    void (*discard)(struct lab_device *device, struct lab_plan *plan);
};

struct lab_plan {
    const struct cuda_operation *operation;
};

/* Allocates a plan of `bytes` bytes, zero except for its operation. Returns NULL with the device's error set when out
 * of memory. The caller releases it with lab_cuda_plan_free. */
void *lab_cuda_plan_create(struct lab_device *device, size_t bytes, const struct cuda_operation *operation);

/* Loads the code of the plan's kernels onto the device, which CUDA would otherwise do at the first launch. To load it
 * without running it, captures the plan into a graph, uploads the graph and destroys it. Returns `plan`; on failure
 * releases the plan and returns NULL with the device's error set. */
struct lab_plan *lab_cuda_plan_preload(struct lab_device *device, struct lab_plan *plan);

/* Sets *attributes of a kernel that is launched with blocks of `threads` threads and `shared_bytes` of dynamic shared
 * memory, which the kernel has been allowed to use. Returns false with the device's error set. */
bool lab_cuda_function_attributes(struct lab_device *device, const void *function, unsigned threads,
                                  size_t shared_bytes, struct lab_kernel_attributes *attributes);

/* --- results of comparisons --------------------------------------------------------------------------------------- */

/* A kernel writes its result to device memory. The result is copied to page-locked memory and from there to the
 * caller's variables: these may be pageable, and a direct copy to pageable memory would block the calling thread until
 * the stream has executed it. */
struct cuda_comparison_buffers {
    struct cuda_comparison *on_device; /* device memory */
    struct cuda_comparison *staging;   /* page-locked memory */
    uint64_t *wrong;                   /* the caller's variable */
    double *max_error;                 /* the caller's variable, or NULL */
};

/* Allocates the buffers. Returns false with the device's error set; the caller must call lab_cuda_comparison_release
 * also then. */
bool lab_cuda_comparison_init(struct lab_device *device, struct cuda_comparison_buffers *buffers, uint64_t *wrong,
                              double *max_error);
void lab_cuda_comparison_release(struct lab_device *device, struct cuda_comparison_buffers *buffers);

/* lab_cuda_comparison_clear zeroes the result and is called before the kernel; lab_cuda_comparison_read_back copies it
 * to the caller's variables and is called after the kernel. Both only queue their work. */
cudaError_t lab_cuda_comparison_clear(struct cuda_comparison_buffers *buffers, cudaStream_t stream);
cudaError_t lab_cuda_comparison_read_back(struct cuda_comparison_buffers *buffers, cudaStream_t stream);

#endif
