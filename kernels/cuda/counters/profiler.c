/* The Range Profiler of CUPTI, with one range defined by the user, whose passes are the user's repetitions.
 *
 * What a context needs is prepared once: which counters the driver offers to this process (the availability image), the
 * metrics that the chip has, and the configuration for all of them. Only while the work is counted is the profiler
 * enabled, because it then keeps other profilers off the device.
 */
#include "profiler.h"

#include "metrics.h"
#include "profiler_library.h"
#include "refusal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of bytes that CUPTI fills. */
struct image {
    uint8_t *bytes;
    size_t size;
};

struct cuda_profiler {
    struct cuda_profiler_library cupti;
    CUcontext context;
    bool initialized; /* counted in `initialized_profilers` */
    struct image availability, config;
    CUpti_Profiler_Host_Object *host;
    size_t count; /* of metrics that the chip has */
    const char *metrics[LAB_HARDWARE_COUNTER_COUNT];
    enum lab_hardware_counter counters[LAB_HARDWARE_COUNTER_COUNT]; /* which counter each metric is */
    size_t passes;
};

/* CUPTI's profiler is initialised for the whole process. */
static size_t initialized_profilers;

/* Returns true for CUPTI_SUCCESS, else sets *error. */
static bool check(const struct cuda_profiler *p, struct lab_error *error, CUptiResult result, const char *doing)
{
    return result == CUPTI_SUCCESS || lab_cuda_refusal(error, p->cupti.result_string, result, doing);
}

static bool allocate(struct image *image, size_t size, struct lab_error *error)
{
    *image = (struct image){.bytes = calloc(1, size > 0 ? size : 1), .size = size};
    return image->bytes != NULL ||
           lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for %zu bytes of hardware counters", size);
}

/* --- what is prepared once ---------------------------------------------------------------------------------------- */

static bool initialize(struct cuda_profiler *p, struct lab_error *error)
{
    CUpti_Profiler_Initialize_Params params = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    if (initialized_profilers == 0 && !check(p, error, p->cupti.initialize(&params), "initialising CUPTI's profiler"))
        return false;
    initialized_profilers++;
    p->initialized = true;
    return true;
}

static void deinitialize(struct cuda_profiler *p)
{
    CUpti_Profiler_DeInitialize_Params params = {.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
    if (p->initialized && --initialized_profilers == 0)
        (void)p->cupti.deinitialize(&params);
    p->initialized = false;
}

static bool read_availability(struct cuda_profiler *p, struct lab_error *error)
{
    static const char doing[] = "asking which counters are available";
    CUpti_Profiler_GetCounterAvailability_Params params = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE, .ctx = p->context};
    if (!check(p, error, p->cupti.availability(&params), doing) ||
        !allocate(&p->availability, params.counterAvailabilityImageSize, error))
        return false;
    params.pCounterAvailabilityImage = p->availability.bytes;
    return check(p, error, p->cupti.availability(&params), doing);
}

static bool open_host(struct cuda_profiler *p, size_t ordinal, struct lab_error *error)
{
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = ordinal};
    if (!check(p, error, p->cupti.chip_name(&chip), "asking for the name of the chip"))
        return false;
    CUpti_Profiler_Host_Initialize_Params params = {.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
                                                    .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
                                                    .pChipName = chip.pChipName,
                                                    .pCounterAvailabilityImage = p->availability.bytes};
    if (!check(p, error, p->cupti.host_initialize(&params), "preparing the counters of the chip"))
        return false;
    p->host = params.pHostObject;
    return true;
}

/* Whether `metric` is `base` with a rollup: "dram__bytes_read.sum" of "dram__bytes_read". */
static bool is_of_base(const char *metric, const char *base)
{
    size_t length = strcspn(metric, ".");
    return strncmp(metric, base, length) == 0 && base[length] == '\0';
}

/* Notes which of the names of a counter are among those that the chip lists. */
static void find_names(const struct cuda_counter_metric *metric, const CUpti_Profiler_Host_GetBaseMetrics_Params *list,
                       bool found[CUDA_METRIC_NAMES])
{
    for (size_t n = 0; n < CUDA_METRIC_NAMES && metric->names[n] != NULL; n++)
        for (size_t i = 0; i < list->numMetrics && !found[n]; i++)
            found[n] = is_of_base(metric->names[n], list->ppMetricNames[i]);
}

