#include "job.h"

#include <stdio.h>

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

static struct lab_plan *prepare_fill(struct kernel_job *job, size_t buffer, uint64_t count,
                                     const struct kernel_fill *fill)
{
    const struct lab_runtime_module *table = job->device->runtime->module;
    const struct lab_launch launch = {.grid = {LAB_CHECK_BLOCKS}, .block = {LAB_CHECK_THREADS}};
    const struct lab_argument arguments[] = {lab_argument_pointer(job->buffers.items[buffer].address),
                                             lab_argument_u64(count),
                                             lab_argument_u64(fill->type),
                                             lab_argument_u64(fill->content),
                                             lab_argument_u64(fill->seed),
                                             lab_argument_u64(fill->value)};
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
        if (argument->kind != KERNEL_BUFFER)
            continue;
        struct kernel_fill fill = kernel_fill_of(point, argument, buffer, job->buffers.seed);
        if (argument->direction == KERNEL_OUT)
            fill = (struct kernel_fill){.type = argument->type, .content = KERNEL_RANDOM, .seed = ~fill.seed};
        job->written[buffer] = argument->direction != KERNEL_IN;
        job->fills[buffer] = prepare_fill(job, buffer, kernel_count_of(argument, point), &fill);
        if (job->fills[buffer++] == NULL)
            return false;
    }
    return true;
}

/* Fills the buffers to which the kernel writes, or all. */
static bool fill(struct kernel_job *job, bool all)
{
    const struct lab_runtime *runtime = job->device->runtime;
    for (size_t i = 0; i < job->workload.buffer_count; i++)
        if ((all || job->written[i]) && !runtime->enqueue(job->device, job->fills[i], job->buffers.stream))
            return false;
    return runtime->stream_synchronize(job->device, job->buffers.stream);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

bool kernel_job_begin(struct kernel_job *job, const struct lab_point *point, const struct lab_own_entry *entry)
{
    job->workload.image = &entry->image;
    snprintf(job->workload.steps[0].kernel, sizeof job->workload.steps[0].kernel, "%s", entry->name);
    return lab_buffers_prepare(&job->buffers, &job->workload) && prepare_fills(job, point) && fill(job, true) &&
           lab_kernels_begin(&job->kernels, &job->buffers);
}

void kernel_job_end(struct kernel_job *job)
{
    lab_kernels_end(&job->kernels);
    for (size_t i = 0; i < LAB_BUFFERS_MAX; i++) {
        job->device->runtime->plan_free(job->device, job->fills[i]);
        job->fills[i] = NULL;
    }
}

bool kernel_job_reset(struct kernel_job *job)
{
    return fill(job, false);
}
