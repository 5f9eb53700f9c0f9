/* Loads images of kernels and prepares their launches. A cudaKernel_t belongs to no context: it is launched on the
 * device that is current. */
#include "entries.h"
#include "launch_check.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES_MAX = 2 };

struct lab_kernel {
    struct lab_kernel *next; /* next kernel of the module */
    cudaKernel_t handle;
    int carveout; /* that was last asked for */
    char name[];
};

struct lab_module {
    cudaLibrary_t library;
    struct lab_kernel *kernels; /* those that were asked for */
};

/* --- modules and kernels ------------------------------------------------------------------------------------------ */

static void cuda_module_unload(struct lab_device *device, struct lab_module *module)
{
    if (module == NULL)
        return;
    for (struct lab_kernel *kernel = module->kernels, *next; kernel != NULL; kernel = next) {
        next = kernel->next;
        free(kernel);
    }
    if (module->library != NULL)
        (void)lab_cuda_check(device, cudaLibraryUnload(module->library), "unloading kernels");
    free(module);
}

static struct lab_module *cuda_module_load(struct lab_device *device, const struct lab_image *image)
{
    if (image->binary == NULL || image->binary->begin == NULL) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s has no CUDA kernels in this build", image->name);
        return NULL;
    }
    struct lab_module *module = calloc(1, sizeof *module);
    if (module == NULL) {
        lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the kernels of %s", image->name);
        return NULL;
    }
    if (lab_cuda_make_current(device) &&
        lab_cuda_check(device,
                       cudaLibraryLoadData(&module->library, image->binary->begin, NULL, NULL, 0, NULL, NULL, 0),
                       "loading kernels"))
        return module;
    cuda_module_unload(device, module);
    return NULL;
}

static struct lab_kernel *find_kernel(const struct lab_module *module, const char *name)
{
    for (struct lab_kernel *kernel = module->kernels; kernel != NULL; kernel = kernel->next)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

/* Asking for the attributes loads the kernel's code onto the device, which CUDA would otherwise do at the first launch
 * and which must not happen behind a latch (METHOD.md 4). */
static bool load_code(struct lab_device *device, const struct lab_kernel *kernel)
{
    struct cudaFuncAttributes attributes;
    return lab_cuda_check(device, cudaFuncGetAttributes(&attributes, (const void *)kernel->handle), "loading a kernel");
}

static struct lab_kernel *cuda_module_kernel_of(struct lab_device *device, struct lab_module *module, const char *name)
{
    struct lab_kernel *kernel = find_kernel(module, name);
    if (kernel != NULL || !lab_cuda_make_current(device))
        return kernel;
    size_t length = strlen(name) + 1;
    kernel = calloc(1, sizeof *kernel + length);
    if (kernel == NULL) {
        lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a kernel");
        return NULL;
    }
    memcpy(kernel->name, name, length);
    kernel->carveout = cudaSharedmemCarveoutDefault;
    cudaError_t status = cudaLibraryGetKernel(&kernel->handle, module->library, name);
    bool found = status != cudaErrorSymbolNotFound && status != cudaErrorInvalidResourceHandle;
    if (!found) {
        (void)cudaGetLastError();
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "kernel not found: %s", name);
    }
    if (!found || !lab_cuda_check(device, status, "finding a kernel") || !load_code(device, kernel)) {
        free(kernel);
        return NULL;
    }
    kernel->next = module->kernels;
    module->kernels = kernel;
    return kernel;
}

static bool global_of(struct lab_device *device, struct lab_module *module, const char *name, void **address,
                      size_t *bytes)
{
    if (!lab_cuda_make_current(device))
        return false;
    cudaError_t status = cudaLibraryGetGlobal(address, bytes, module->library, name);
    if (status == cudaErrorSymbolNotFound) {
        (void)cudaGetLastError();
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "variable of the kernels not found: %s", name);
    }
    return lab_cuda_check(device, status, "finding a global variable");
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

struct launch_plan {
    struct lab_plan base;
    cudaKernel_t kernel;
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attributes[ATTRIBUTES_MAX];
    struct lab_argument arguments[LAB_ARGUMENTS_MAX];
    void *addresses[LAB_ARGUMENTS_MAX]; /* of the arguments' values */
};

static cudaError_t launch_kernel(const struct cuda_device *device, struct lab_plan *plan, cudaStream_t stream)
{
    struct launch_plan *launch = (struct launch_plan *)plan;
    (void)device;
    launch->config.stream = stream;
    return cudaLaunchKernelExC(&launch->config, (const void *)launch->kernel, launch->addresses);
}

static const struct cuda_operation launch_operation = {.doing = "launching a kernel", .launch = launch_kernel};

static struct dim3 dimensions(const uint32_t size[3])
{
    return (struct dim3){size[0] > 0 ? size[0] : 1, size[1] > 0 ? size[1] : 1, size[2] > 0 ? size[2] : 1};
}

