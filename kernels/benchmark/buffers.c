/* Allocates, fills, poisons and checks the buffers of a workload. */
#include "benchmark/buffers.h"

#include "benchmark/check.h"
#include "measure/verify.h"

#include <string.h>

static void release(struct lab_buffers *b, struct lab_allocation *item)
{
    if (item->bytes > 0 && item->global == NULL)
        b->device->runtime->free(b->device, item->memory, item->address);
    *item = (struct lab_allocation){0};
}

void lab_buffers_release(struct lab_buffers *b)
{
    for (size_t i = 0; i < LAB_BUFFERS_MAX; i++)
        release(b, &b->items[i]);
}

/* Gives each buffer of the workload an allocation of an earlier one that is large enough, and releases the others, so
 * that memory that the workload does not use is free. */
static void reuse(struct lab_buffers *b)
{
    struct lab_allocation old[LAB_BUFFERS_MAX];
    memcpy(old, b->items, sizeof old);
    memset(b->items, 0, sizeof b->items);
    for (size_t i = 0; i < b->workload->buffer_count; i++) {
        const struct lab_buffer *wanted = &b->workload->buffers[i];
        for (size_t k = 0; k < LAB_BUFFERS_MAX && b->items[i].bytes == 0; k++)
            if (old[k].memory == wanted->memory && old[k].global == wanted->global &&
                old[k].bytes >= lab_buffer_bytes(wanted)) {
                b->items[i] = old[k];
                old[k] = (struct lab_allocation){0};
            }
    }
    for (size_t i = 0; i < LAB_BUFFERS_MAX; i++)
        release(b, &old[i]);
}

/* Sets *address to that of an own variable, or else of one of the module. */
static bool find_global(struct lab_buffers *b, const char *name, size_t needed, void **address)
{
    const struct lab_runtime_module *table = b->device->runtime->module;
    size_t bytes;
    if (table == NULL || table->global == NULL || b->module == NULL)
        return lab_error_set(&b->device->error, LAB_ERROR_UNSUPPORTED, "",
                             "this device does not support __device__ and __constant__ variables, such as %s", name);
    if (!lab_own_module_global(b->own, name, address, &bytes) ||
        (*address == NULL && !table->global(b->device, b->module, name, address, &bytes)))
        return false;
    return bytes >= needed || lab_error_set(&b->device->error, LAB_ERROR_INVALID_ARGUMENT, "",
                                            "%s has %zu bytes; the workload needs %zu", name, bytes, needed);
}

static bool allocate(struct lab_buffers *b, size_t index)
{
    const struct lab_buffer *wanted = &b->workload->buffers[index];
    struct lab_allocation *item = &b->items[index];
    size_t bytes = lab_buffer_bytes(wanted);
    if (item->bytes > 0)
        return true;
    if (wanted->global != NULL ? !find_global(b, wanted->global, bytes, &item->address)
                               : !b->device->runtime->allocate(b->device, wanted->memory, bytes, &item->address))
        return false;
    item->memory = wanted->memory;
    item->global = wanted->global;
    item->bytes = bytes;
    return true;
}

struct lab_expectation lab_buffers_content(const struct lab_buffers *b, size_t index)
{
    const struct lab_buffer *buffer = &b->workload->buffers[index];
    return (struct lab_expectation){.content = buffer->content, .seed = b->seed + index, .first = buffer->first};
}

static struct lab_region region_of(const struct lab_buffer *buffer, void *address)
{
    if (buffer->width == 0)
        return lab_region_of(address, buffer->bytes);
    return (struct lab_region){address, buffer->width, buffer->bytes / buffer->width, buffer->pitch};
}

/* Whether the memory begins with the content of the input. */
static bool holds(const struct lab_allocation *item, const struct lab_buffer *wanted, uint64_t seed)
{
    const struct lab_buffer *filled = &item->filled;
    return filled->bytes >= wanted->bytes && filled->width == wanted->width && filled->pitch == wanted->pitch &&
           filled->content == wanted->content && filled->first == wanted->first && filled->fill == wanted->fill &&
           memcmp(filled->fill_parameters, wanted->fill_parameters, sizeof filled->fill_parameters) == 0 &&
           item->seed == seed;
}

