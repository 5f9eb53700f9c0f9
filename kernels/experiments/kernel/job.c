#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kernel_job_open(struct kernel_job *job, struct lab_device *device, struct lab_stream *stream,
                     struct lab_module *fillers, const struct kernel_definition *definition, uint64_t seed)
{
    job->device = device;
    job->fillers = fillers;
    job->definition = definition;
    job->buffers = (struct lab_buffers){.device = device, .stream = stream, .seed = seed};
    return lab_kernels_open(&job->kernels, device, NULL, NULL);
}

void kernel_job_close(struct kernel_job *job)
{
    if (job->device != NULL)
        lab_buffers_release(&job->buffers);
    lab_kernels_close(&job->kernels);
}

/* --- filling ------------------------------------------------------------------------------------------------------ */

static struct lab_plan *prepare_fill(struct kernel_job *job, void *address, uint64_t count,
                                     const struct kernel_fill *fill)
{
    const struct lab_runtime_module *table = job->device->runtime->module;
    const struct lab_launch launch = {.grid = {LAB_CHECK_BLOCKS}, .block = {LAB_CHECK_THREADS}};
    const struct lab_argument arguments[] = {lab_argument_pointer(address), lab_argument_u64(count),
                                             lab_argument_u64(fill->type),  lab_argument_u64(fill->content),
                                             lab_argument_u64(fill->seed),  lab_argument_u64(fill->value)};
    struct lab_kernel *kernel = table->kernel(job->device, job->fillers, "kernel_fill");
    return kernel != NULL
               ? table->prepare(job->device, kernel, &launch, arguments, sizeof arguments / sizeof *arguments)
               : NULL;
}

static bool prepare_fills(struct kernel_job *job, const struct lab_point *point)
{
    size_t buffer = 0;
    for (size_t i = 0; i < job->definition->argument_count; i++) {
        const struct kernel_argument *argument = &job->definition->arguments[i];
        if (!kernel_has_elements(argument))
            continue;
        struct kernel_fill fill = kernel_fill_of(point, argument, buffer, job->buffers.seed);
        if (argument->direction == KERNEL_OUT)
            fill = (struct kernel_fill){.type = argument->type,
                                        .content = job->definition->is_secret ? KERNEL_SECRET : KERNEL_RANDOM,
                                        .seed = ~fill.seed};
        job->written[buffer] = argument->direction != KERNEL_IN;
        job->given[buffer] = fill.content == KERNEL_DATA ? argument : NULL;
        if (job->given[buffer] == NULL &&
            (job->fills[buffer] = prepare_fill(job, job->buffers.items[buffer].address,
                                               kernel_count_of(argument, point), &fill)) == NULL)
            return false;
        buffer++;
    }
    return true;
}

/* Fills the buffers to which the kernel writes, or all. */
static bool fill(struct kernel_job *job, bool all)
{
    const struct lab_runtime *runtime = job->device->runtime;
    for (size_t i = 0; i < job->definition->buffer_count; i++) {
        const struct kernel_argument *given = job->given[i];
        if (!all && !job->written[i])
            continue;
        if (given != NULL ? !kernel_job_put(job, i, given->data, given->data_bytes)
                          : !runtime->enqueue(job->device, job->fills[i], job->buffers.stream))
            return false;
    }
    return runtime->stream_synchronize(job->device, job->buffers.stream);
}

/* --- variables ---------------------------------------------------------------------------------------------------- */

