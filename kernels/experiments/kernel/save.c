#include "save.h"

#include "descriptor/own_kernel.h"

#include <stdlib.h>

/* Reads an output and reports it. */
static bool save(struct kernel_job *job, const struct kernel_argument *argument, size_t buffer,
                 const struct lab_report *report)
{
    uint64_t count = kernel_count_of(argument, &job->point);
    uint64_t rows = argument->kind == KERNEL_TABLE ? kernel_buffers_of(argument, &job->point) : 1;
    size_t bytes = (size_t)count * kernel_type_bytes(argument->type);
    struct lab_axes axes = {0};
    void *elements = malloc(bytes);
    if (elements == NULL)
        return lab_error_set(&job->device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the output %s",
                             argument->name);
    bool good = kernel_job_get(job, buffer, 0, elements, bytes);
    const struct lab_field field = {.name = argument->name,
                                    .rows = (size_t)rows,
                                    .columns = (size_t)(count / rows),
                                    .values = elements,
                                    .type = lab_own_type_name(argument->type),
                                    .axes = &axes};
    lab_report_axes(report->run, report->point, &axes);
    if (good)
        report->run->sink.field(report->run->sink.context, &field);
    free(elements);
    return good;
}

static bool is_saved(const struct kernel_definition *definition)
{
    bool found = false;
    for (size_t i = 0; i < definition->argument_count; i++)
        found = found || definition->arguments[i].save;
    return found;
}

/* Launches the kernel once, and saves its outputs. Returns false with the device's error set. */
static bool save_all(struct kernel_job *job, const struct lab_lane *lane, const struct lab_report *report)
{
    const struct kernel_definition *definition = job->definition;
    bool good = kernel_job_reset(job) && lab_kernels_enqueue(&job->kernels, lane) &&
                job->device->runtime->stream_synchronize(job->device, lane->stream) && kernel_job_collect(job);
    for (size_t i = 0, buffer = 0; good && i < definition->argument_count; i++) {
        const struct kernel_argument *argument = &definition->arguments[i];
        good = !argument->save || save(job, argument, buffer, report);
        buffer += kernel_has_elements(argument);
    }
    return good;
}

bool kernel_save_outputs(struct kernel_job *job, const struct lab_lane *lane, const struct lab_report *report)
{
    struct lab_run *run = report->run;
    if (!is_saved(job->definition))
        return true;
    if (report->outcome->verified_known && !report->outcome->verified) {
        run->sink.warning(run->sink.context, "no output was saved, because there are wrong ones");
        return true;
    }
    if (save_all(job, lane, report))
        return true;
    run->error = job->device->error;
    return false;
}
