/* Builds the description of a workload. */
#include "benchmark/benchmark.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if a table of a workload is full: a fault of the benchmark, not of its input. */
static void check_room(size_t count, size_t most, const char *what)
{
    if (count < most)
        return;
    fprintf(stderr, "a workload has more than %zu %s\n", most, what);
    abort();
}

size_t lab_workload_declare(struct lab_workload *workload, struct lab_buffer buffer)
{
    check_room(workload->buffer_count, LAB_BUFFERS_MAX, "buffers");
    workload->buffers[workload->buffer_count] = buffer;
    return workload->buffer_count++;
}

size_t lab_workload_input(struct lab_workload *workload, size_t bytes, enum lab_content content)
{
    return lab_workload_declare(workload, (struct lab_buffer){.bytes = bytes, .content = content});
}

size_t lab_workload_output(struct lab_workload *workload, size_t bytes)
{
    return lab_workload_declare(workload, (struct lab_buffer){.bytes = bytes, .output = true});
}

size_t lab_workload_zeros(struct lab_workload *workload, size_t bytes)
{
    return lab_workload_declare(workload,
                                (struct lab_buffer){.bytes = bytes, .output = true, .content = LAB_CONTENT_ZEROS});
}

void lab_workload_skip(struct lab_workload *workload, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(workload->skipped, sizeof workload->skipped, format, arguments);
    va_end(arguments);
}

static void add_step(struct lab_workload *workload, struct lab_workload_step step)
{
    check_room(workload->step_count, LAB_STEPS_MAX, "steps");
    workload->steps[workload->step_count++] = step;
}

void lab_workload_add_step(struct lab_workload *workload, const char *name)
{
    struct lab_workload_step step = {.kernel = ""};
    snprintf(step.kernel, sizeof step.kernel, "%s", name);
    add_step(workload, step);
}

