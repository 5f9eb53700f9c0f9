/* Kernels of an image that are C functions: a launch runs its parts on the cores of the device. */
#include "entries.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* The handles are the image's own tables, so nothing has to be allocated or freed. */
struct lab_module {
    struct lab_host_kernel kernels[1];
};

struct lab_kernel {
    struct lab_host_kernel kernel;
};

static struct lab_module *host_module_load(struct lab_device *device, const struct lab_image *image)
{
    if (!lab_host_alive(device))
        return NULL;
    if (image->host == NULL)
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s has no kernels for host devices", image->name);
    return (struct lab_module *)(uintptr_t)image->host;
}

static void host_module_unload(struct lab_device *device, struct lab_module *module)
{
    (void)device;
    (void)module;
}

static struct lab_kernel *host_module_find(struct lab_device *device, struct lab_module *module, const char *name)
{
    for (const struct lab_host_kernel *kernel = module->kernels; kernel->name != NULL; kernel++)
        if (strcmp(kernel->name, name) == 0)
            return (struct lab_kernel *)(uintptr_t)kernel;
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "this kernel has no version for host devices: %s", name);
    return NULL;
}

struct launch_plan {
    struct lab_plan base;
    const struct lab_host_kernel *kernel;
    struct lab_launch launch;
    size_t parts;
    struct lab_argument arguments[LAB_ARGUMENTS_MAX];
};

static void run_parts(void *context, size_t begin, size_t end)
{
    const struct launch_plan *plan = context;
    for (size_t i = begin; i < end; i++)
        plan->kernel->run(&(struct lab_host_part){i, plan->parts, &plan->launch}, plan->arguments);
}

static void host_module_run(struct lab_plan *base)
{
    struct launch_plan *plan = (struct launch_plan *)base;
    lab_host_pool_run_parts(&base->device->pool, plan->parts, 1, run_parts, plan);
}

static void host_module_release(struct lab_plan *plan)
{
    free(plan);
}

/* The launch has one part for each core. */
static struct lab_plan *host_module_prepare(struct lab_device *device, struct lab_kernel *kernel,
                                            const struct lab_launch *launch, const struct lab_argument *arguments,
                                            size_t count)
{
    if (!lab_host_alive(device))
        return NULL;
    if (count > LAB_ARGUMENTS_MAX) {
        lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "%s has %zu arguments; at most %d are allowed",
                      kernel->kernel.name, count, LAB_ARGUMENTS_MAX);
        return NULL;
    }
    struct launch_plan *plan =
        (struct launch_plan *)lab_host_plan_create(device, sizeof *plan, host_module_run, host_module_release);
    if (plan == NULL)
        return NULL;
    plan->kernel = &kernel->kernel;
    plan->launch = *launch;
    plan->parts = lab_host_device(device)->pool.helper_count + 1;
    memcpy(plan->arguments, arguments, count * sizeof *arguments);
    return &plan->base;
}

static bool no_attributes(struct lab_device *device, struct lab_kernel *kernel, const struct lab_launch *launch,
                          struct lab_kernel_attributes *attributes)
{
    (void)kernel, (void)launch, (void)attributes;
    return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                         "kernels of host devices have no registers or occupancy");
}

const struct lab_runtime_module lab_host_module = {.load = host_module_load,
                                                   .unload = host_module_unload,
                                                   .kernel = host_module_find,
                                                   .prepare = host_module_prepare,
                                                   .attributes = no_attributes};