static void configure(struct launch_plan *plan, const struct lab_launch *launch)
{
    cudaLaunchConfig_t *config = &plan->config;
    *config = (cudaLaunchConfig_t){.gridDim = dimensions(launch->grid),
                                   .blockDim = dimensions(launch->block),
                                   .dynamicSmemBytes = launch->shared_bytes,
                                   .attrs = plan->attributes};
    if (launch->cooperative)
        plan->attributes[config->numAttrs++] =
            (cudaLaunchAttribute){.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    if (launch->cluster[0] > 0) {
        cudaLaunchAttribute *cluster = &plan->attributes[config->numAttrs++];
        struct dim3 size = dimensions(launch->cluster);
        cluster->id = cudaLaunchAttributeClusterDimension;
        cluster->val.clusterDim.x = size.x;
        cluster->val.clusterDim.y = size.y;
        cluster->val.clusterDim.z = size.z;
    }
}

/* A block gets more than the usual 48 KiB of dynamic shared memory only if its kernel asks for it. */
static bool allow_shared_memory(struct lab_device *device, const struct lab_kernel *kernel,
                                const struct lab_launch *launch)
{
    enum { USUAL_BYTES = 48 * 1024 };
    return launch->shared_bytes <= USUAL_BYTES ||
           lab_cuda_check(device,
                          cudaKernelSetAttributeForDevice(kernel->handle, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                          (int)launch->shared_bytes, cuda_device_of(device)->ordinal),
                          "allowing a kernel its shared memory");
}

/* Divides the memory of a multiprocessor into shared memory and L1 as the launch asks. */
static bool divide_l1(struct lab_device *device, struct lab_kernel *kernel, const struct lab_launch *launch)
{
    int carveout = launch->divides_l1 ? (int)launch->shared_percent : (int)cudaSharedmemCarveoutDefault;
    if (carveout == kernel->carveout)
        return true;
    kernel->carveout = carveout;
    return lab_cuda_check(device,
                          cudaKernelSetAttributeForDevice(kernel->handle,
                                                          cudaFuncAttributePreferredSharedMemoryCarveout, carveout,
                                                          cuda_device_of(device)->ordinal),
                          "dividing the memory of a multiprocessor");
}

/* A cluster of more than 8 blocks, which not all devices have, needs the permission of its kernel too. */
static bool allow_cluster(struct lab_device *device, const struct lab_kernel *kernel, const struct lab_launch *launch)
{
    enum { PORTABLE_BLOCKS = 8 };
    struct dim3 size = dimensions(launch->cluster);
    return size.x * size.y * size.z <= PORTABLE_BLOCKS ||
           lab_cuda_check(device,
                          cudaKernelSetAttributeForDevice(kernel->handle,
                                                          cudaFuncAttributeNonPortableClusterSizeAllowed, 1,
                                                          cuda_device_of(device)->ordinal),
                          "allowing a kernel clusters of more than 8 blocks");
}

static struct lab_plan *cuda_module_prepare(struct lab_device *device, struct lab_kernel *kernel,
                                            const struct lab_launch *launch, const struct lab_argument *arguments,
                                            size_t count)
{
    if (count > LAB_ARGUMENTS_MAX) {
        lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "%s has %zu arguments; at most %d are allowed",
                      kernel->name, count, LAB_ARGUMENTS_MAX);
        return NULL;
    }
    if (!lab_cuda_make_current(device) ||
        !lab_cuda_check_launch(device, kernel->handle, kernel->name, launch, arguments, count) ||
        !allow_shared_memory(device, kernel, launch) || !allow_cluster(device, kernel, launch) ||
        !divide_l1(device, kernel, launch) || !lab_cuda_check_cooperative(device, kernel->handle, kernel->name, launch))
        return NULL;
    struct launch_plan *plan = lab_cuda_plan_create(device, sizeof *plan, &launch_operation);
    if (plan == NULL)
        return NULL;
    plan->kernel = kernel->handle;
    configure(plan, launch);
    for (size_t i = 0; i < count; i++) {
        plan->arguments[i] = arguments[i];
        plan->addresses[i] = arguments[i].bytes > sizeof(uint64_t) ? arguments[i].pointer : &plan->arguments[i].pointer;
    }
    return &plan->base;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static bool attributes_of(struct lab_device *device, struct lab_kernel *kernel, const struct lab_launch *launch,
                          struct lab_kernel_attributes *attributes)
{
    struct dim3 block = dimensions(launch->block);
    return lab_cuda_make_current(device) && allow_shared_memory(device, kernel, launch) &&
           lab_cuda_function_attributes(device, (const void *)kernel->handle, block.x * block.y * block.z,
                                        launch->shared_bytes, attributes);
}

const struct lab_runtime_module lab_cuda_module = {.load = cuda_module_load,
                                                   .unload = cuda_module_unload,
                                                   .kernel = cuda_module_kernel_of,
                                                   .prepare = cuda_module_prepare,
                                                   .attributes = attributes_of,
                                                   .global = global_of,
                                                   .texture_create = lab_cuda_texture_create,
                                                   .texture_fill = lab_cuda_texture_fill,
                                                   .texture_read = lab_cuda_texture_read,
                                                   .texture_free = lab_cuda_texture_free};