/* Sets the metrics to the first name of each counter that the chip lists. */
static bool choose_metrics(struct cuda_profiler *p, struct lab_error *error)
{
    bool found[LAB_HARDWARE_COUNTER_COUNT][CUDA_METRIC_NAMES] = {{0}};
    for (int type = 0; type < CUPTI_METRIC_TYPE__COUNT; type++) {
        CUpti_Profiler_Host_GetBaseMetrics_Params list = {.structSize =
                                                              CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE,
                                                          .pHostObject = p->host,
                                                          .metricType = (CUpti_MetricType)type};
        if (!check(p, error, p->cupti.base_metrics(&list), "listing the counters of the chip"))
            return false;
        for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
            find_names(&lab_cuda_counter_metrics[i], &list, found[i]);
    }
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++) {
        size_t n = found[i][0] ? 0 : 1;
        if (!found[i][n])
            continue;
        p->counters[p->count] = (enum lab_hardware_counter)i;
        p->metrics[p->count++] = lab_cuda_counter_metrics[i].names[n];
    }
    return p->count > 0 ||
           lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "CUPTI lists no counter of this chip that gpulab knows");
}

static bool make_config(struct cuda_profiler *p, struct lab_error *error)
{
    CUpti_Profiler_Host_ConfigAddMetrics_Params add = {.structSize =
                                                           CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
                                                       .pHostObject = p->host,
                                                       .ppMetricNames = p->metrics,
                                                       .numMetrics = p->count};
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, .pHostObject = p->host};
    if (!check(p, error, p->cupti.add_metrics(&add), "choosing the counters") ||
        !check(p, error, p->cupti.config_size(&size), "configuring the counters") ||
        !allocate(&p->config, size.configImageSize, error))
        return false;
    CUpti_Profiler_Host_GetConfigImage_Params config = {.structSize =
                                                            CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
                                                        .pHostObject = p->host,
                                                        .configImageSize = p->config.size,
                                                        .pConfigImage = p->config.bytes};
    CUpti_Profiler_Host_GetNumOfPasses_Params passes = {.structSize =
                                                            CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
                                                        .configImageSize = p->config.size,
                                                        .pConfigImage = p->config.bytes};
    if (!check(p, error, p->cupti.config(&config), "configuring the counters") ||
        !check(p, error, p->cupti.passes(&passes), "counting the passes"))
        return false;
    p->passes = passes.numOfPasses;
    return true;
}

struct cuda_profiler *lab_cuda_profiler_create(CUcontext context, size_t ordinal, const char *path,
                                               struct lab_error *error)
{
    char why[LAB_DETAIL_MAX / 2];
    struct cuda_profiler *p = calloc(1, sizeof *p);
    if (p == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for hardware counters");
        return NULL;
    }
    p->context = context;
    if (!lab_cuda_profiler_library_open(&p->cupti, path, why, sizeof why))
        lab_error_set(error, LAB_ERROR_UNSUPPORTED, "",
                      "CUPTI of CUDA 12.6 or later, which is part of the CUDA toolkit, is not installed: %s", why);
    else if (initialize(p, error) && read_availability(p, error) && open_host(p, ordinal, error) &&
             choose_metrics(p, error) && make_config(p, error))
        return p;
    lab_cuda_profiler_free(p);
    return NULL;
}

void lab_cuda_profiler_free(struct cuda_profiler *p)
{
    if (p == NULL)
        return;
    CUpti_Profiler_Host_Deinitialize_Params params = {.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
                                                      .pHostObject = p->host};
    if (p->host != NULL)
        (void)p->cupti.host_deinitialize(&params);
    deinitialize(p);
    free(p->availability.bytes);
    free(p->config.bytes);
    free(p);
}

size_t lab_cuda_profiler_passes(const struct cuda_profiler *profiler)
{
    return profiler->passes;
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* The profiler while it is enabled. */
struct session {
    const struct cuda_profiler *p;
    struct lab_error *error;
    CUpti_RangeProfiler_Object *object;
    struct image data; /* what is counted */
    const struct lab_counted_work *work;
};

static bool enable(struct session *s)
{
    CUpti_RangeProfiler_Enable_Params params = {.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                                                .ctx = s->p->context};
    if (!check(s->p, s->error, s->p->cupti.enable(&params), "enabling the counters"))
        return false;
    s->object = params.pRangeProfilerObject;
    return true;
}

static bool configure(struct session *s)
{
    const struct cuda_profiler *p = s->p;
    const char *metrics[LAB_HARDWARE_COUNTER_COUNT]; /* CUPTI takes pointers to what is not const */
    memcpy(metrics, p->metrics, sizeof metrics);
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {.structSize =
                                                              CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
                                                          .pRangeProfilerObject = s->object,
                                                          .pMetricNames = metrics,
                                                          .numMetrics = p->count,
                                                          .maxNumOfRanges = 1,
                                                          .maxNumRangeTreeNodes = 1};
    if (!check(p, s->error, p->cupti.data_size(&size), "sizing the counters' memory") ||
        !allocate(&s->data, size.counterDataSize, s->error))
        return false;
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params data = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = s->object,
        .counterDataSize = s->data.size,
        .pCounterData = s->data.bytes};
    CUpti_RangeProfiler_SetConfig_Params config = {.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
                                                   .pRangeProfilerObject = s->object,
                                                   .configSize = p->config.size,
                                                   .pConfig = p->config.bytes,
                                                   .counterDataImageSize = s->data.size,
                                                   .pCounterDataImage = s->data.bytes,
                                                   .range = CUPTI_UserRange,
                                                   .replayMode = CUPTI_UserReplay,
                                                   .maxRangesPerPass = 1,
                                                   .numNestingLevels = 1,
                                                   .minNestingLevel = 1,
                                                   .targetNestingLevel = 1};
    return check(p, s->error, p->cupti.data_initialize(&data), "clearing the counters") &&
           check(p, s->error, p->cupti.set_config(&config), "setting the counters");
}

