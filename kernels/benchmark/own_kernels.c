/* Finds a person's own kernels and changes their launches. */
#include "benchmark/own_kernels.h"

#include "descriptor/points.h"
#include "descriptor/source.h"

#include <string.h>

bool lab_own_module_open(struct lab_own_module *own, struct lab_device *device, const struct lab_own_kernels *kernels)
{
    *own = (struct lab_own_module){.device = device, .kernels = kernels};
    if (kernels == NULL)
        return true;
    if (device->runtime->module == NULL)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", LAB_MODULES_MISSING);
    own->module = device->runtime->module->load(device, &kernels->image);
    return own->module != NULL;
}

void lab_own_module_close(struct lab_own_module *own)
{
    if (own->module != NULL)
        own->device->runtime->module->unload(own->device, own->module);
    own->module = NULL;
}

bool lab_own_module_find(const struct lab_own_module *own, const char *name, struct lab_kernel **kernel)
{
    *kernel = own->module != NULL ? own->device->runtime->module->kernel(own->device, own->module, name) : NULL;
    return own->module == NULL || *kernel != NULL || own->device->error.code == LAB_ERROR_UNSUPPORTED;
}

bool lab_own_module_global(const struct lab_own_module *own, const char *name, void **address, size_t *bytes)
{
    *address = NULL;
    return own->module == NULL ||
           own->device->runtime->module->global(own->device, own->module, name, address, bytes) ||
           own->device->error.code == LAB_ERROR_UNSUPPORTED;
}

static uint64_t threads_of(const uint32_t block[3])
{
    uint64_t threads = 1;
    for (size_t i = 0; i < 3; i++)
        threads *= block[i] > 0 ? block[i] : 1;
    return threads;
}

bool lab_own_module_launch(const struct lab_own_module *own, const char *name, uint64_t items,
                           struct lab_launch *launch)
{
    const struct lab_own_kernels *kernels = own->kernels;
    bool other_block = kernels->block[0] > 0, other_grid = kernels->grid[0] > 0;
    if (other_block && !other_grid && items == 0)
        return lab_error_set(&own->device->error, LAB_ERROR_INVALID_LAUNCH, "",
                             "the grid of %s does not follow from its block: give both \"block\" and \"grid\"", name);
    if (other_block)
        memcpy(launch->block, kernels->block, sizeof launch->block);
    if (other_grid)
        memcpy(launch->grid, kernels->grid, sizeof launch->grid);
    else if (other_block) {
        uint64_t threads = threads_of(launch->block);
        memcpy(launch->grid, (uint32_t[3]){(uint32_t)((items + threads - 1) / threads)}, sizeof launch->grid);
    }
    return true;
}

bool lab_own_kernels_apply(const struct lab_own_kernels *kernels, const struct lab_experiment *experiment,
                           const struct lab_point *point)
{
    int64_t value;
    const struct lab_axis *axis = lab_source_axis(experiment, kernels->step, &value);
    return axis != NULL && point->values[axis - experiment->axes] == value;
}

bool lab_own_kernels_not_found(const struct lab_own_kernels *kernels, const char *name, struct lab_error *error)
{
    return lab_error_set(
        error, LAB_ERROR_KERNEL_NOT_FOUND, "",
        "the text has no kernel %s, which is launched for %s: keep its name and extern \"C\" __global__", name,
        kernels->step);
}
