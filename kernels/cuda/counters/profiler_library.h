/* The functions of CUPTI's Range Profiler. The library is loaded at its first use, as for tracing; it loads nvperf by
 * itself. */
#ifndef LAB_CUDA_PROFILER_LIBRARY_H
#define LAB_CUDA_PROFILER_LIBRARY_H

#include <cuda.h>
#include <cupti_result.h>
/* After these two, which they need. */
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <stdbool.h>
#include <stddef.h>

struct cuda_profiler_library {
    __typeof__(&cuptiGetResultString) result_string;
    __typeof__(&cuptiProfilerInitialize) initialize;
    __typeof__(&cuptiProfilerDeInitialize) deinitialize;
    __typeof__(&cuptiDeviceGetChipName) chip_name;
    __typeof__(&cuptiProfilerGetCounterAvailability) availability;
    __typeof__(&cuptiProfilerHostInitialize) host_initialize;
    __typeof__(&cuptiProfilerHostDeinitialize) host_deinitialize;
    __typeof__(&cuptiProfilerHostGetBaseMetrics) base_metrics;
    __typeof__(&cuptiProfilerHostConfigAddMetrics) add_metrics;
    __typeof__(&cuptiProfilerHostGetConfigImageSize) config_size;
    __typeof__(&cuptiProfilerHostGetConfigImage) config;
    __typeof__(&cuptiProfilerHostGetNumOfPasses) passes;
    __typeof__(&cuptiProfilerHostEvaluateToGpuValues) evaluate;
    __typeof__(&cuptiRangeProfilerEnable) enable;
    __typeof__(&cuptiRangeProfilerDisable) disable;
    __typeof__(&cuptiRangeProfilerGetCounterDataSize) data_size;
    __typeof__(&cuptiRangeProfilerCounterDataImageInitialize) data_initialize;
    __typeof__(&cuptiRangeProfilerSetConfig) set_config;
    __typeof__(&cuptiRangeProfilerStart) start;
    __typeof__(&cuptiRangeProfilerStop) stop;
    __typeof__(&cuptiRangeProfilerPushRange) push;
    __typeof__(&cuptiRangeProfilerPopRange) pop;
    __typeof__(&cuptiRangeProfilerDecodeData) decode;
    __typeof__(&cuptiRangeProfilerCounterDataGetRangeInfo) range_info;
};

/* Loads `path`, or CUPTI from where the toolkit has it if that is NULL, and fills in *library. Returns false if no
 * library that has all functions is found; the loader's error is then written to `why`. */
bool lab_cuda_profiler_library_open(struct cuda_profiler_library *library, const char *path, char *why,
                                    size_t why_size);

#endif
