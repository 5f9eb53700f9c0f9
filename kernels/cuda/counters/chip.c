#include "chip.h"

#include "metrics.h"
#include "refusal.h"

#include <stdlib.h>
#include <string.h>

/* CUPTI's profiler is initialised for the whole process. */
static size_t initialized_chips;

bool lab_cuda_chip_check(const struct cuda_chip *chip, struct lab_error *error, CUptiResult result, const char *doing)
{
    return result == CUPTI_SUCCESS || lab_cuda_refusal(error, chip->cupti.result_string, result, doing);
}

bool lab_cuda_image_allocate(struct cuda_image *image, size_t size, struct lab_error *error)
{
    *image = (struct cuda_image){.bytes = calloc(1, size > 0 ? size : 1), .size = size};
    return image->bytes != NULL ||
           lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for %zu bytes of hardware counters", size);
}

/* --- CUPTI -------------------------------------------------------------------------------------------------------- */

static bool open_library(struct cuda_chip *chip, const char *path, struct lab_error *error)
{
    char why[LAB_DETAIL_MAX / 2];
    return lab_cuda_profiler_library_open(&chip->cupti, path, why, sizeof why) ||
           lab_error_set(error, LAB_ERROR_UNSUPPORTED, "",
                         "CUPTI of CUDA 12.6 or later, which is part of the CUDA toolkit, is not installed: %s", why);
}

static bool initialize(struct cuda_chip *chip, struct lab_error *error)
{
    CUpti_Profiler_Initialize_Params params = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    if (initialized_chips == 0 &&
        !lab_cuda_chip_check(chip, error, chip->cupti.initialize(&params), "initialising CUPTI's profiler"))
        return false;
    initialized_chips++;
    chip->initialized = true;
    return true;
}

static void deinitialize(struct cuda_chip *chip)
{
    CUpti_Profiler_DeInitialize_Params params = {.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
    if (chip->initialized && --initialized_chips == 0)
        (void)chip->cupti.deinitialize(&params);
    chip->initialized = false;
}

/* --- what the chip has -------------------------------------------------------------------------------------------- */

static bool read_availability(struct cuda_chip *chip, struct lab_error *error)
{
    static const char doing[] = "asking which counters are available";
    CUpti_Profiler_GetCounterAvailability_Params params = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE, .ctx = chip->context};
    if (!lab_cuda_chip_check(chip, error, chip->cupti.availability(&params), doing) ||
        !lab_cuda_image_allocate(&chip->availability, params.counterAvailabilityImageSize, error))
        return false;
    params.pCounterAvailabilityImage = chip->availability.bytes;
    return lab_cuda_chip_check(chip, error, chip->cupti.availability(&params), doing);
}

static bool read_name(struct cuda_chip *chip, size_t ordinal, struct lab_error *error)
{
    CUpti_Device_GetChipName_Params params = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                              .deviceIndex = ordinal};
    if (!lab_cuda_chip_check(chip, error, chip->cupti.chip_name(&params), "asking for the name of the chip"))
        return false;
    chip->name = params.pChipName;
    return true;
}

CUpti_Profiler_Host_Object *lab_cuda_chip_host_open(const struct cuda_chip *chip, struct lab_error *error)
{
    CUpti_Profiler_Host_Initialize_Params params = {.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
                                                    .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
                                                    .pChipName = chip->name,
                                                    .pCounterAvailabilityImage = chip->availability.bytes};
    return lab_cuda_chip_check(chip, error, chip->cupti.host_initialize(&params), "preparing the counters of the chip")
               ? params.pHostObject
               : NULL;
}

void lab_cuda_chip_host_close(const struct cuda_chip *chip, CUpti_Profiler_Host_Object *host)
{
    CUpti_Profiler_Host_Deinitialize_Params params = {.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
                                                      .pHostObject = host};
    if (host != NULL)
        (void)chip->cupti.host_deinitialize(&params);
}

/* Whether `metric` is `base` with a rollup: "dram__bytes_read.sum" of "dram__bytes_read". */
static bool is_of_base(const char *metric, const char *base)
{
    size_t length = strcspn(metric, ".");
    return strncmp(metric, base, length) == 0 && base[length] == '\0';
}

typedef bool found_names[LAB_HARDWARE_COUNTER_COUNT][CUDA_METRIC_NAMES];

/* Notes which of the names of a counter are among those that the chip lists. */
static void find_names(const struct cuda_counter_metric *metric, const CUpti_Profiler_Host_GetBaseMetrics_Params *list,
                       bool found[CUDA_METRIC_NAMES])
{
    for (size_t n = 0; n < CUDA_METRIC_NAMES && metric->names[n] != NULL; n++)
        for (size_t i = 0; i < list->numMetrics && !found[n]; i++)
            found[n] = is_of_base(metric->names[n], list->ppMetricNames[i]);
}

static bool list_names(const struct cuda_chip *chip, CUpti_Profiler_Host_Object *host, found_names found,
                       struct lab_error *error)
{
    for (int type = 0; type < CUPTI_METRIC_TYPE__COUNT; type++) {
        CUpti_Profiler_Host_GetBaseMetrics_Params list = {.structSize =
                                                              CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE,
                                                          .pHostObject = host,
                                                          .metricType = (CUpti_MetricType)type};
        if (!lab_cuda_chip_check(chip, error, chip->cupti.base_metrics(&list), "listing the counters of the chip"))
            return false;
        for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
            find_names(&lab_cuda_counter_metrics[i], &list, found[i]);
    }
    return true;
}

/* Sets the metrics to the first name of each counter that the chip lists. */
static bool read_metrics(struct cuda_chip *chip, struct lab_error *error)
{
    found_names found = {{0}};
    CUpti_Profiler_Host_Object *host = lab_cuda_chip_host_open(chip, error);
    bool listed = host != NULL && list_names(chip, host, found, error), any = false;
    lab_cuda_chip_host_close(chip, host);
    for (size_t i = 0; listed && i < LAB_HARDWARE_COUNTER_COUNT; i++) {
        size_t n = found[i][0] ? 0 : 1;
        chip->metrics[i] = found[i][n] ? lab_cuda_counter_metrics[i].names[n] : NULL;
        any = any || found[i][n];
    }
    return !listed || any ? listed
                          : lab_error_set(error, LAB_ERROR_UNSUPPORTED, "",
                                          "CUPTI lists no counter of this chip that gpulab knows");
}

bool lab_cuda_chip_open(struct cuda_chip *chip, CUcontext context, size_t ordinal, const char *path,
                        struct lab_error *error)
{
    *chip = (struct cuda_chip){.context = context};
    return open_library(chip, path, error) && initialize(chip, error) && read_availability(chip, error) &&
           read_name(chip, ordinal, error) && read_metrics(chip, error);
}

void lab_cuda_chip_close(struct cuda_chip *chip)
{
    deinitialize(chip);
    free(chip->availability.bytes);
    *chip = (struct cuda_chip){0};
}
