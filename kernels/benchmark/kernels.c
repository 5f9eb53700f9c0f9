/* Loads kernels and prepares their launches. */
#include "benchmark/kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool lab_kernels_open(struct lab_kernels *k, struct lab_device *device, const struct lab_image *image,
                      const struct lab_own_kernels *own)
{
    const struct lab_runtime *runtime = device->runtime;
    *k = (struct lab_kernels){.device = device, .refusal = LAB_MODULES_MISSING};
    if (image == NULL || runtime->module == NULL)
        return true;
    if (!runtime->allocate(device, LAB_MEMORY_DEVICE, sizeof(struct lab_check_result), &k->found))
        return false;
    k->module = runtime->module->load(device, image);
    if (k->module != NULL) {
        k->refusal[0] = '\0';
        return lab_own_module_open(&k->own, device, own);
    }
    snprintf(k->refusal, sizeof k->refusal, "%s", device->error.detail);
    return !device->lost && device->error.code == LAB_ERROR_UNSUPPORTED;
}

void lab_kernels_close(struct lab_kernels *k)
{
    if (k->device == NULL)
        return;
    lab_own_module_close(&k->own);
    if (k->module != NULL)
        k->device->runtime->module->unload(k->device, k->module);
    k->device->runtime->free(k->device, LAB_MEMORY_DEVICE, k->found);
}

/* Creates a texture or surface of a buffer, and sets *value to its handle. */
static bool add_texture(struct lab_kernels *k, const struct lab_workload_argument *argument,
                        const struct lab_buffers *b, struct lab_argument *value)
{
    const struct lab_runtime_module *table = k->device->runtime->module;
    uint64_t handle;
    if (table->texture_create == NULL)
        return lab_error_set(&k->device->error, LAB_ERROR_UNSUPPORTED, "",
                             "this device has neither textures nor surfaces: they need a GPU");
    if (k->texture_count == LAB_BUFFERS_MAX)
        return lab_error_set(&k->device->error, LAB_ERROR_INVALID_ARGUMENT, "", "a workload has more than %d textures",
                             LAB_BUFFERS_MAX);
    struct lab_texture *texture =
        table->texture_create(k->device, b->items[argument->buffer].address, &argument->texture, &handle);
    if (texture == NULL)
        return false;
    k->textures[k->texture_count++] = texture;
    *value = lab_argument_u64(handle);
    return true;
}

static bool resolve(struct lab_kernels *k, const struct lab_workload_argument *argument, const struct lab_buffers *b,
                    struct lab_argument *value)
{
    if (argument->kind == LAB_ARGUMENT_TEXTURE)
        return add_texture(k, argument, b, value);
    *value = argument->kind == LAB_ARGUMENT_ADDRESS ? lab_argument_pointer(b->items[argument->buffer].address)
                                                    : argument->value;
    return true;
}

static struct lab_plan *prepare_check(struct lab_kernels *k, struct lab_kernel *kernel, const struct lab_buffers *b)
{
    const struct lab_workload_check *check = &b->workload->check;
    const struct lab_launch launch = {.grid = {LAB_CHECK_BLOCKS}, .block = {LAB_CHECK_THREADS}};
    const struct lab_argument arguments[] = {
        lab_argument_pointer(b->items[check->buffer].address),
        lab_argument_u64(b->workload->buffers[check->buffer].bytes / sizeof(uint32_t)),
        lab_argument_u64(b->seed),
        lab_argument_u64(check->parameters[0]),
        lab_argument_u64(check->parameters[1]),
        lab_argument_u64(check->parameters[2]),
        lab_argument_pointer(k->found),
    };
    return k->device->runtime->module->prepare(k->device, kernel, &launch, arguments,
                                               sizeof arguments / sizeof *arguments);
}

struct lab_kernel_record lab_kernel_record_from(const char *name, const struct lab_kernel_attributes *attributes,
                                                uint32_t threads)
{
    return (struct lab_kernel_record){.name = name,
                                      .registers = attributes->registers,
                                      .local_bytes = (int64_t)attributes->local_bytes,
                                      .shared_bytes = (int64_t)attributes->shared_bytes,
                                      .blocks_per_multiprocessor = attributes->blocks_per_multiprocessor,
                                      .occupancy = attributes->occupancy,
                                      .block = threads};
}

struct lab_kernel_record lab_kernel_record_of(struct lab_device *device, struct lab_kernel *kernel, const char *name,
                                              const struct lab_launch *launch)
{
    struct lab_kernel_attributes found;
    const uint32_t *block = launch->block;
    uint32_t threads = block[0] * (block[1] > 0 ? block[1] : 1) * (block[2] > 0 ? block[2] : 1);
    return device->runtime->module->attributes(device, kernel, launch, &found)
               ? lab_kernel_record_from(name, &found, threads)
               : (struct lab_kernel_record){0};
}

/* Finds the kernel of a step and its launch: an own kernel of that name, unless the workload has an image of its own,
 * or else that of the image. */
