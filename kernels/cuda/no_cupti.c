/* Replaces trace.c in a build without CUPTI's headers. */
#include "entries.h"

void lab_cuda_trace_cancel(struct cuda_device *device)
{
    (void)device;
}

static bool cuda_no_cupti_begin(const struct lab_lane *lanes, size_t count)
{
    (void)count;
    return lab_error_set(&lanes[0].device->error, LAB_ERROR_UNSUPPORTED, "",
                         "this program was built without CUPTI, which tracing needs");
}

static bool cuda_no_cupti_end(struct lab_device *device,
                              void (*visit)(void *context, const struct lab_trace_record *record), void *context)
{
    (void)visit;
    (void)context;
    return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "no trace is being recorded on this device");
}

const struct lab_runtime_trace lab_cuda_trace = {.begin = cuda_no_cupti_begin, .end = cuda_no_cupti_end};
