/* Replaces counters.c in a build without CUPTI's Range Profiler. */
#include "entries.h"

static bool refuse(struct lab_device *device)
{
    return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                         "this program was built without CUPTI's Range Profiler, which CUDA 12.6 and later have");
}

static bool cuda_no_counters_prepare(struct lab_device *device, size_t *passes)
{
    (void)passes;
    return refuse(device);
}

static bool cuda_no_counters_count(struct lab_device *device, const struct lab_counted_work *work,
                                   struct lab_hardware_counts *counts)
{
    (void)work;
    (void)counts;
    return refuse(device);
}

void lab_cuda_counters_release(struct cuda_device *device)
{
    (void)device;
}

const struct lab_runtime_counters lab_cuda_counters = {.prepare = cuda_no_counters_prepare,
                                                       .count = cuda_no_counters_count};
