/* Typed operations. `prepare` checks the operation and allocates memory for it; `launch` only queues it. Each operation
 * has an entry in the table `operations`.
 */
#include "entries.h"
#include "memory.h"
#include "plan.h"

enum { ELEMENT_BYTES = 4 };

/* The plan of a typed operation; the members are those of struct lab_operation, with device addresses. */
struct operation_plan {
    struct lab_plan plan;
    struct cuda_region destination, source;
    unsigned char value;
    struct lab_expectation expected;
    struct cuda_comparison_buffers comparison; /* LAB_OPERATION_CHECK: its result */
};

static struct operation_plan *plan_of(struct lab_plan *plan)
{
    return (struct operation_plan *)plan;
}

static bool invalid(struct lab_device *device, const char *why)
{
    return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "%s", why);
}

/* Converts the region's address to the address at which kernels access it. */
static bool device_region(struct lab_device *device, struct lab_region region, struct cuda_region *result)
{
    void *address;
    if (!lab_cuda_device_address(device, region.address, &address))
        return false;
    *result = (struct cuda_region){address, region.width, region.height, region.pitch};
    return true;
}

static int multiprocessors(const struct cuda_device *device)
{
    return (int)device->base.facts.multiprocessors;
}

/* --- FILL, CHECK -------------------------------------------------------------------------------------------------- */

static bool prepare_fill(struct lab_device *device, const struct lab_operation *operation, struct operation_plan *plan)
{
    const struct lab_region *region = &operation->destination;
    if (operation->content >= LAB_CONTENTS)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                             "this kind of buffer content is not supported on CUDA devices");
    if (operation->content != LAB_CONTENT_WORDS && region->width * region->height % ELEMENT_BYTES != 0)
        return invalid(device, "the size of a buffer of numbers must be a multiple of 4 bytes");
    if (operation->content == LAB_CONTENT_TRANSPOSED && operation->width == 0)
        return invalid(device, "a transposed matrix must have a width of at least 1");
    plan->expected = (struct lab_expectation){operation->content, operation->seed, operation->first, operation->width};
    return device_region(device, *region, &plan->destination);
}

static cudaError_t launch_fill(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct operation_plan *plan = plan_of(base);
    return lab_cuda_launch_fill(stream, multiprocessors(device), plan->destination, plan->expected);
}

static bool prepare_check(struct lab_device *device, const struct lab_operation *operation, struct operation_plan *plan)
{
    if (operation->wrong == NULL)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                             "checking a buffer needs an address for the number of wrong elements, but it is NULL");
    return prepare_fill(device, operation, plan) &&
           lab_cuda_comparison_init(device, &plan->comparison, operation->wrong, operation->max_error);
}

static cudaError_t launch_check(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct operation_plan *plan = plan_of(base);
    cudaError_t status = lab_cuda_comparison_clear(&plan->comparison, stream);
    if (status == cudaSuccess)
        status = lab_cuda_launch_check(stream, multiprocessors(device), plan->destination, plan->expected,
                                       plan->comparison.on_device);
    return status == cudaSuccess ? lab_cuda_comparison_read_back(&plan->comparison, stream) : status;
}

static void discard_check(struct lab_device *device, struct lab_plan *plan)
{
    lab_cuda_comparison_release(device, &plan_of(plan)->comparison);
}

/* --- COPY, FLUSH -------------------------------------------------------------------------------------------------- */

static bool prepare_copy(struct lab_device *device, const struct lab_operation *operation, struct operation_plan *plan)
{
    if (operation->source.width != operation->destination.width ||
        operation->source.height != operation->destination.height)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                             "the source and destination of a copy must have the same width and height");
    return device_region(device, operation->destination, &plan->destination) &&
           device_region(device, operation->source, &plan->source);
}

static cudaError_t launch_copy(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    struct operation_plan *plan = plan_of(base);
    return lab_cuda_launch_copy(stream, multiprocessors(device), plan->destination, plan->source);
}

/* Prepares to write twice the size of the cache, because the ways and slices of the cache are not filled evenly. */
static bool prepare_flush(struct lab_device *base, const struct lab_operation *operation, struct operation_plan *plan)
{
    struct cuda_device *device = cuda_device_of(base);
    (void)operation;
    if (device->scratch == NULL) {
        if (base->facts.l2_bytes <= 0)
            return lab_error_set(&base->error, LAB_ERROR_UNSUPPORTED, "",
                                 "the size of the device's L2 cache is unknown");
        size_t bytes = 2 * (size_t)base->facts.l2_bytes;
        if (!lab_cuda_allocate(base, LAB_MEMORY_DEVICE, bytes, &device->scratch))
            return false;
        device->scratch_bytes = bytes;
    }
    plan->destination = (struct cuda_region){device->scratch, device->scratch_bytes, 1, device->scratch_bytes};
    return true;
}

/* --- SET ---------------------------------------------------------------------------------------------------------- */

static bool prepare_set(struct lab_device *device, const struct lab_operation *operation, struct operation_plan *plan)
{
    plan->value = operation->value;
    return device_region(device, operation->destination, &plan->destination);
}

// region set
static cudaError_t launch_set(const struct cuda_device *device, struct lab_plan *base, cudaStream_t stream)
{
    const struct operation_plan *plan = plan_of(base);
    const struct cuda_region *region = &plan->destination;
    (void)device;
    return region->height == 1
               ? cudaMemsetAsync(region->address, plan->value, region->width, stream)
               : cudaMemset2DAsync(region->address, region->pitch, plan->value, region->width, region->height, stream);
}
// end

/* --- the table of operations -------------------------------------------------------------------------------------- */

static const struct {
    /* Checks the operation, fills in the plan and allocates its memory. Returns false with the device's error set. */
    bool (*prepare)(struct lab_device *device, const struct lab_operation *operation, struct operation_plan *plan);
    struct cuda_operation operation;
} operations[] = {
    [LAB_OPERATION_FILL] = {prepare_fill, {"filling a buffer", launch_fill, NULL}},
    [LAB_OPERATION_CHECK] = {prepare_check, {"checking a buffer", launch_check, discard_check}},
    [LAB_OPERATION_COPY] = {prepare_copy, {"copying by a kernel", launch_copy, NULL}},
    [LAB_OPERATION_FLUSH] = {prepare_flush, {"flushing the cache", launch_fill, NULL}},
    [LAB_OPERATION_SET] = {prepare_set, {"setting memory", launch_set, NULL}},
};

struct lab_plan *lab_cuda_prepare(struct lab_device *device, const struct lab_operation *operation)
{
    if (!lab_cuda_make_current(device))
        return NULL;
    size_t kind = (size_t)operation->kind;
    if (kind >= sizeof operations / sizeof *operations) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "this operation is not implemented for CUDA devices");
        return NULL;
    }
    struct operation_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &operations[kind].operation);
    if (plan == NULL)
        return NULL;
    if (!operations[kind].prepare(device, operation, plan)) {
        lab_cuda_plan_free(device, &plan->plan);
        return NULL;
    }
    return &plan->plan;
}
