/* Enqueues the copies of a workload and checks the copied data. */
#include "benchmark/copies.h"

#include <inttypes.h>
#include <stdio.h>

size_t lab_copies_measured(const struct lab_workload *workload)
{
    return workload->copy_count - workload->background;
}

/* --- preparing ---------------------------------------------------------------------------------------------------- */

static enum lab_direction direction_of(const struct lab_workload *workload, const struct lab_workload_copy *copy)
{
    if (workload->buffers[copy->source].memory != LAB_MEMORY_DEVICE)
        return LAB_H2D;
    return workload->buffers[copy->destination].memory != LAB_MEMORY_DEVICE ? LAB_D2H : LAB_D2D;
}

static bool begin(struct lab_copies *c, size_t index)
{
    const struct lab_workload *workload = c->buffers->workload;
    const struct lab_workload_copy *wanted = &workload->copies[index];
    const struct lab_runtime *runtime = c->device->runtime;
    struct lab_copy *copy = &c->items[index];
    size_t bytes = workload->buffers[wanted->source].bytes;
    size_t piece_bytes = wanted->piece_bytes > 0 && !wanted->by_kernel ? wanted->piece_bytes : bytes;
    *copy = (struct lab_copy){.direction = direction_of(workload, wanted),
                              .source = lab_buffers_region(c->buffers, wanted->source),
                              .destination = lab_buffers_region(c->buffers, wanted->destination),
                              .layers = wanted->layers,
                              .calls = (bytes + piece_bytes - 1) / piece_bytes,
                              .piece_bytes = piece_bytes};
    const struct lab_operation operation = {
        .kind = LAB_OPERATION_COPY, .destination = copy->destination, .source = copy->source};
    if (wanted->by_kernel)
        return (copy->plan = runtime->prepare(c->device, &operation)) != NULL;
    if ((copy->layers > 0 || (copy->source.height > 1 && copy->calls == 1)) && runtime->copy2d == NULL)
        return lab_error_set(&c->device->error, LAB_ERROR_UNSUPPORTED, "",
                             "the device does not support two-dimensional copies");
    return true;
}

bool lab_copies_begin(struct lab_copies *c, const struct lab_buffers *buffers)
{
    c->buffers = buffers;
    for (size_t i = 0; i < buffers->workload->copy_count; i++)
        if (!begin(c, i))
            return false;
    return true;
}

void lab_copies_end(struct lab_copies *c)
{
    for (size_t i = 0; i < LAB_COPIES_MAX; i++) {
        c->device->runtime->plan_free(c->device, c->items[i].plan);
        c->items[i].plan = NULL;
    }
}

/* --- enqueueing --------------------------------------------------------------------------------------------------- */

/* Enqueues call `call` of a copy. */
static bool enqueue(struct lab_copies *c, size_t index, size_t call)
{
    const struct lab_runtime *runtime = c->device->runtime;
    const struct lab_copy *copy = &c->items[index];
    char *to = copy->destination.address;
    const char *from = copy->source.address;
    bool rows = copy->source.height > 1;
    if (copy->plan != NULL)
        return runtime->enqueue(c->device, copy->plan, c->streams[index]);
    if (copy->layers > 0)
        return runtime->copy2d->copy3d(c->device, c->streams[index], copy->destination, copy->source, copy->layers,
                                       copy->direction);
    if (rows && copy->calls == 1)
        return runtime->copy2d->copy(c->device, c->streams[index], copy->destination, copy->source, copy->direction);
    size_t left = rows ? copy->source.width : copy->source.width - call * copy->piece_bytes;
    return runtime->copy(c->device, c->streams[index], to + call * (rows ? copy->destination.pitch : copy->piece_bytes),
                         from + call * (rows ? copy->source.pitch : copy->piece_bytes),
                         left < copy->piece_bytes ? left : copy->piece_bytes, copy->direction);
}

/* Enqueues the calls of two copies alternately. Otherwise one copy would start only after the other one had been
 * enqueued completely. */
bool lab_copies_enqueue(struct lab_copies *c)
{
    size_t measured = lab_copies_measured(c->buffers->workload);
    for (size_t call = 0; call < c->items[0].calls; call++)
        for (size_t i = 0; i < measured; i++)
            if (!enqueue(c, i, call))
                return false;
    return true;
}

bool lab_copies_enqueue_background(struct lab_copies *c)
{
    return enqueue(c, 1, 0);
}

/* --- checking and timing ------------------------------------------------------------------------------------------ */

bool lab_copies_check(const struct lab_copies *c, uint64_t *wrong)
{
    const struct lab_workload *workload = c->buffers->workload;
    *wrong = 0;
    for (size_t i = 0; i < lab_copies_measured(workload); i++) {
        size_t source = workload->copies[i].source;
        struct lab_mismatch comparison;
        if (!lab_buffers_compare(c->buffers, workload->copies[i].destination, source, workload->buffers[source].content,
                                 &comparison))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}

enum lab_timing lab_copies_timing(const struct lab_workload *workload)
{
    for (size_t i = 0; i < workload->buffer_count; i++)
        if (workload->buffers[i].memory == LAB_MEMORY_PAGEABLE)
            return LAB_TIME_HOST_CLOCK;
    return workload->copies[0].piece_bytes > 0 ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
}

struct lab_peak lab_link_peak(const struct lab_device_facts *facts, bool both, char what[64])
{
    snprintf(what, 64, "PCIe gen%" PRId64 " x%" PRId64 ", %s", facts->pcie_max_generation, facts->pcie_max_width,
             both ? "both directions" : "one direction");
    return (struct lab_peak){facts->pcie_peak_bytes_per_s / 1e9 * (both ? 2 : 1), what};
}
