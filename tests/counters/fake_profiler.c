/* In place of CUPTI's Range Profiler: a chip that counts, for each metric, ten times its place in the list of those
 * that were chosen, plus the number of the range, and that takes a pass for each metric. Ends the process when it is
 * used in a wrong order.
 */
#include "fake_profiler.h"

#include <cuda.h>
#include <cupti_result.h>
/* After these two, which they need. */
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_BYTES = 24, METRICS_MAX = 200 };

static struct fake_profiler state;
static size_t calls_of_failing;
static size_t chosen;         /* metrics, which the first byte of a configuration keeps */
static size_t needed, ranges; /* passes of the configuration that was set; ranges of the last pass */
static size_t ranges_max;
static char names[1000][24];
static bool is_started, is_decoded;
static int host, object;

struct fake_profiler *fake_profiler_state(void)
{
    return &state;
}

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fake_profiler: %s\n", what);
    abort();
}

/* The result of a function. */
static CUptiResult result_of(const char *function, size_t size, size_t expected)
{
    require(size == expected, function);
    if (state.fails == NULL || strcmp(state.fails, function) != 0)
        return CUPTI_SUCCESS;
    return state.fails_at == 0 || ++calls_of_failing == state.fails_at ? (CUptiResult)state.result : CUPTI_SUCCESS;
}

#define RESULT(params, TYPE) result_of(__func__, (params)->structSize, TYPE##_Params_STRUCT_SIZE)

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = "CUPTI_ERROR_UNKNOWN";
    return result == CUPTI_ERROR_UNKNOWN ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
    CUptiResult result = RESULT(p, CUpti_Profiler_Initialize);
    state.initialized += result == CUPTI_SUCCESS;
    return result;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *p)
{
    require(state.initialized-- == 1, "deinitialised while it is not initialised once");
    return RESULT(p, CUpti_Profiler_DeInitialize);
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
    p->pChipName = p->deviceIndex == 1 ? "CHIP" : NULL;
    return RESULT(p, CUpti_Device_GetChipName);
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
    require(state.initialized == 1 && p->ctx != NULL, "asked for the availability of no context");
    if (p->pCounterAvailabilityImage == NULL)
        p->counterAvailabilityImageSize = IMAGE_BYTES;
    else
        memset(p->pCounterAvailabilityImage, 1, p->counterAvailabilityImageSize);
    return RESULT(p, CUpti_Profiler_GetCounterAvailability);
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
    require(p->pChipName != NULL && p->pCounterAvailabilityImage[IMAGE_BYTES - 1] == 1, "no chip, or no availability");
    CUptiResult result = RESULT(p, CUpti_Profiler_Host_Initialize);
    state.hosts += result == CUPTI_SUCCESS;
    p->pHostObject = (CUpti_Profiler_Host_Object *)&host;
    return result;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
    require(state.hosts-- > 0 && state.enabled == 0, "the host object is freed while it is used, or twice");
    return RESULT(p, CUpti_Profiler_Host_Deinitialize);
}

CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params *p)
{
    static const char *none[] = {"sm__other"},
                      *usual[] = {"dram__bytes_read", "sm__warps_active", "dram__bytes_read_x"},
                      *other[] = {"dram__bytes_op_read", "sm__warps_active", "dram__bytes"},
                      *ratios[] = {"l1tex__t_sector_hit_rate"};
    bool counters = p->metricType == CUPTI_METRIC_TYPE_COUNTER, listed = counters && !state.lists_nothing;
    p->ppMetricNames = listed ? (state.lists_other_names ? other : usual)
                       : p->metricType == CUPTI_METRIC_TYPE_RATIO && !state.lists_nothing ? ratios
                                                                                          : none;
    p->numMetrics = listed ? 3 : 1;
    return RESULT(p, CUpti_Profiler_Host_GetBaseMetrics);
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    chosen = p->numMetrics;
    return RESULT(p, CUpti_Profiler_Host_ConfigAddMetrics);
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    p->configImageSize = IMAGE_BYTES;
    return RESULT(p, CUpti_Profiler_Host_GetConfigImageSize);
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
    memset(p->pConfigImage, 2, p->configImageSize);
    p->pConfigImage[0] = (uint8_t)chosen;
    return RESULT(p, CUpti_Profiler_Host_GetConfigImage);
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
    require(p->pConfigImage[p->configImageSize - 1] == 2, "counts the passes of no configuration");
    p->numOfPasses = p->pConfigImage[0];
    return RESULT(p, CUpti_Profiler_Host_GetNumOfPasses);
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
    require(state.enabled == 0 && p->ctx != NULL, "enabled twice, or without a context");
    CUptiResult result = RESULT(p, CUpti_RangeProfiler_Enable);
    state.enabled += result == CUPTI_SUCCESS;
    p->pRangeProfilerObject = result == CUPTI_SUCCESS ? (CUpti_RangeProfiler_Object *)&object : NULL;
    return result;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
    require(state.enabled-- == 1 && !is_started, "disabled while it is started or not enabled");
    return RESULT(p, CUpti_RangeProfiler_Disable);
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    require(p->numMetrics == chosen && p->maxNumOfRanges > 0 && p->maxNumRangeTreeNodes == p->maxNumOfRanges,
            "no range, or other metrics");
    ranges_max = p->maxNumOfRanges;
    p->counterDataSize = IMAGE_BYTES;
    return RESULT(p, CUpti_RangeProfiler_GetCounterDataSize);
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
    memset(p->pCounterData, 3, p->counterDataSize);
    return RESULT(p, CUpti_RangeProfiler_CounterDataImage_Initialize);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
    require(p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay && p->maxRangesPerPass == ranges_max &&
                p->numNestingLevels == 1 && p->minNestingLevel == 1 && p->targetNestingLevel == 1 &&
                p->pConfig[p->configSize - 1] == 2 && p->pCounterDataImage[p->counterDataImageSize - 1] == 3,
            "not ranges of the user, repeated by the user");
    needed = p->pConfig[0];
    state.passes = 0;
    is_decoded = false;
    return RESULT(p, CUpti_RangeProfiler_SetConfig);
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
    require(state.enabled == 1 && !is_started, "started twice, or while it is not enabled");
    CUptiResult result = RESULT(p, CUpti_RangeProfiler_Start);
    is_started = result == CUPTI_SUCCESS;
    ranges = 0;
    return result;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
    require(is_started && !state.is_in_range, "stopped in a range, or while it is not started");
    is_started = false;
    p->isAllPassSubmitted = ++state.passes == needed && !state.goes_on;
    return RESULT(p, CUpti_RangeProfiler_Stop);
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p)
{
    require(is_started && !state.is_in_range && ranges < ranges_max, "a range in a range, or too many");
    for (size_t i = 0; i < ranges; i++)
        require(strcmp(names[i], p->pRangeName) != 0, "two ranges of one name, which are counted together");
    snprintf(names[ranges++], sizeof names[0], "%s", p->pRangeName);
    CUptiResult result = RESULT(p, CUpti_RangeProfiler_PushRange);
    state.is_in_range = result == CUPTI_SUCCESS;
    return result;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
    require(state.is_in_range, "no range ends");
    state.is_in_range = false;
    return RESULT(p, CUpti_RangeProfiler_PopRange);
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
    require(!is_started && state.passes == needed, "decoded before all passes");
    is_decoded = true;
    p->numOfRangeDropped = state.drops;
    return RESULT(p, CUpti_RangeProfiler_DecodeData);
}

/* The last range is kept first. */
CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *p)
{
    require(is_decoded && p->rangeIndex < ranges && strcmp(p->rangeDelimiter, "/") == 0, "asks for a range too early");
    p->rangeName = names[ranges - 1 - p->rangeIndex];
    return RESULT(p, CUpti_RangeProfiler_CounterData_GetRangeInfo);
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    require(is_decoded && p->numMetrics == needed && p->rangeIndex < ranges, "evaluates other metrics, or too early");
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = 10 * (double)(i + 1) + (double)(ranges - 1 - p->rangeIndex);
    return RESULT(p, CUpti_Profiler_Host_EvaluateToGpuValues);
}