/* Writes the content of a variable to device memory, of `bytes` bytes. */
static bool write_content(struct kernel_job *job, const struct kernel_argument *argument, size_t index, void *content,
                          size_t bytes)
{
    const struct lab_runtime *runtime = job->device->runtime;
    uint64_t count = kernel_count_of(argument, &job->point);
    if (argument->values == NULL) {
        const struct kernel_fill fill =
            kernel_fill_of(&job->point, argument, LAB_BUFFERS_MAX + index, job->buffers.seed);
        struct lab_plan *plan = prepare_fill(job, content, count, &fill);
        bool good = plan != NULL && runtime->enqueue(job->device, plan, job->buffers.stream) &&
                    runtime->stream_synchronize(job->device, job->buffers.stream);
        runtime->plan_free(job->device, plan);
        return good;
    }
    size_t size = kernel_type_bytes(argument->type);
    unsigned char *values = malloc(bytes);
    for (size_t i = 0; values != NULL && i < count; i++) {
        uint64_t bits = kernel_bits_of(argument->type, json_number_value(json_array_get(argument->values, i)));
        memcpy(values + i * size, &bits, size);
    }
    bool good = values != NULL && runtime->copy(job->device, job->buffers.stream, content, values, bytes, LAB_H2D) &&
                runtime->stream_synchronize(job->device, job->buffers.stream);
    if (values == NULL)
        lab_error_set(&job->device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the values of %s",
                      argument->name);
    free(values);
    return good;
}

/* Kernels must not write to constant memory, so variables are filled by a copy. */
static bool set_variable(struct kernel_job *job, const struct kernel_argument *argument, size_t index)
{
    const struct lab_runtime *runtime = job->device->runtime;
    size_t bytes = (size_t)kernel_count_of(argument, &job->point) * kernel_type_bytes(argument->type), found;
    void *address, *content;
    if (runtime->module->global == NULL)
        return lab_error_set(&job->device->error, LAB_ERROR_UNSUPPORTED, "",
                             "this device does not support __device__ and __constant__ variables, such as %s",
                             argument->name);
    if (!runtime->module->global(job->device, job->kernels.of_workload, argument->name, &address, &found))
        return false;
    if (bytes > found)
        return lab_error_set(&job->device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                             "the variable %s has %zu bytes; its contents have %zu", argument->name, found, bytes);
    if (!runtime->allocate(job->device, LAB_MEMORY_DEVICE, bytes, &content))
        return false;
    bool good = write_content(job, argument, index, content, bytes) &&
                runtime->copy(job->device, job->buffers.stream, address, content, bytes, LAB_D2D) &&
                runtime->stream_synchronize(job->device, job->buffers.stream);
    runtime->free(job->device, LAB_MEMORY_DEVICE, content);
    return good;
}

/* Sets the variables to which the kernel writes, or all; without a launch there are none. */
static bool set_variables(struct kernel_job *job, bool all)
{
    if (job->workload.step_count == 0)
        return true;
    for (size_t i = 0; i < job->definition->argument_count; i++) {
        const struct kernel_argument *argument = &job->definition->arguments[i];
        if (argument->kind == KERNEL_VARIABLE && (all || argument->direction != KERNEL_IN) &&
            !set_variable(job, argument, i))
            return false;
    }
    return true;
}

/* --- textures and tables ------------------------------------------------------------------------------------------ */

/* Applies a function of the runtime to the surfaces to which the kernel writes, or to all textures. */
static bool copy_textures(struct kernel_job *job, bool all,
                          bool (*copy)(struct lab_device *device, struct lab_texture *texture))
{
    size_t texture = 0;
    for (size_t i = 0; i < job->definition->argument_count && job->kernels.texture_count > 0; i++) {
        const struct kernel_argument *argument = &job->definition->arguments[i];
        if (kernel_is_texture(argument) && (all || argument->direction != KERNEL_IN) &&
            !copy(job->device, job->kernels.textures[texture]))
            return false;
        texture += kernel_is_texture(argument);
    }
    return true;
}

/* Writes the pointers of a table, whose buffers lie one after the other in buffer `elements`, to buffer `pointers`. */
static bool set_pointers(struct kernel_job *job, const struct kernel_argument *table, size_t elements, size_t pointers)
{
    const struct lab_runtime *runtime = job->device->runtime;
    size_t count = (size_t)kernel_buffers_of(table, &job->point);
    size_t bytes = (size_t)kernel_count_of(table, &job->point) / count * kernel_type_bytes(table->type);
    uint64_t *values = malloc(count * sizeof *values);
    if (values == NULL)
        return lab_error_set(&job->device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the pointers of %s",
                             table->name);
    for (size_t i = 0; i < count; i++)
        values[i] = (uint64_t)(uintptr_t)job->buffers.items[elements].address + i * bytes;
    bool good = runtime->copy(job->device, job->buffers.stream, job->buffers.items[pointers].address, values,
                              count * sizeof *values, LAB_H2D) &&
                runtime->stream_synchronize(job->device, job->buffers.stream);
    free(values);
    return good;
}

