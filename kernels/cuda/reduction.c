/* Sums by CUB as plans. */
#include "entries.h"
#include "plan.h"

struct sum_plan {
    struct lab_plan base;
    enum lab_reduction_type type;
    const void *elements;
    void *sum, *scratch; /* `scratch`: CUB's own memory */
    size_t scratch_bytes;
    uint64_t count;
};

static cudaError_t cuda_reduction_launch(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct sum_plan *plan = (struct sum_plan *)base;
    (void)device;
    return lab_cuda_launch_sum(stream, plan->type, plan->scratch, &plan->scratch_bytes, plan->elements, plan->sum,
                               plan->count);
}

static void cuda_reduction_discard(struct lab_device *device, struct lab_plan *base)
{
    lab_cuda_free(device, LAB_MEMORY_DEVICE, ((struct sum_plan *)base)->scratch);
}

static const struct cuda_operation sum_operation = {
    .doing = "adding up by CUB", .launch = cuda_reduction_launch, .discard = cuda_reduction_discard};

static bool allocate_scratch(struct lab_device *device, struct sum_plan *plan)
{
    return lab_cuda_check(device,
                          lab_cuda_launch_sum(NULL, plan->type, NULL, &plan->scratch_bytes, plan->elements, plan->sum,
                                              plan->count),
                          "preparing a sum by CUB") &&
           lab_cuda_allocate(device, LAB_MEMORY_DEVICE, plan->scratch_bytes, &plan->scratch);
}

static struct lab_plan *cuda_reduction_prepare(struct lab_device *device, const void *elements, void *sum,
                                               uint64_t count, enum lab_reduction_type type)
{
    struct sum_plan *plan =
        lab_cuda_make_current(device) ? lab_cuda_plan_create(device, sizeof *plan, &sum_operation) : NULL;
    if (plan == NULL)
        return NULL;
    plan->type = type;
    plan->elements = elements;
    plan->sum = sum;
    plan->count = count;
    if (allocate_scratch(device, plan))
        return lab_cuda_plan_preload(device, &plan->base);
    lab_cuda_plan_free(device, &plan->base);
    return NULL;
}

const struct lab_runtime_reduction lab_cuda_reduction = {.prepare = cuda_reduction_prepare};
