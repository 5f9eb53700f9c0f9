/* Typed operations in two steps: what a problem needs is checked and made when it is prepared, enqueueing only queues.
 */
#include "device.h"

#include "kernels.h"

#include <stdlib.h>

enum { BLOCK_MIN = 32, BLOCK_MAX = 1024, BLOCK_USUAL = 256, ELEMENT_BYTES = 4 };

struct operation;

struct lab_plan {
    const struct operation *operation;
    struct cuda_region destination, source, source2;
    struct cuda_content content;
    uint32_t weight, block;

    /* CHECK. The kernel counts into device memory; the counts then go through page-locked memory, because a copy to
     * the caller's words, which may be pageable, would block the caller until the stream has come to it. */
    struct cuda_findings *counter, *staging;
    uint64_t *wrong; /* the caller's */
    double *max_error;
};

struct operation {
    const char *doing; /* "copying": for the errors of a launch */
    /* Looks at the problem and makes ready what it takes. False with the device's error set. */
    bool (*prepare)(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan);
    /* Only queues, and nothing that a graph cannot record. */
    cudaError_t (*launch)(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream);
};

static bool invalid(struct lab_device *device, const char *why)
{
    return lab_error_set(&device->error, "invalid-argument", "", "%s", why);
}

static bool region_there(struct lab_device *device, struct lab_region region, struct cuda_region *there)
{
    void *address;
    if (!lab_cuda_address_there(device, region.address, &address))
        return false;
    *there = (struct cuda_region){address, region.width, region.height, region.pitch};
    return true;
}

static int multiprocessors(const struct cuda_device *device)
{
    return (int)device->base.facts.multiprocessors;
}

/* --- FILL, CHECK -------------------------------------------------------------------------------------------------- */

static bool prepare_fill(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan)
{
    const struct lab_region *region = &problem->destination;
    if (problem->content > LAB_CONTENT_AVERAGES)
        return lab_error_set(&device->error, "unsupported", "", "CUDA devices know no such content");
    if (problem->content != LAB_CONTENT_WORDS && region->width * region->height % ELEMENT_BYTES != 0)
        return invalid(device, "a buffer of numbers has whole elements of 4 bytes");
    plan->content = (struct cuda_content){problem->content, problem->seed, problem->first};
    return region_there(device, *region, &plan->destination);
}

static cudaError_t launch_fill(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    return lab_cuda_launch_fill(stream, multiprocessors(device), plan->destination, plan->content);
}

static bool prepare_check(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan)
{
    if (problem->wrong == NULL)
        return lab_error_set(&device->error, "unsupported", "", "a check needs a place for its count");
    plan->wrong = problem->wrong;
    plan->max_error = problem->max_error;
    void *counter = NULL, *staging = NULL;
    bool made = prepare_fill(device, problem, plan) &&
                lab_cuda_allocate(device, LAB_MEMORY_DEVICE, sizeof *plan->counter, &counter) &&
                lab_cuda_allocate(device, LAB_MEMORY_PINNED, sizeof *plan->staging, &staging);
    plan->counter = counter;
    plan->staging = staging;
    return made;
}

/* Called by CUDA on a thread of its own, in the order of the stream. */
static void deliver(void *context)
{
    struct lab_plan *plan = context;
    *plan->wrong = plan->staging->wrong;
    if (plan->max_error != NULL)
        *plan->max_error = plan->staging->max_error;
}

static cudaError_t launch_check(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    cudaError_t status = cudaMemsetAsync(plan->counter, 0, sizeof *plan->counter, stream);
    if (status == cudaSuccess)
        status =
            lab_cuda_launch_check(stream, multiprocessors(device), plan->destination, plan->content, plan->counter);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(plan->staging, plan->counter, sizeof *plan->staging, cudaMemcpyDeviceToHost, stream);
    return status == cudaSuccess ? cudaLaunchHostFunc(stream, deliver, plan) : status;
}

/* --- COPY, FLUSH -------------------------------------------------------------------------------------------------- */

static bool prepare_copy(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan)
{
    if (problem->source.width != problem->destination.width || problem->source.height != problem->destination.height)
        return lab_error_set(&device->error, "unsupported", "",
                             "a copy takes two regions of the same width and height");
    return region_there(device, problem->destination, &plan->destination) &&
           region_there(device, problem->source, &plan->source);
}

static cudaError_t launch_copy(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    return lab_cuda_launch_copy(stream, multiprocessors(device), plan->destination, plan->source);
}