/* Writes the pointers of all tables; a workload that has plain buffers instead has none. */
static bool set_tables(struct kernel_job *job)
{
    size_t elements = 0, pointers = job->definition->buffer_count;
    for (size_t i = 0; i < job->definition->argument_count && job->workload.buffer_count > pointers; i++) {
        const struct kernel_argument *argument = &job->definition->arguments[i];
        if (argument->kind == KERNEL_TABLE && !set_pointers(job, argument, elements, pointers++))
            return false;
        elements += kernel_has_elements(argument);
    }
    return true;
}

/* --- structures --------------------------------------------------------------------------------------------------- */

static void write_structs(struct kernel_job *job)
{
    struct lab_workload_step *step = &job->workload.steps[0];
    size_t parameter = 0;
    for (size_t i = 0; i < job->definition->argument_count; i++) {
        const struct kernel_argument *argument = &job->definition->arguments[i];
        if (argument->kind == KERNEL_STRUCT) {
            struct lab_argument *value = &step->arguments[parameter].value;
            kernel_write_struct(argument, &job->point, job->structs[i]);
            if (argument->bytes > sizeof value->u64)
                value->pointer = job->structs[i];
            else
                memcpy(&value->u64, job->structs[i], argument->bytes);
        }
        parameter += argument->kind != KERNEL_VARIABLE;
    }
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

bool kernel_job_begin(struct kernel_job *job, const struct lab_point *point, const struct lab_own_entry *entry)
{
    job->point = *point;
    if (job->workload.step_count > 0) {
        job->workload.image = &entry->image;
        snprintf(job->workload.steps[0].kernel, sizeof job->workload.steps[0].kernel, "%s", entry->name);
        write_structs(job);
    }
    return lab_buffers_prepare(&job->buffers, &job->workload) && prepare_fills(job, point) && fill(job, true) &&
           set_tables(job) && lab_kernels_begin(&job->kernels, &job->buffers) && set_variables(job, true);
}

static void free_fills(struct kernel_job *job)
{
    for (size_t i = 0; i < LAB_BUFFERS_MAX; i++) {
        job->device->runtime->plan_free(job->device, job->fills[i]);
        job->fills[i] = NULL;
    }
}

void kernel_job_end(struct kernel_job *job)
{
    lab_kernels_end(&job->kernels);
    free_fills(job);
}

bool kernel_job_reset(struct kernel_job *job)
{
    return fill(job, false) && copy_textures(job, false, job->device->runtime->module->texture_fill) &&
           set_variables(job, false);
}

bool kernel_job_renew(struct kernel_job *job, uint64_t seed)
{
    job->buffers.seed = seed;
    free_fills(job);
    return prepare_fills(job, &job->point) && fill(job, true) && set_tables(job) &&
           copy_textures(job, true, job->device->runtime->module->texture_fill) && set_variables(job, true);
}

bool kernel_job_collect(struct kernel_job *job)
{
    return copy_textures(job, false, job->device->runtime->module->texture_read);
}

bool kernel_job_put(struct kernel_job *job, size_t buffer, const void *data, size_t bytes)
{
    const struct lab_runtime *runtime = job->device->runtime;
    return runtime->copy(job->device, job->buffers.stream, job->buffers.items[buffer].address, data, bytes, LAB_H2D) &&
           runtime->stream_synchronize(job->device, job->buffers.stream);
}

bool kernel_job_get(const struct kernel_job *job, size_t buffer, size_t offset, void *data, size_t bytes)
{
    const struct lab_runtime *runtime = job->device->runtime;
    const char *from = (const char *)job->buffers.items[buffer].address + offset;
    return runtime->copy(job->device, job->buffers.stream, data, from, bytes, LAB_D2H) &&
           runtime->stream_synchronize(job->device, job->buffers.stream);
}
