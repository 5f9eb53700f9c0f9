/* Plans, as this folder makes them: what `prepare` makes ready, `enqueue` queues and `plan_release` frees. Each kind of
 * plan is a struct that begins with a lab_plan.
 */
#ifndef LAB_CUDA_PLAN_H
#define LAB_CUDA_PLAN_H

#include "device.h"

#include "kernels.h"

struct cuda_operation {
    const char *doing; /* "copying by a kernel": for the errors of a launch */
    /* Only queues, and nothing that a graph cannot record. */
    cudaError_t (*launch)(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream);
    /* Frees what the plan holds, which may be only a part of it; NULL where it holds nothing. */
    void (*discard)(struct lab_device *device, struct lab_plan *plan);
};

struct lab_plan {
    const struct cuda_operation *operation;
};

/* A plan of `bytes` bytes, all 0 but its operation. NULL with the device's error set. */
void *lab_cuda_plan_create(struct lab_device *device, size_t bytes, const struct cuda_operation *operation);

/* Makes ready what a first launch would load, without running anything: the plan is recorded into a graph, which is
 * uploaded and thrown away. Returns `plan`, or releases it and returns NULL with the device's error set. */
struct lab_plan *lab_cuda_plan_rehearsed(struct lab_device *device, struct lab_plan *plan);

/* --- counts that kernels hand back ---------------------------------------------------------------------------- */

/* The kernel counts into device memory; the counts then go through page-locked memory, because a copy to the caller's
 * words, which may be pageable, would block the caller until the stream has come to it. */
struct cuda_tally {
    struct cuda_findings *counter, *staging;
    uint64_t *wrong;   /* the caller's */
    double *max_error; /* the same; NULL for none */
};

/* False with the device's error set; what has been made by then is for `discard` all the same. */
bool lab_cuda_tally_make(struct lab_device *device, struct cuda_tally *tally, uint64_t *wrong, double *max_error);
void lab_cuda_tally_discard(struct lab_device *device, struct cuda_tally *tally);

/* Around the kernel that counts: sets the counter to 0; has it delivered to the caller's words. Both only queue. */
cudaError_t lab_cuda_tally_clear(struct cuda_tally *tally, cudaStream_t stream);
cudaError_t lab_cuda_tally_deliver(struct cuda_tally *tally, cudaStream_t stream);

#endif