/* Twice the cache is written, because neither its ways nor its slices are filled evenly. */
static bool prepare_flush(struct lab_device *base, const struct lab_problem *problem, struct lab_plan *plan)
{
    struct cuda_device *device = cuda_device_of(base);
    (void)problem;
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

/* --- WAVES, AVERAGE, INCREMENT ------------------------------------------------------------------------------------ */

/* A region that is an array of 4-byte elements. */
static bool array_there(struct lab_device *device, struct lab_region region, struct cuda_region *there)
{
    if (region.height != 1 || region.width % ELEMENT_BYTES != 0 || (uintptr_t)region.address % ELEMENT_BYTES != 0)
        return invalid(device, "a pipeline's kernel takes plain buffers of whole elements of 4 bytes");
    return region_there(device, region, there);
}

static uint64_t count_of(const struct lab_plan *plan)
{
    return plan->destination.width / ELEMENT_BYTES;
}

static bool prepare_in_place(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan)
{
    if (problem->block != 0 && (problem->block < BLOCK_MIN || problem->block > BLOCK_MAX))
        return invalid(device, "a block has from 32 to 1024 threads");
    plan->block = problem->block != 0 ? problem->block : BLOCK_USUAL;
    plan->content.first = problem->first;
    return array_there(device, problem->destination, &plan->destination);
}

static bool prepare_waves(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan)
{
    if (problem->weight == 0)
        return invalid(device, "waves have a weight from 1");
    plan->weight = problem->weight;
    return prepare_in_place(device, problem, plan);
}

static cudaError_t launch_waves(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    (void)device;
    return lab_cuda_launch_waves(stream, plan->block, (float *)(void *)plan->destination.address, count_of(plan),
                                 plan->content.first, plan->weight);
}

static bool prepare_average(struct lab_device *device, const struct lab_problem *problem, struct lab_plan *plan)
{
    if (problem->source.width != problem->destination.width || problem->source2.width != problem->destination.width)
        return invalid(device, "averages take three buffers of the same size");
    if (problem->first % LAB_AVERAGE_WINDOW != 0 ||
        problem->destination.width % (LAB_AVERAGE_WINDOW * ELEMENT_BYTES) != 0)
        return invalid(device, "averages are made of whole windows of 256 elements");
    return array_there(device, problem->source, &plan->source) &&
           array_there(device, problem->source2, &plan->source2) && prepare_in_place(device, problem, plan);
}

static cudaError_t launch_average(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    (void)device;
    return lab_cuda_launch_average(stream, plan->block, (int32_t *)(void *)plan->destination.address,
                                   (const int32_t *)(const void *)plan->source.address,
                                   (const int32_t *)(const void *)plan->source2.address, count_of(plan));
}

static cudaError_t launch_increment(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    (void)device;
    return lab_cuda_launch_increment(stream, plan->block, (int32_t *)(void *)plan->destination.address, count_of(plan));
}

/* --- what the runtime calls --------------------------------------------------------------------------------------- */

static const struct operation operations[] = {
    [LAB_PROBLEM_FILL] = {"filling a buffer", prepare_fill, launch_fill},
    [LAB_PROBLEM_CHECK] = {"checking a buffer", prepare_check, launch_check},
    [LAB_PROBLEM_COPY] = {"copying by a kernel", prepare_copy, launch_copy},
    [LAB_PROBLEM_FLUSH] = {"flushing the cache", prepare_flush, launch_fill},
    [LAB_PROBLEM_WAVES] = {"computing waves", prepare_waves, launch_waves},
    [LAB_PROBLEM_AVERAGE] = {"averaging", prepare_average, launch_average},
    [LAB_PROBLEM_INCREMENT] = {"incrementing", prepare_in_place, launch_increment},
};

struct lab_plan *lab_cuda_prepare(struct lab_device *device, const struct lab_problem *problem)
{
    if (!lab_cuda_enter(device))
        return NULL;
    size_t kind = (size_t)problem->kind;
    if (kind >= sizeof operations / sizeof *operations) {
        lab_error_set(&device->error, "unsupported", "", "CUDA devices have no such operation");
        return NULL;
    }
    struct lab_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) {
        lab_error_set(&device->error, "out-of-memory", "", "no memory for a plan");
        return NULL;
    }
    plan->operation = &operations[kind];
    if (!plan->operation->prepare(device, problem, plan)) {
        lab_cuda_plan_release(device, plan);
        return NULL;
    }
    return plan;
}

bool lab_cuda_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    const struct operation *operation = plan->operation;
    return lab_cuda_enter(device) &&
           lab_cuda_good(device, operation->launch(cuda_device_of(device), plan, cuda_stream_of(stream)),
                         operation->doing);
}

void lab_cuda_plan_release(struct lab_device *device, struct lab_plan *plan)
{
    if (plan == NULL)
        return;
    lab_cuda_release(device, LAB_MEMORY_DEVICE, plan->counter);
    lab_cuda_release(device, LAB_MEMORY_PINNED, plan->staging);
    free(plan);
}
