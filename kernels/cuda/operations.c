/* Typed operations in two steps: what a problem needs is checked and made when it is prepared, enqueueing only queues.
 */
#include "device.h"

#include "kernels.h"

#include <stdlib.h>

struct lab_plan {
    enum lab_problem_kind kind;
    struct cuda_region destination, source;
    uint64_t seed;

    /* CHECK. The kernel counts into device memory; the count then goes through page-locked memory, because a copy to
     * the caller's word, which may be pageable, would block the caller until the stream has come to it. */
    unsigned long long *counter, *staging;
    uint64_t *wrong; /* the caller's */
};

static bool region_there(struct lab_device *device, struct lab_region region, struct cuda_region *there)
{
    void *address;
    if (!lab_cuda_address_there(device, region.address, &address))
        return false;
    *there = (struct cuda_region){address, region.width, region.height, region.pitch};
    return true;
}

static bool prepare_check(struct lab_device *device, struct lab_plan *plan)
{
    if (plan->wrong == NULL)
        return lab_error_set(&device->error, "unsupported", "", "a check needs a place for its count");
    void *counter, *staging = NULL;
    bool made = lab_cuda_allocate(device, LAB_MEMORY_DEVICE, sizeof *plan->counter, &counter) &&
                lab_cuda_allocate(device, LAB_MEMORY_PINNED, sizeof *plan->staging, &staging);
    plan->counter = counter;
    plan->staging = staging;
    return made;
}

/* Twice the cache is written, because neither its ways nor its slices are filled evenly. */
static bool prepare_flush(struct lab_device *base, struct lab_plan *plan)
{
    struct cuda_device *device = cuda_device_of(base);
    if (device->scratch == NULL) {
        if (base->facts.l2_bytes <= 0)
            return lab_error_set(&base->error, "unsupported", "", "the size of the device's cache is not known");
        size_t bytes = 2 * (size_t)base->facts.l2_bytes;
        if (!lab_cuda_allocate(base, LAB_MEMORY_DEVICE, bytes, &device->scratch))
            return false;
        device->scratch_bytes = bytes;
    }
    plan->destination = (struct cuda_region){device->scratch, device->scratch_bytes, 1, device->scratch_bytes};
    return true;
}

static bool prepare_copy(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan)
{
    if (problem->source.width != problem->destination.width || problem->source.height != problem->destination.height)
        return lab_error_set(&device->error, "unsupported", "",
                             "a copy takes two regions of the same width and height");
    return region_there(device, problem->source, &plan->source);
}

static bool prepare_kind(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan)
{
    if (problem->kind != LAB_PROBLEM_FLUSH && !region_there(device, problem->destination, &plan->destination))
        return false;
    switch (problem->kind) {
    case LAB_PROBLEM_FILL:
        return true;
    case LAB_PROBLEM_CHECK:
        return prepare_check(device, plan);
    case LAB_PROBLEM_COPY:
        return prepare_copy(device, problem, plan);
    case LAB_PROBLEM_FLUSH:
        return prepare_flush(device, plan);
    case LAB_PROBLEM_WAVES:
    case LAB_PROBLEM_AVERAGE:
    case LAB_PROBLEM_INCREMENT:
        break;
    }
    return lab_error_set(&device->error, "unsupported", "", "CUDA devices have no such operation");
}

struct lab_plan *lab_cuda_prepare(struct lab_device *device, const struct lab_problem *problem)
{
    if (!lab_cuda_enter(device))
        return NULL;
    struct lab_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) {
        lab_error_set(&device->error, "out-of-memory", "", "no memory for a plan");
        return NULL;
    }
    plan->kind = problem->kind;
    plan->seed = problem->seed;
    plan->wrong = problem->wrong;
    if (!prepare_kind(device, problem, plan)) {
        lab_cuda_plan_release(device, plan);
        return NULL;
    }
    return plan;
}

/* Called by CUDA on a thread of its own, in the order of the stream. */
static void deliver(void *context)
{
    struct lab_plan *plan = context;
    *plan->wrong = *plan->staging;
}

static cudaError_t enqueue_check(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    cudaError_t status = cudaMemsetAsync(plan->counter, 0, sizeof *plan->counter, stream);
    if (status == cudaSuccess)
        status = lab_cuda_launch_check(stream, (int)device->base.facts.multiprocessors, plan->destination, plan->seed,
                                       plan->counter);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(plan->staging, plan->counter, sizeof *plan->staging, cudaMemcpyDeviceToHost, stream);
    return status == cudaSuccess ? cudaLaunchHostFunc(stream, deliver, plan) : status;
}

bool lab_cuda_enqueue(struct lab_device *base, struct lab_plan *plan, struct lab_stream *lab_stream)
{
    if (!lab_cuda_enter(base))
        return false;
    const struct cuda_device *device = cuda_device_of(base);
    int multiprocessors = (int)base->facts.multiprocessors;
    cudaStream_t stream = cuda_stream_of(lab_stream);
    switch (plan->kind) {
    case LAB_PROBLEM_FILL:
    case LAB_PROBLEM_FLUSH:
        return lab_cuda_good(base, lab_cuda_launch_fill(stream, multiprocessors, plan->destination, plan->seed),
                             "filling with the pattern");
    case LAB_PROBLEM_CHECK:
        return lab_cuda_good(base, enqueue_check(device, plan, stream), "checking the pattern");
    case LAB_PROBLEM_COPY:
        return lab_cuda_good(base, lab_cuda_launch_copy(stream, multiprocessors, plan->destination, plan->source),
                             "copying by a kernel");
    case LAB_PROBLEM_WAVES:
    case LAB_PROBLEM_AVERAGE:
    case LAB_PROBLEM_INCREMENT:
        break;
    }
    return false;
}

void lab_cuda_plan_release(struct lab_device *device, struct lab_plan *plan)
{
    if (plan == NULL)
        return;
    lab_cuda_release(device, LAB_MEMORY_DEVICE, plan->counter);
    lab_cuda_release(device, LAB_MEMORY_PINNED, plan->staging);
    free(plan);
}
