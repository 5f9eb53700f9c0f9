/* What of the GPUs and of those who use them disturbs measurements, or should be known beside them. */
#include "core/throttle.h"

#include "findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GPUS_MAX = 64, HOW_MAX = 96 };

/* A GPU as NVML reports it. */
struct gpu {
    struct lab_device_facts facts;
    struct lab_gpu_settings settings;
    struct lab_conditions conditions;
    int64_t readings[LAB_READINGS];
};

/* Whether something of the GPU disturbs; writes how. */
typedef bool is_disturbed(const struct gpu *gpu, char how[HOW_MAX]);

/* --- what is looked at -------------------------------------------------------------------------------------------- */

static bool is_without_persistence(const struct gpu *gpu, char how[HOW_MAX])
{
    snprintf(how, HOW_MAX, "off: the driver prepares the GPU anew for each program that finds it unused");
    return gpu->facts.persistence_mode == 0;
}

static bool is_divided(const struct gpu *gpu, char how[HOW_MAX])
{
    snprintf(how, HOW_MAX, "on: an experiment measures a part of the GPU, and others may use the rest");
    return gpu->settings.mig;
}

static bool is_without_ecc(const struct gpu *gpu, char how[HOW_MAX])
{
    snprintf(how, HOW_MAX, "off: errors of the memory are not noticed");
    return gpu->facts.ecc_enabled == 0;
}

/* Watts that a limit is below the usual one only by rounding. */
static const double rounding_w = 1;

static bool is_capped(const struct gpu *gpu, char how[HOW_MAX])
{
    snprintf(how, HOW_MAX, "%.0f W instead of %.0f W", gpu->settings.power_limit_w, gpu->settings.usual_power_limit_w);
    return gpu->settings.power_limit_w < gpu->settings.usual_power_limit_w - rounding_w; /* false for NAN */
}

static bool is_exclusive(const struct gpu *gpu, char how[HOW_MAX])
{
    const char *mode = gpu->settings.compute_mode;
    snprintf(how, HOW_MAX, "%s: ranks of MPI and whole programs beside gpulab find it in use",
             mode != NULL ? mode : "");
    return mode != NULL && strncmp(mode, "exclusive", strlen("exclusive")) == 0;
}

static bool is_prohibited(const struct gpu *gpu, char how[HOW_MAX])
{
    snprintf(how, HOW_MAX, "prohibited: no program can use it");
    return gpu->settings.compute_mode != NULL && strcmp(gpu->settings.compute_mode, "prohibited") == 0;
}

static bool is_used(const struct gpu *gpu, char how[HOW_MAX])
{
    int64_t processes = gpu->readings[LAB_READING_PROCESSES];
    snprintf(how, HOW_MAX, "%lld process%s", (long long)processes, processes == 1 ? "" : "es");
    return processes > 0;
}

static bool is_throttled(const struct gpu *gpu, char how[HOW_MAX])
{
    how[0] = '\0';
    for (size_t i = 0; i < gpu->conditions.throttle_count; i++) {
        size_t length = strlen(how);
        if (lab_throttle_kind(gpu->conditions.throttle[i]) != LAB_THROTTLE_NORMAL)
            snprintf(how + length, HOW_MAX - length, "%s%s", length > 0 ? ", " : "", gpu->conditions.throttle[i]);
    }
    return how[0] != '\0';
}

static bool has_memory_errors(const struct gpu *gpu, char how[HOW_MAX])
{
    const int64_t *readings = gpu->readings;
    if (readings[LAB_READING_REMAP_FAILED] > 0)
        snprintf(how, HOW_MAX, "no spare row of memory is left; the GPU should be replaced");
    else if (readings[LAB_READING_ECC_UNCORRECTED] > 0)
        snprintf(how, HOW_MAX, "%lld errors that ECC could not correct since the driver was loaded",
                 (long long)readings[LAB_READING_ECC_UNCORRECTED]);
    else
        snprintf(how, HOW_MAX, "a part of the memory waits for its replacement at the next reset of the GPU");
    return readings[LAB_READING_REMAP_FAILED] > 0 || readings[LAB_READING_ECC_UNCORRECTED] > 0 ||
           readings[LAB_READING_REMAP_PENDING] > 0 || readings[LAB_READING_RETIREMENT_PENDING] > 0;
}

