/* The counters of a device's hardware (counters/profiler.h), as a table of the runtime. */
#include "counters/profiler.h"
#include "device.h"
#include "entries.h"

static bool prepare(struct cuda_device *device)
{
    if (!lab_cuda_make_current(&device->base))
        return false;
    if (device->profiler == NULL)
        device->profiler =
            lab_cuda_profiler_create(lab_cuda_current_context(), (size_t)device->ordinal, NULL, &device->base.error);
    return device->profiler != NULL;
}

static bool cuda_counters_prepare(struct lab_device *base, size_t *passes)
{
    struct cuda_device *device = cuda_device_of(base);
    if (!prepare(device))
        return false;
    *passes = lab_cuda_profiler_passes(device->profiler);
    return true;
}

static bool cuda_counters_count(struct lab_device *base, const struct lab_counted_work *work,
                                struct lab_hardware_counts *counts)
{
    struct cuda_device *device = cuda_device_of(base);
    return prepare(device) && lab_cuda_profiler_count(device->profiler, work, counts, &base->error);
}

void lab_cuda_counters_release(struct cuda_device *device)
{
    lab_cuda_profiler_free(device->profiler);
    device->profiler = NULL;
}

const struct lab_runtime_counters lab_cuda_counters = {.prepare = cuda_counters_prepare, .count = cuda_counters_count};