/* Runs the work once, as the range. */
static bool run_range(const struct session *s)
{
    const struct cuda_profiler *p = s->p;
    CUpti_RangeProfiler_PushRange_Params push = {.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
                                                 .pRangeProfilerObject = s->object,
                                                 .pRangeName = "work"};
    CUpti_RangeProfiler_PopRange_Params pop = {.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
                                               .pRangeProfilerObject = s->object};
    if (!check(p, s->error, p->cupti.push(&push), "beginning to count"))
        return false;
    bool ran = s->work->run(s->work->context);
    CUptiResult popped = p->cupti.pop(&pop);
    return ran && check(p, s->error, popped, "ending to count");
}

/* A pass; sets *last when no other one is needed. */
static bool run_pass(const struct session *s, bool *last)
{
    const struct cuda_profiler *p = s->p;
    CUpti_RangeProfiler_Start_Params start = {.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = s->object};
    CUpti_RangeProfiler_Stop_Params stop = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = s->object};
    if (!s->work->prepare(s->work->context) || !check(p, s->error, p->cupti.start(&start), "starting a pass"))
        return false;
    bool ran = run_range(s);
    CUptiResult stopped = p->cupti.stop(&stop);
    *last = stop.isAllPassSubmitted != 0;
    return ran && check(p, s->error, stopped, "stopping a pass");
}

static bool run_passes(const struct session *s)
{
    bool last = false;
    for (size_t i = 0; i < s->p->passes && !last; i++)
        if (!run_pass(s, &last))
            return false;
    return last || lab_error_set(s->error, LAB_ERROR_UNSUPPORTED, "",
                                 "CUPTI needs more passes than the %zu that it had said", s->p->passes);
}

static bool decode(const struct session *s)
{
    CUpti_RangeProfiler_DecodeData_Params params = {.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
                                                    .pRangeProfilerObject = s->object};
    if (!check(s->p, s->error, s->p->cupti.decode(&params), "reading the counters"))
        return false;
    return params.numOfRangeDropped == 0 ||
           lab_error_set(s->error, LAB_ERROR_UNSUPPORTED, "", "CUPTI lost what it had counted");
}

static bool evaluate(const struct session *s, struct lab_hardware_counts *counts)
{
    const struct cuda_profiler *p = s->p;
    double values[LAB_HARDWARE_COUNTER_COUNT] = {0};
    const char *metrics[LAB_HARDWARE_COUNTER_COUNT];
    memcpy(metrics, p->metrics, sizeof metrics);
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params = {
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
        .pHostObject = p->host,
        .pCounterDataImage = s->data.bytes,
        .counterDataImageSize = s->data.size,
        .ppMetricNames = metrics,
        .numMetrics = p->count,
        .pMetricValues = values};
    if (!check(p, s->error, p->cupti.evaluate(&params), "evaluating the counters"))
        return false;
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
        counts->items[i] = (struct lab_hardware_count){.value = NAN};
    for (size_t i = 0; i < p->count; i++) {
        struct lab_hardware_count *count = &counts->items[p->counters[i]];
        count->value = lab_cuda_counter_metrics[p->counters[i]].factor * values[i];
        snprintf(count->metric, sizeof count->metric, "%s", metrics[i]);
    }
    return true;
}

static void disable(const struct session *s)
{
    CUpti_RangeProfiler_Disable_Params params = {.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                                 .pRangeProfilerObject = s->object};
    if (s->object != NULL)
        (void)s->p->cupti.disable(&params);
}

bool lab_cuda_profiler_count(struct cuda_profiler *p, const struct lab_counted_work *work,
                             struct lab_hardware_counts *counts, struct lab_error *error)
{
    struct session s = {.p = p, .error = error, .work = work};
    bool good = enable(&s) && configure(&s) && run_passes(&s) && decode(&s);
    disable(&s);
    good = good && evaluate(&s, counts);
    free(s.data.bytes);
    return good;
}