static bool find_kernel(struct lab_kernels *k, const struct lab_workload_step *step, struct lab_kernel **kernel,
                        struct lab_launch *launch)
{
    const struct lab_runtime_module *table = k->device->runtime->module;
    *launch = step->launch;
    if (k->of_workload != NULL)
        return (*kernel = table->kernel(k->device, k->of_workload, step->kernel)) != NULL;
    if (!lab_own_module_find(&k->own, step->kernel, kernel))
        return false;
    if (*kernel != NULL) {
        k->own_count++;
        return lab_own_module_launch(&k->own, step->kernel, step->items, launch);
    }
    *kernel = table->kernel(k->device, k->module, step->kernel);
    return *kernel != NULL;
}

/* Prepares a kernel. The first one of the workload is recorded. */
static struct lab_plan *prepare_kernel(struct lab_kernels *k, const struct lab_workload_step *step,
                                       const struct lab_argument *arguments)
{
    struct lab_kernel *kernel;
    struct lab_launch launch;
    if (!find_kernel(k, step, &kernel, &launch))
        return NULL;
    if (k->launch_count == 0)
        k->record = lab_kernel_record_of(k->device, kernel, step->kernel, &launch);
    return k->device->runtime->module->prepare(k->device, kernel, &launch, arguments, step->argument_count);
}

static bool begin_step(struct lab_kernels *k, const struct lab_workload_step *step, const struct lab_buffers *b)
{
    struct lab_argument arguments[LAB_ARGUMENTS_MAX];
    for (size_t i = 0; i < step->argument_count; i++)
        if (!resolve(k, &step->arguments[i], b, &arguments[i]))
            return false;
    struct lab_plan *plan = step->prepare != NULL ? step->prepare(k->device, arguments, step->argument_count)
                                                  : prepare_kernel(k, step, arguments);
    if (plan == NULL)
        return false;
    k->streams[k->launch_count] = step->stream;
    k->launches[k->launch_count++] = plan;
    return true;
}

bool lab_kernels_begin(struct lab_kernels *k, const struct lab_buffers *b)
{
    const struct lab_workload *workload = b->workload;
    if (workload->image != NULL &&
        (k->of_workload = k->device->runtime->module->load(k->device, workload->image)) == NULL)
        return false;
    for (size_t i = 0; i < workload->step_count; i++)
        if (!begin_step(k, &workload->steps[i], b))
            return false;
    if (workload->check.kernel == NULL)
        return true;
    struct lab_kernel *kernel = k->device->runtime->module->kernel(k->device, k->module, workload->check.kernel);
    k->result = b->items[workload->check.buffer].address;
    return kernel != NULL && (k->check = prepare_check(k, kernel, b)) != NULL;
}

void lab_kernels_end(struct lab_kernels *k)
{
    for (size_t i = 0; i < k->launch_count; i++)
        k->device->runtime->plan_free(k->device, k->launches[i]);
    for (size_t i = 0; i < k->texture_count; i++)
        k->device->runtime->module->texture_free(k->device, k->textures[i]);
    k->device->runtime->plan_free(k->device, k->check);
    if (k->of_workload != NULL)
        k->device->runtime->module->unload(k->device, k->of_workload);
    k->of_workload = NULL;
    k->launch_count = k->own_count = k->texture_count = 0;
    k->check = NULL;
    k->record = (struct lab_kernel_record){0};
    k->first_wrong = (struct lab_wrong_element){0};
}

bool lab_kernels_enqueue(const struct lab_kernels *k, const struct lab_lane *lanes)
{
    for (size_t i = 0; i < k->launch_count; i++)
        if (!k->device->runtime->enqueue(k->device, k->launches[i], lanes[k->streams[i]].stream))
            return false;
    return true;
}

/* Lets the kernel that checks continue *result, which may ask for an element. */
static bool run_check(struct lab_kernels *k, struct lab_stream *stream, struct lab_check_result *result)
{
    const struct lab_runtime *runtime = k->device->runtime;
    return runtime->copy(k->device, stream, k->found, result, sizeof *result, LAB_H2D) &&
           runtime->enqueue(k->device, k->check, stream) &&
           runtime->copy(k->device, stream, result, k->found, sizeof *result, LAB_D2H) &&
           runtime->stream_synchronize(k->device, stream);
}

/* Finds out what the first wrong element is and must be. */
static bool read_first_wrong(struct lab_kernels *k, struct lab_stream *stream, unsigned long long first)
{
    const struct lab_runtime *runtime = k->device->runtime;
    struct lab_check_result asked = {.asked = first};
    struct lab_wrong_element element = {.known = true, .index = ~first};
    if (!runtime->copy(k->device, stream, &element.found, k->result + element.index, sizeof element.found, LAB_D2H) ||
        !run_check(k, stream, &asked))
        return false;
    element.expected = asked.must_be;
    k->first_wrong = element;
    return true;
}

bool lab_kernels_check(struct lab_kernels *k, struct lab_stream *stream, uint64_t *wrong)
{
    struct lab_check_result found = {0};
    if (!run_check(k, stream, &found))
        return false;
    *wrong = found.wrong;
    memcpy(&k->error, &found.error, sizeof k->error);
    k->rms = sqrt(found.mean_square);
    return found.first == 0 || k->first_wrong.known || read_first_wrong(k, stream, found.first);
}
