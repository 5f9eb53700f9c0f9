/* Opens NVML. Functions that have several versions are looked up by their newest name first, then by the older ones. */
#include "facts/nvml_library.h"

#include "facts/nvml.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    size_t offset;        /* offset of the function pointer in struct lab_nvml */
    const char *names[3]; /* the function's names in NVML, newest first */
} symbols[] = {
    {offsetof(struct lab_nvml, init), {"nvmlInit_v2", "nvmlInit"}},
    {offsetof(struct lab_nvml, shutdown), {"nvmlShutdown"}},
    {offsetof(struct lab_nvml, handle_by_uuid), {"nvmlDeviceGetHandleByUUID"}},
    {offsetof(struct lab_nvml, error_string), {"nvmlErrorString"}},
    {offsetof(struct lab_nvml, driver_version), {"nvmlSystemGetDriverVersion"}},
    {offsetof(struct lab_nvml, device_count), {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}},
    {offsetof(struct lab_nvml, handle_by_index), {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}},
    {offsetof(struct lab_nvml, parent_of_mig), {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle"}},
    {offsetof(struct lab_nvml, name), {"nvmlDeviceGetName"}},
    {offsetof(struct lab_nvml, uuid), {"nvmlDeviceGetUUID"}},
    {offsetof(struct lab_nvml, pci), {"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"}},
    {offsetof(struct lab_nvml, ecc), {"nvmlDeviceGetEccMode"}},
    {offsetof(struct lab_nvml, persistence), {"nvmlDeviceGetPersistenceMode"}},
    {offsetof(struct lab_nvml, clock), {"nvmlDeviceGetClockInfo"}},
    {offsetof(struct lab_nvml, temperature_v), {"nvmlDeviceGetTemperatureV"}},
    {offsetof(struct lab_nvml, temperature), {"nvmlDeviceGetTemperature"}},
    {offsetof(struct lab_nvml, power), {"nvmlDeviceGetPowerUsage"}},
    {offsetof(struct lab_nvml, power_limit), {"nvmlDeviceGetEnforcedPowerLimit"}},
    {offsetof(struct lab_nvml, usual_power_limit), {"nvmlDeviceGetPowerManagementDefaultLimit"}},
    {offsetof(struct lab_nvml, mig_mode), {"nvmlDeviceGetMigMode"}},
    {offsetof(struct lab_nvml, compute_mode), {"nvmlDeviceGetComputeMode"}},
    {offsetof(struct lab_nvml, energy), {"nvmlDeviceGetTotalEnergyConsumption"}},
    {offsetof(struct lab_nvml, clock_reasons),
     {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}},
    {offsetof(struct lab_nvml, utilization), {"nvmlDeviceGetUtilizationRates"}},
    {offsetof(struct lab_nvml, memory_v2), {"nvmlDeviceGetMemoryInfo_v2"}},
    {offsetof(struct lab_nvml, memory), {"nvmlDeviceGetMemoryInfo"}},
    /* The records differ between the three versions (and _v3 changed within R535), but only their number is used. */
    {offsetof(struct lab_nvml, processes),
     {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
      "nvmlDeviceGetComputeRunningProcesses"}},
    {offsetof(struct lab_nvml, pcie_max_generation), {"nvmlDeviceGetMaxPcieLinkGeneration"}},
    {offsetof(struct lab_nvml, pcie_max_width), {"nvmlDeviceGetMaxPcieLinkWidth"}},
    {offsetof(struct lab_nvml, pcie_generation), {"nvmlDeviceGetCurrPcieLinkGeneration"}},
    {offsetof(struct lab_nvml, pcie_width), {"nvmlDeviceGetCurrPcieLinkWidth"}},
    {offsetof(struct lab_nvml, ecc_errors), {"nvmlDeviceGetTotalEccErrors"}},
    {offsetof(struct lab_nvml, remapped_rows), {"nvmlDeviceGetRemappedRows"}},
    {offsetof(struct lab_nvml, retired_pages), {"nvmlDeviceGetRetiredPages"}},
    {offsetof(struct lab_nvml, retirement_pending), {"nvmlDeviceGetRetiredPagesPendingStatus"}},
    {offsetof(struct lab_nvml, nvlink_state), {"nvmlDeviceGetNvLinkState"}},
    {offsetof(struct lab_nvml, nvlink_remote),
     {"nvmlDeviceGetNvLinkRemotePciInfo_v2", "nvmlDeviceGetNvLinkRemotePciInfo"}},
    {offsetof(struct lab_nvml, event_set_create), {"nvmlEventSetCreate"}},
    {offsetof(struct lab_nvml, register_events), {"nvmlDeviceRegisterEvents"}},
    {offsetof(struct lab_nvml, event_wait), {"nvmlEventSetWait_v2", "nvmlEventSetWait"}},
    {offsetof(struct lab_nvml, event_set_free), {"nvmlEventSetFree"}},
    {offsetof(struct lab_nvml, p2p_status), {"nvmlDeviceGetP2PStatus"}},
};

static void *resolve_from_library(void *library, const char *symbol)
{
    return dlsym(library, symbol);
}

static bool resolve_all(struct lab_nvml *nvml, void *(*resolve)(void *context, const char *symbol), void *context)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = NULL;
        for (size_t n = 0; n < 3 && found == NULL && symbols[i].names[n] != NULL; n++)
            found = resolve(context, symbols[i].names[n]);
        memcpy((char *)nvml + symbols[i].offset, &found, sizeof found);
    }
    return nvml->init != NULL && nvml->shutdown != NULL && nvml->handle_by_uuid != NULL;
}

struct lab_nvml *lab_nvml_open_with(void *(*resolve)(void *context, const char *symbol), void *context,
                                    const char **reason)
{
    const char *ignored;
    if (reason == NULL)
        reason = &ignored;
    struct lab_nvml *nvml = calloc(1, sizeof *nvml);
    if (nvml == NULL) {
        *reason = "out of memory";
        return NULL;
    }
    if (!resolve_all(nvml, resolve, context)) {
        *reason = "the library lacks functions that every version of NVML has";
        free(nvml);
        return NULL;
    }
    int result = nvml->init();
    if (result != NVML_SUCCESS) {
        *reason = nvml->error_string != NULL ? nvml->error_string(result) : "NVML cannot be initialised";
        free(nvml);
        return NULL;
    }
    return nvml;
}

struct lab_nvml *lab_nvml_open(const char **reason)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        if (reason != NULL)
            *reason = "libnvidia-ml.so.1 was not found";
        return NULL;
    }
    /* A library that fails to initialise stays loaded, because *reason may point to its text. */
    struct lab_nvml *nvml = lab_nvml_open_with(resolve_from_library, library, reason);
    if (nvml != NULL)
        nvml->library = library;
    return nvml;
}

void lab_nvml_close(struct lab_nvml *nvml)
{
    if (nvml == NULL)
        return;
    nvml->shutdown();
    if (nvml->library != NULL)
        dlclose(nvml->library);
    free(nvml);
}
