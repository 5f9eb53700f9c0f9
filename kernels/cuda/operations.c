/* Typed operations in two steps: what a problem needs is checked and made when it is prepared, enqueueing only queues.
 */
#include "plan.h"

enum { BLOCK_MIN = 32, BLOCK_MAX = 1024, BLOCK_USUAL = 256, ELEMENT_BYTES = 4 };

struct problem_plan {
    struct lab_plan plan;
    struct cuda_region destination, source, source2;
    struct lab_expectation expected;
    uint32_t weight, block;
    struct cuda_tally tally; /* of CHECK */
};

static struct problem_plan *of(struct lab_plan *plan)
{
    return (struct problem_plan *)plan;
}

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

static bool prepare_fill(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan)
{
    const struct lab_region *region = &problem->destination;
    if (problem->content > LAB_CONTENT_TRANSPOSED)
        return lab_error_set(&device->error, "unsupported", "", "CUDA devices know no such content");
    if (problem->content != LAB_CONTENT_WORDS && region->width * region->height % ELEMENT_BYTES != 0)
        return invalid(device, "a buffer of numbers has whole elements of 4 bytes");
    if (problem->content == LAB_CONTENT_TRANSPOSED && problem->width == 0)
        return invalid(device, "a transposed matrix has a width from 1");
    plan->expected = (struct lab_expectation){problem->content, problem->seed, problem->first, problem->width};
    return region_there(device, *region, &plan->destination);
}

static cudaError_t launch_fill(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct problem_plan *plan = of(base);
    return lab_cuda_launch_fill(stream, multiprocessors(device), plan->destination, plan->expected);
}

static bool prepare_check(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan)
{
    if (problem->wrong == NULL)
        return lab_error_set(&device->error, "unsupported", "", "a check needs a place for its count");
    return prepare_fill(device, problem, plan) &&
           lab_cuda_tally_make(device, &plan->tally, problem->wrong, problem->max_error);
}

static cudaError_t launch_check(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct problem_plan *plan = of(base);
    cudaError_t status = lab_cuda_tally_clear(&plan->tally, stream);
    if (status == cudaSuccess)
        status = lab_cuda_launch_check(stream, multiprocessors(device), plan->destination, plan->expected,
                                       plan->tally.counter);
    return status == cudaSuccess ? lab_cuda_tally_deliver(&plan->tally, stream) : status;
}

static void discard_check(struct lab_device *device, struct lab_plan *plan)
{
    lab_cuda_tally_discard(device, &of(plan)->tally);
}

/* --- COPY, FLUSH -------------------------------------------------------------------------------------------------- */

static bool prepare_copy(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan)
{
    if (problem->source.width != problem->destination.width || problem->source.height != problem->destination.height)
        return lab_error_set(&device->error, "unsupported", "",
                             "a copy takes two regions of the same width and height");
    return region_there(device, problem->destination, &plan->destination) &&
           region_there(device, problem->source, &plan->source);
}

static cudaError_t launch_copy(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct problem_plan *plan = of(base);
    return lab_cuda_launch_copy(stream, multiprocessors(device), plan->destination, plan->source);
}

/* Twice the cache is written, because neither its ways nor its slices are filled evenly. */
static bool prepare_flush(struct lab_device *base, const struct lab_operation *problem, struct problem_plan *plan)
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

static uint64_t count_of(const struct problem_plan *plan)
{
    return plan->destination.width / ELEMENT_BYTES;
}

static bool prepare_in_place(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan)
{
    if (problem->block != 0 && (problem->block < BLOCK_MIN || problem->block > BLOCK_MAX))
        return invalid(device, "a block has from 32 to 1024 threads");
    plan->block = problem->block != 0 ? problem->block : BLOCK_USUAL;
    plan->expected.first = problem->first;
    return array_there(device, problem->destination, &plan->destination);
}

static bool prepare_waves(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan)
{
    if (problem->weight == 0)
        return invalid(device, "waves have a weight from 1");
    plan->weight = problem->weight;
    return prepare_in_place(device, problem, plan);
}

static cudaError_t launch_waves(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct problem_plan *plan = of(base);
    (void)device;
    return lab_cuda_launch_waves(stream, plan->block, (float *)(void *)plan->destination.address, count_of(plan),
                                 plan->expected.first, plan->weight);
}

static bool prepare_average(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan)
{
    if (problem->source.width != problem->destination.width || problem->source2.width != problem->destination.width)
        return invalid(device, "averages take three buffers of the same size");
    if (problem->first % LAB_AVERAGE_WINDOW != 0 ||
        problem->destination.width % (LAB_AVERAGE_WINDOW * ELEMENT_BYTES) != 0)
        return invalid(device, "averages are made of whole windows of 256 elements");
    return array_there(device, problem->source, &plan->source) &&
           array_there(device, problem->source2, &plan->source2) && prepare_in_place(device, problem, plan);
}

