#include "selection.h"

#include <stdlib.h>

static bool add_metrics(struct cuda_selection *s, const struct cuda_chip *chip, struct lab_error *error)
{
    CUpti_Profiler_Host_ConfigAddMetrics_Params add = {.structSize =
                                                           CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
                                                       .pHostObject = s->host,
                                                       .ppMetricNames = s->metrics,
                                                       .numMetrics = s->count};
    return lab_cuda_chip_check(chip, error, chip->cupti.add_metrics(&add), "choosing the counters");
}

static bool make_config(struct cuda_selection *s, const struct cuda_chip *chip, struct lab_error *error)
{
    static const char doing[] = "configuring the counters";
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, .pHostObject = s->host};
    if (!lab_cuda_chip_check(chip, error, chip->cupti.config_size(&size), doing) ||
        !lab_cuda_image_allocate(&s->config, size.configImageSize, error))
        return false;
    CUpti_Profiler_Host_GetConfigImage_Params config = {.structSize =
                                                            CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
                                                        .pHostObject = s->host,
                                                        .configImageSize = s->config.size,
                                                        .pConfigImage = s->config.bytes};
    return lab_cuda_chip_check(chip, error, chip->cupti.config(&config), doing);
}

static bool count_passes(struct cuda_selection *s, const struct cuda_chip *chip, struct lab_error *error)
{
    CUpti_Profiler_Host_GetNumOfPasses_Params passes = {.structSize =
                                                            CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
                                                        .configImageSize = s->config.size,
                                                        .pConfigImage = s->config.bytes};
    if (!lab_cuda_chip_check(chip, error, chip->cupti.passes(&passes), "counting the passes"))
        return false;
    s->passes = passes.numOfPasses;
    return true;
}

bool lab_cuda_selection_make(struct cuda_selection *s, const struct cuda_chip *chip, const struct cuda_wanted *wanted,
                             struct lab_error *error)
{
    *s = (struct cuda_selection){.host = lab_cuda_chip_host_open(chip, error)};
    for (size_t i = 0; i < wanted->count; i++) {
        enum lab_hardware_counter counter = wanted->counters[i];
        if (chip->metrics[counter] == NULL)
            continue;
        s->counters[s->count] = counter;
        s->metrics[s->count++] = chip->metrics[counter];
    }
    return s->host != NULL && add_metrics(s, chip, error) && make_config(s, chip, error) &&
           count_passes(s, chip, error);
}

/* Whether the counters fit into one pass; sets *good to false, with *error set, if that cannot be found out. */
static bool fits(const struct cuda_chip *chip, const struct cuda_wanted *wanted, bool *good, struct lab_error *error)
{
    struct cuda_selection tried;
    *good = lab_cuda_selection_make(&tried, chip, wanted, error);
    bool fit = *good && tried.passes == 1;
    lab_cuda_selection_release(&tried, chip);
    return fit;
}

bool lab_cuda_selection_make_pass(struct cuda_selection *s, const struct cuda_chip *chip,
                                  const struct cuda_wanted *wanted, struct lab_error *error)
{
    struct cuda_wanted taken = {0};
    bool good = true;
    *s = (struct cuda_selection){0};
    for (size_t i = 0; good && i < wanted->count; i++) {
        if (chip->metrics[wanted->counters[i]] == NULL)
            continue;
        taken.counters[taken.count] = wanted->counters[i];
        taken.count++;
        if (!fits(chip, &taken, &good, error))
            taken.count--;
    }
    return good && (taken.count == 0 || lab_cuda_selection_make(s, chip, &taken, error));
}

void lab_cuda_selection_release(struct cuda_selection *s, const struct cuda_chip *chip)
{
    lab_cuda_chip_host_close(chip, s->host);
    free(s->config.bytes);
    *s = (struct cuda_selection){0};
}
