#include "session.h"

#include "metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check(const struct cuda_session *s, struct lab_error *error, CUptiResult result, const char *doing)
{
    return lab_cuda_chip_check(s->chip, error, result, doing);
}

/* --- the device --------------------------------------------------------------------------------------------------- */

static bool enable(struct cuda_session *s, struct lab_error *error)
{
    CUpti_RangeProfiler_Enable_Params params = {.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                                                .ctx = s->chip->context};
    if (!check(s, error, s->chip->cupti.enable(&params), "enabling the counters"))
        return false;
    s->object = params.pRangeProfilerObject;
    return true;
}

static bool allocate_data(struct cuda_session *s, struct lab_error *error)
{
    const struct cuda_selection *selection = s->selection;
    const char *metrics[LAB_HARDWARE_COUNTER_COUNT]; /* CUPTI takes pointers to what is not const */
    memcpy(metrics, selection->metrics, sizeof metrics);
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {.structSize =
                                                              CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
                                                          .pRangeProfilerObject = s->object,
                                                          .pMetricNames = metrics,
                                                          .numMetrics = selection->count,
                                                          .maxNumOfRanges = s->ranges,
                                                          .maxNumRangeTreeNodes = (uint32_t)s->ranges};
    return check(s, error, s->chip->cupti.data_size(&size), "sizing the counters' memory") &&
           lab_cuda_image_allocate(&s->data, size.counterDataSize, error);
}

bool lab_cuda_session_open(struct cuda_session *s, const struct cuda_chip *chip, const struct cuda_selection *selection,
                           size_t ranges, struct lab_error *error)
{
    *s = (struct cuda_session){.chip = chip, .selection = selection, .ranges = ranges};
    return enable(s, error) && allocate_data(s, error);
}

bool lab_cuda_session_configure(struct cuda_session *s, struct lab_error *error)
{
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params data = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = s->object,
        .counterDataSize = s->data.size,
        .pCounterData = s->data.bytes};
    CUpti_RangeProfiler_SetConfig_Params config = {.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
                                                   .pRangeProfilerObject = s->object,
                                                   .configSize = s->selection->config.size,
                                                   .pConfig = s->selection->config.bytes,
                                                   .counterDataImageSize = s->data.size,
                                                   .pCounterDataImage = s->data.bytes,
                                                   .range = CUPTI_UserRange,
                                                   .replayMode = CUPTI_UserReplay,
                                                   .maxRangesPerPass = s->ranges,
                                                   .numNestingLevels = 1,
                                                   .minNestingLevel = 1,
                                                   .targetNestingLevel = 1};
    return check(s, error, s->chip->cupti.data_initialize(&data), "clearing the counters") &&
           check(s, error, s->chip->cupti.set_config(&config), "setting the counters");
}

void lab_cuda_session_close(struct cuda_session *s)
{
    CUpti_RangeProfiler_Disable_Params params = {.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                                 .pRangeProfilerObject = s->object};
    bool last;
    if (s->is_started)
        (void)lab_cuda_session_stop(s, &last, &(struct lab_error){0});
    if (s->object != NULL)
        (void)s->chip->cupti.disable(&params);
    s->object = NULL;
}

void lab_cuda_session_release(struct cuda_session *s)
{
    lab_cuda_session_close(s);
    free(s->data.bytes);
    *s = (struct cuda_session){0};
}

/* --- passes and ranges -------------------------------------------------------------------------------------------- */

bool lab_cuda_session_start(struct cuda_session *s, struct lab_error *error)
{
    CUpti_RangeProfiler_Start_Params start = {.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = s->object};
    s->is_started = check(s, error, s->chip->cupti.start(&start), "starting a pass");
    return s->is_started;
}

bool lab_cuda_session_stop(struct cuda_session *s, bool *last, struct lab_error *error)
{
    CUpti_RangeProfiler_Stop_Params stop = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = s->object};
    CUptiResult stopped = s->chip->cupti.stop(&stop);
    s->is_started = false;
    *last = stop.isAllPassSubmitted != 0;
    return check(s, error, stopped, "stopping a pass");
}

bool lab_cuda_session_push(const struct cuda_session *s, size_t range, struct lab_error *error)
{
    char name[24];
    snprintf(name, sizeof name, "%zu", range);
    CUpti_RangeProfiler_PushRange_Params push = {.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
                                                 .pRangeProfilerObject = s->object,
                                                 .pRangeName = name};
    return check(s, error, s->chip->cupti.push(&push), "beginning to count");
}

bool lab_cuda_session_pop(const struct cuda_session *s, struct lab_error *error)
{
    CUpti_RangeProfiler_PopRange_Params pop = {.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
                                               .pRangeProfilerObject = s->object};
    return check(s, error, s->chip->cupti.pop(&pop), "ending to count");
}

/* --- what was counted --------------------------------------------------------------------------------------------- */

bool lab_cuda_session_decode(const struct cuda_session *s, struct lab_error *error)
{
    CUpti_RangeProfiler_DecodeData_Params params = {.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
                                                    .pRangeProfilerObject = s->object};
    if (!check(s, error, s->chip->cupti.decode(&params), "reading the counters"))
        return false;
    return params.numOfRangeDropped == 0 ||
           lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "CUPTI lost what it had counted");
}

bool lab_cuda_session_range(const struct cuda_session *s, size_t place, size_t *range, struct lab_error *error)
{
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params params = {
        .structSize = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = s->data.bytes,
        .counterDataImageSize = s->data.size,
        .rangeIndex = place,
        .rangeDelimiter = "/"};
    if (!check(s, error, s->chip->cupti.range_info(&params), "listing what was counted"))
        return false;
    const char *name = params.rangeName != NULL ? params.rangeName : "", *last = strrchr(name, '/');
    char *end;
    *range = strtoul(last != NULL ? last + 1 : name, &end, 10); /* the name of the range, below that of its parents */
    return (end != name && *end == '\0') ||
           lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "CUPTI has counted a range '%.40s' that is none of gpulab",
                         name);
}

bool lab_cuda_session_values(const struct cuda_session *s, size_t place, double values[LAB_HARDWARE_COUNTER_COUNT],
                             struct lab_error *error)
{
    const struct cuda_selection *selection = s->selection;
    const char *metrics[LAB_HARDWARE_COUNTER_COUNT];
    memcpy(metrics, selection->metrics, sizeof metrics);
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params = {
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
        .pHostObject = selection->host,
        .pCounterDataImage = s->data.bytes,
        .counterDataImageSize = s->data.size,
        .rangeIndex = place,
        .ppMetricNames = metrics,
        .numMetrics = selection->count,
        .pMetricValues = values};
    if (!check(s, error, s->chip->cupti.evaluate(&params), "evaluating the counters"))
        return false;
    for (size_t i = 0; i < selection->count; i++)
        values[i] *= lab_cuda_counter_metrics[selection->counters[i]].factor;
    return true;
}