static cudaError_t launch_average(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct problem_plan *plan = of(base);
    (void)device;
    return lab_cuda_launch_average(stream, plan->block, (int32_t *)(void *)plan->destination.address,
                                   (const int32_t *)(const void *)plan->source.address,
                                   (const int32_t *)(const void *)plan->source2.address, count_of(plan));
}

static cudaError_t launch_increment(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct problem_plan *plan = of(base);
    (void)device;
    return lab_cuda_launch_increment(stream, plan->block, (int32_t *)(void *)plan->destination.address, count_of(plan));
}

/* --- PAIRS, TRANSPOSE --------------------------------------------------------------------------------------------- */

static bool prepare_pairs(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan)
{
    if (problem->source.width != problem->destination.width)
        return invalid(device, "pairs take as many elements as they make results");
    if (problem->weight == 0 || problem->source2.width != (size_t)problem->weight * ELEMENT_BYTES)
        return invalid(device, "pairs have as many partners as their weight says, from 1");
    plan->weight = problem->weight;
    return array_there(device, problem->destination, &plan->destination) &&
           array_there(device, problem->source, &plan->source) && array_there(device, problem->source2, &plan->source2);
}

static cudaError_t launch_pairs(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    const struct problem_plan *plan = of(base);
    (void)device;
    return lab_cuda_launch_pairs(stream, (uint32_t *)(void *)plan->destination.address,
                                 (const uint32_t *)(const void *)plan->source.address, count_of(plan),
                                 (const uint32_t *)(const void *)plan->source2.address, plan->weight);
}

static bool is_square(const struct lab_region *region)
{
    return region->width == region->height * ELEMENT_BYTES && region->height <= UINT32_MAX / ELEMENT_BYTES &&
           (uintptr_t)region->address % ELEMENT_BYTES == 0 && region->pitch % ELEMENT_BYTES == 0;
}

static bool prepare_transpose(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan)
{
    if (!is_square(&problem->source) || !is_square(&problem->destination) ||
        problem->source.height != problem->destination.height)
        return invalid(device, "a transpose takes two squares of 4-byte elements, of the same size");
    return region_there(device, problem->destination, &plan->destination) &&
           region_there(device, problem->source, &plan->source);
}

static cudaError_t launch_transpose(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    const struct problem_plan *plan = of(base);
    (void)device;
    return lab_cuda_launch_transpose(stream, plan->destination, plan->source);
}

/* --- what the runtime calls --------------------------------------------------------------------------------------- */

static const struct {
    /* Looks at the problem and makes ready what it takes. False with the device's error set. */
    bool (*prepare)(struct lab_device *device, const struct lab_operation *problem, struct problem_plan *plan);
    struct cuda_operation operation;
} operations[] = {
    [LAB_OPERATION_FILL] = {prepare_fill, {"filling a buffer", launch_fill, NULL}},
    [LAB_OPERATION_CHECK] = {prepare_check, {"checking a buffer", launch_check, discard_check}},
    [LAB_OPERATION_COPY] = {prepare_copy, {"copying by a kernel", launch_copy, NULL}},
    [LAB_OPERATION_FLUSH] = {prepare_flush, {"flushing the cache", launch_fill, NULL}},
    [LAB_OPERATION_WAVES] = {prepare_waves, {"computing waves", launch_waves, NULL}},
    [LAB_OPERATION_AVERAGE] = {prepare_average, {"averaging", launch_average, NULL}},
    [LAB_OPERATION_INCREMENT] = {prepare_in_place, {"incrementing", launch_increment, NULL}},
    [LAB_OPERATION_PAIRS] = {prepare_pairs, {"meeting pairs", launch_pairs, NULL}},
    [LAB_OPERATION_TRANSPOSE] = {prepare_transpose, {"transposing", launch_transpose, NULL}},
};

struct lab_plan *lab_cuda_prepare(struct lab_device *device, const struct lab_operation *problem)
{
    if (!lab_cuda_enter(device))
        return NULL;
    size_t kind = (size_t)problem->kind;
    if (kind >= sizeof operations / sizeof *operations) {
        lab_error_set(&device->error, "unsupported", "", "CUDA devices have no such operation");
        return NULL;
    }
    struct problem_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operations[kind].operation);
    if (plan == NULL)
        return NULL;
    if (!operations[kind].prepare(device, problem, plan)) {
        lab_cuda_plan_release(device, &plan->plan);
        return NULL;
    }
    return &plan->plan;
}