/* Fills memory with the input by its kernel. */
static bool fill_by_kernel(const struct lab_buffers *b, size_t index, void *address)
{
    const struct lab_runtime *runtime = b->device->runtime;
    const struct lab_buffer *wanted = &b->workload->buffers[index];
    const struct lab_launch launch = {.grid = {LAB_CHECK_BLOCKS}, .block = {LAB_CHECK_THREADS}};
    const struct lab_argument arguments[] = {
        lab_argument_pointer(address),
        lab_argument_u64(wanted->bytes / sizeof(uint32_t)),
        lab_argument_u64(b->seed + index),
        lab_argument_u64(wanted->fill_parameters[0]),
        lab_argument_u64(wanted->fill_parameters[1]),
        lab_argument_u64(wanted->fill_parameters[2]),
    };
    struct lab_kernel *kernel = runtime->module->kernel(b->device, b->module, wanted->fill);
    struct lab_plan *plan = kernel != NULL ? runtime->module->prepare(b->device, kernel, &launch, arguments,
                                                                      sizeof arguments / sizeof *arguments)
                                           : NULL;
    bool good = plan != NULL && runtime->enqueue(b->device, plan, b->stream) &&
                runtime->stream_synchronize(b->device, b->stream);
    runtime->plan_free(b->device, plan);
    return good;
}

static bool fill_memory(const struct lab_buffers *b, size_t index, void *address, struct lab_expectation content)
{
    const struct lab_buffer *wanted = &b->workload->buffers[index];
    return wanted->fill != NULL
               ? fill_by_kernel(b, index, address)
               : lab_verify_fill(b->device, b->stream, wanted->memory, region_of(wanted, address), content);
}

/* Kernels must not write to constant memory, so variables are filled by a copy. */
static bool fill_global(const struct lab_buffers *b, size_t index, struct lab_expectation expected)
{
    const struct lab_runtime *runtime = b->device->runtime;
    const struct lab_buffer *wanted = &b->workload->buffers[index];
    size_t bytes = lab_buffer_bytes(wanted);
    void *content;
    if (!runtime->allocate(b->device, LAB_MEMORY_DEVICE, bytes, &content))
        return false;
    bool good = fill_memory(b, index, content, expected) &&
                runtime->copy(b->device, b->stream, b->items[index].address, content, bytes, LAB_D2D) &&
                runtime->stream_synchronize(b->device, b->stream);
    runtime->free(b->device, LAB_MEMORY_DEVICE, content);
    return good;
}

static bool write_content(const struct lab_buffers *b, size_t index, struct lab_expectation content)
{
    return b->workload->buffers[index].global != NULL ? fill_global(b, index, content)
                                                      : fill_memory(b, index, b->items[index].address, content);
}

static bool fill(struct lab_buffers *b, size_t index)
{
    const struct lab_buffer *wanted = &b->workload->buffers[index];
    struct lab_allocation *item = &b->items[index];
    struct lab_expectation content = lab_buffers_content(b, index);
    if (!wanted->output && holds(item, wanted, content.seed))
        return true;
    item->filled.bytes = 0;
    if (wanted->output)
        return true;
    if (!write_content(b, index, content))
        return false;
    item->filled = *wanted;
    item->seed = content.seed;
    return true;
}

bool lab_buffers_prepare(struct lab_buffers *b, const struct lab_workload *workload)
{
    b->workload = workload;
    reuse(b);
    for (size_t i = 0; i < workload->buffer_count; i++)
        if (!allocate(b, i) || !fill(b, i))
            return false;
    return true;
}

struct lab_region lab_buffers_region(const struct lab_buffers *b, size_t index)
{
    return region_of(&b->workload->buffers[index], b->items[index].address);
}

bool lab_buffers_poison(const struct lab_buffers *b)
{
    for (size_t i = 0; i < b->workload->buffer_count; i++) {
        const struct lab_buffer *buffer = &b->workload->buffers[i];
        const struct lab_expectation other = {.content = buffer->content, .seed = ~b->seed};
        if (buffer->output && !write_content(b, i, other))
            return false;
    }
    return true;
}

bool lab_buffers_compare(const struct lab_buffers *b, size_t output, size_t input, enum lab_content content,
                         struct lab_mismatch *comparison)
{
    struct lab_expectation expected = lab_buffers_content(b, input);
    expected.content = content;
    return lab_verify_check(b->device, b->stream, b->workload->buffers[output].memory, lab_buffers_region(b, output),
                            expected, comparison);
}
