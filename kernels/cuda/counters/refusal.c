/* Why CUPTI does not count, and what to do. */
#include "refusal.h"

#include "core/hardware_counters.h"

#include <stddef.h>

static const struct {
    CUptiResult result;
    const char *text;
} refusals[] = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
     "the driver lets only administrators read hardware counters; load its module nvidia with " LAB_COUNTERS_REMEDY},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     "the hypervisor does not let this virtual GPU read hardware counters; enable profiling for it there"},
    {CUPTI_ERROR_HARDWARE_BUSY,
     "another program reads the hardware counters of this device; end its profiler, such as ncu, or pause its "
     "monitoring, such as by dcgmi profile --pause"},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED,
     "hardware counters cannot be read on a MIG device; use a GPU on which MIG is off"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED,
     "hardware counters cannot be read on this virtual GPU; use a GPU that is passed through whole"},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
     "hardware counters cannot be read while confidential computing is on; switch it off for the GPU"},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
     "hardware counters cannot be read on this device under WSL; use Linux without WSL"},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "hardware counters cannot be read on this kind of GPU"},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "hardware counters cannot be read while SLI is on; switch it off"},
    {CUPTI_ERROR_NOT_SUPPORTED, "the driver offers no hardware counters of this device"},
};

bool lab_cuda_refusal(struct lab_error *error, __typeof__(&cuptiGetResultString) result_string, CUptiResult result,
                      const char *doing)
{
    const char *name = NULL;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (refusals[i].result == result)
            return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "%s (CUPTI error %d)", refusals[i].text,
                                 (int)result);
    if (result_string(result, &name) != CUPTI_SUCCESS || name == NULL)
        name = "unknown error";
    return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "CUPTI: %s (%d), while %s", name, (int)result, doing);
}