/* What one check looks at. */
struct setting {
    is_disturbed *is_disturbed;
    const char *remedy;
    bool blocks;
};

/* --- the GPUs ----------------------------------------------------------------------------------------------------- */

static void read_gpu(struct lab_nvml *nvml, const char *uuid, struct gpu *gpu)
{
    lab_facts_clear(&gpu->facts);
    snprintf(gpu->facts.uuid, sizeof gpu->facts.uuid, "%s", uuid);
    lab_nvml_complete(nvml, &gpu->facts);
    lab_nvml_settings(nvml, uuid, &gpu->settings);
    lab_nvml_conditions(nvml, uuid, &gpu->conditions);
    lab_nvml_readings(nvml, uuid, gpu->readings);
}

static void append(char *text, size_t size, const char *before, const char *value)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%.*s", before, HOW_MAX, value);
}

/* Writes "GPU 0, 3: how; GPU 1: how": the GPUs with the same text together. */
static void write_gpus(char hows[][HOW_MAX], size_t count, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char number[32];
        if (hows[i][0] == '\0')
            continue;
        append(text, size, text[0] != '\0' ? "; " : "", "GPU ");
        for (size_t k = i; k < count; k++) {
            if (strcmp(hows[k], hows[i]) != 0)
                continue;
            snprintf(number, sizeof number, "%zu", k);
            append(text, size, k > i ? ", " : "", number);
            if (k > i)
                hows[k][0] = '\0';
        }
        append(text, size, ": ", hows[i]);
    }
}

/* Looks at all GPUs, in the order of nvidia-smi. */
static void examine_setting(struct doctor *doctor, const struct doctor_check *check)
{
    const struct setting *setting = check->with;
    char hows[GPUS_MAX][HOW_MAX] = {{0}}, text[DOCTOR_TEXT_MAX];
    json_t *listed = lab_nvml_list(doctor->options->nvml), *each;
    size_t count = 0, index;
    json_array_foreach(listed, index, each)
    {
        struct gpu gpu;
        if (count == GPUS_MAX)
            break;
        read_gpu(doctor->options->nvml, json_string_value(json_object_get(each, "uuid")), &gpu);
        if (!setting->is_disturbed(&gpu, hows[count]))
            hows[count][0] = '\0';
        count++;
    }
    json_decref(listed);
    write_gpus(hows, count, text, sizeof text);
    if (text[0] != '\0' && setting->blocks)
        doctor_blocks(doctor, check, setting->remedy, "%s", text);
    else if (text[0] != '\0')
        doctor_disturbs(doctor, check, setting->remedy, "%s", text);
}

/* A check of all GPUs with one of the functions above. */
#define SETTING(check, shown, function, remedy, blocks)                                                                \
    {                                                                                                                  \
        .name = (check), .title = (shown), .examine = examine_setting, .with = &(const struct setting)                 \
        {                                                                                                              \
            function, remedy, blocks                                                                                   \
        }                                                                                                              \
    }

const struct doctor_check doctor_setting_checks[] = {
    SETTING("persistence", "persistence mode", is_without_persistence,
            "nvidia-smi -pm 1, or the service nvidia-persistenced", false),
    SETTING("mig", "MIG", is_divided, "nvidia-smi -mig 0, where the whole GPU is to be measured", false),
    SETTING("ecc", "ECC", is_without_ecc, "nvidia-smi -e 1, then a reset of the GPU", false),
    SETTING("power-limit", "power limit", is_capped, "nvidia-smi -pl WATTS, or note the limit beside the results",
            false),
    SETTING("compute-mode", "compute mode", is_exclusive, "nvidia-smi -c 0", false),
    SETTING("prohibited", "compute mode", is_prohibited, "nvidia-smi -c 0", true),
    SETTING("processes", "processes on the GPU", is_used, "nvidia-smi lists them; measure when they have ended", false),
    SETTING("throttling", "lowered clocks", is_throttled, "nvidia-smi -q -d PERFORMANCE says more", false),
    SETTING("memory-errors", "errors of the memory", has_memory_errors, "gpulab health checks the GPU", false),
    {0},
};
