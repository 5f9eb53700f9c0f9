/* Loads CUPTI for the Range Profiler. */
#include "profiler_library.h"

#include "core/library.h"

#define SYMBOL(member, name)                                                                                           \
    {                                                                                                                  \
        offsetof(struct cuda_profiler_library, member), name                                                           \
    }

static const struct lab_library_symbol symbols[] = {
    SYMBOL(result_string, "cuptiGetResultString"),
    SYMBOL(initialize, "cuptiProfilerInitialize"),
    SYMBOL(deinitialize, "cuptiProfilerDeInitialize"),
    SYMBOL(chip_name, "cuptiDeviceGetChipName"),
    SYMBOL(availability, "cuptiProfilerGetCounterAvailability"),
    SYMBOL(host_initialize, "cuptiProfilerHostInitialize"),
    SYMBOL(host_deinitialize, "cuptiProfilerHostDeinitialize"),
    SYMBOL(base_metrics, "cuptiProfilerHostGetBaseMetrics"),
    SYMBOL(add_metrics, "cuptiProfilerHostConfigAddMetrics"),
    SYMBOL(config_size, "cuptiProfilerHostGetConfigImageSize"),
    SYMBOL(config, "cuptiProfilerHostGetConfigImage"),
    SYMBOL(passes, "cuptiProfilerHostGetNumOfPasses"),
    SYMBOL(evaluate, "cuptiProfilerHostEvaluateToGpuValues"),
    SYMBOL(enable, "cuptiRangeProfilerEnable"),
    SYMBOL(disable, "cuptiRangeProfilerDisable"),
    SYMBOL(data_size, "cuptiRangeProfilerGetCounterDataSize"),
    SYMBOL(data_initialize, "cuptiRangeProfilerCounterDataImageInitialize"),
    SYMBOL(set_config, "cuptiRangeProfilerSetConfig"),
    SYMBOL(start, "cuptiRangeProfilerStart"),
    SYMBOL(stop, "cuptiRangeProfilerStop"),
    SYMBOL(push, "cuptiRangeProfilerPushRange"),
    SYMBOL(pop, "cuptiRangeProfilerPopRange"),
    SYMBOL(decode, "cuptiRangeProfilerDecodeData"),
    SYMBOL(range_info, "cuptiRangeProfilerCounterDataGetRangeInfo"),
};

bool lab_cuda_profiler_library_open(struct cuda_profiler_library *library, const char *path, char *why, size_t why_size)
{
    const char *const given[] = {path, NULL};
    const struct lab_library loaded = {path != NULL ? given : lab_cupti_names, symbols,
                                       sizeof symbols / sizeof *symbols};
    return lab_library_open(&loaded, library, why, why_size);
}