void lab_workload_add_kernel(struct lab_workload *workload, const char *format, ...)
{
    char name[LAB_KERNEL_NAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    for (char *hyphen = name; (hyphen = strchr(hyphen, '-')) != NULL;)
        *hyphen = '_';
    lab_workload_add_step(workload, name);
}

void lab_workload_add_call(struct lab_workload *workload,
                           struct lab_plan *(*prepare)(struct lab_device *device, const struct lab_argument *arguments,
                                                       size_t count))
{
    add_step(workload, (struct lab_workload_step){.prepare = prepare});
}

/* The step that was added last. */
static struct lab_workload_step *last_step(struct lab_workload *workload)
{
    check_room(workload->step_count == 0, 1, "arguments before its first step");
    return &workload->steps[workload->step_count - 1];
}

void lab_workload_add_arguments(struct lab_workload *workload, const struct lab_workload_argument *arguments,
                                size_t count)
{
    struct lab_workload_step *step = last_step(workload);
    for (size_t i = 0; i < count; i++) {
        check_room(step->argument_count, LAB_ARGUMENTS_MAX, "arguments");
        step->arguments[step->argument_count++] = arguments[i];
    }
}

size_t lab_workload_add_input(struct lab_workload *workload, size_t bytes, enum lab_content content)
{
    size_t buffer = lab_workload_input(workload, bytes, content);
    LAB_ARGUMENTS(workload, LAB_BUFFER(buffer));
    return buffer;
}

size_t lab_workload_add_output(struct lab_workload *workload, size_t bytes)
{
    size_t buffer = lab_workload_output(workload, bytes);
    LAB_ARGUMENTS(workload, LAB_BUFFER(buffer));
    return buffer;
}

void lab_workload_add_copy(struct lab_workload *workload, struct lab_workload_copy copy)
{
    check_room(workload->copy_count, LAB_COPIES_MAX, "copies");
    workload->copies[workload->copy_count++] = copy;
}

void lab_workload_add_figure(struct lab_workload *workload, const char *metric, double value)
{
    check_room(workload->figure_count, LAB_FIGURES_MAX, "figures");
    workload->figures[workload->figure_count++] = (struct lab_figure){metric, value};
}

void lab_workload_add_counted(struct lab_workload *workload, const char *metric, double factor,
                              struct lab_counter_sum above, struct lab_counter_sum below)
{
    check_room(workload->counted_count, LAB_COUNTED_MAX, "figures of hardware counters");
    workload->counted[workload->counted_count++] = (struct lab_counted_figure){metric, factor, above, below};
}

void lab_workload_add_traffic(struct lab_workload *workload, double read, double written)
{
    struct lab_counter_sum moved = read > 0 && written > 0
                                       ? LAB_SUM_OF(LAB_HARDWARE_DRAM_READ_BYTES, LAB_HARDWARE_DRAM_WRITTEN_BYTES)
                                   : read > 0 ? LAB_SUM_OF(LAB_HARDWARE_DRAM_READ_BYTES)
                                              : LAB_SUM_OF(LAB_HARDWARE_DRAM_WRITTEN_BYTES);
    lab_workload_add_counted(workload, "counted_traffic", 1 / (read + written), moved, LAB_SUM_OF_NONE);
}

void lab_workload_add_intensity(struct lab_workload *workload)
{
    double operations = workload->counts[LAB_COUNT_OPERATIONS], bytes = workload->counts[LAB_COUNT_BYTES];
    if (!(operations > 0))
        return;
    if (bytes > 0)
        lab_workload_add_figure(workload, "intensity", operations / bytes);
    lab_workload_add_counted(workload, "counted_intensity", operations, LAB_SUM_OF_NONE,
                             LAB_SUM_OF(LAB_HARDWARE_DRAM_READ_BYTES, LAB_HARDWARE_DRAM_WRITTEN_BYTES));
}

bool lab_workload_report_figures(const struct lab_workload *workload, const struct lab_report *report)
{
    const struct lab_report computed = {.run = report->run, .point = report->point};
    for (size_t i = 0; i < workload->figure_count; i++)
        if (!lab_report_value(&computed, workload->figures[i].metric, workload->figures[i].value))
            return false;
    for (size_t i = 0; i < workload->counted_count; i++)
        if (!lab_report_counted(report, &workload->counted[i]))
            return false;
    return true;
}

void lab_workload_launch(struct lab_workload *workload, uint64_t blocks, uint32_t threads)
{
    last_step(workload)->launch = (struct lab_launch){.grid = {(uint32_t)blocks}, .block = {threads}};
}

void lab_workload_launch_items(struct lab_workload *workload, uint64_t items, uint32_t threads)
{
    lab_workload_launch(workload, (items + threads - 1) / threads, threads);
    last_step(workload)->items = items;
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

size_t lab_buffer_bytes(const struct lab_buffer *buffer)
{
    size_t bytes = buffer->bytes;
    if (buffer->width > 0 && __builtin_mul_overflow(buffer->bytes / buffer->width, buffer->pitch, &bytes))
        bytes = SIZE_MAX;
    return bytes < SIZE_MAX / 16 ? bytes : SIZE_MAX / 16;
}

/* Bytes of the arrays into which buffers are copied for textures and surfaces. */
static size_t array_bytes(const struct lab_workload *workload)
{
    size_t bytes = 0;
    for (size_t i = 0; i < workload->step_count; i++)
        for (size_t k = 0; k < workload->steps[i].argument_count; k++) {
            const struct lab_workload_argument *argument = &workload->steps[i].arguments[k];
            if (argument->kind == LAB_ARGUMENT_TEXTURE && argument->texture.memory != LAB_TEXTURE_LINEAR)
                bytes += workload->buffers[argument->buffer].bytes;
        }
    return bytes;
}

size_t lab_workload_bytes(const struct lab_workload *workload, bool device)
{
    size_t bytes = device ? array_bytes(workload) : 0;
    for (size_t i = 0; i < workload->buffer_count; i++)
        if (workload->buffers[i].memory == LAB_MEMORY_MANAGED ||
            (workload->buffers[i].memory == LAB_MEMORY_DEVICE) == device)
            bytes += lab_buffer_bytes(&workload->buffers[i]);
    return bytes;
}

bool lab_workload_too_long(const struct lab_workload *workload, double left_s)
{
    enum { REPETITIONS = 4 };
    return REPETITIONS * workload->seconds > left_s;
}
