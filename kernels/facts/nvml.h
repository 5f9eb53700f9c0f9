/* NVIDIA's management library (NVML), opened at run time (libnvidia-ml.so.1) and optional: when it or one of its
 * functions is missing, the fields that it would fill stay unknown. It creates no CUDA context. CUDA and NVML
 * devices, and MIG instances, are matched by UUID, never by index. All functions may be called from any thread. `nvml`
 * may be NULL in all functions: no device is found then.
 */
#ifndef LAB_NVML_H
#define LAB_NVML_H

#include "facts/conditions.h"
#include "facts/facts.h"
#include "facts/readings.h"

struct lab_nvml;

/* Opens the library. Returns NULL when the library or the driver is missing; *reason, if `reason` is not NULL, is then
 * set to the cause, a static or thread-local text. */
struct lab_nvml *lab_nvml_open(const char **reason);

/* Like lab_nvml_open, but takes the functions from `resolve` instead of the system's library, for tests that imitate
 * old and new drivers. `resolve` is called with `context` and returns the address of the function `symbol`, or NULL. */
struct lab_nvml *lab_nvml_open_with(void *(*resolve)(void *context, const char *symbol), void *context,
                                    const char **reason);

/* Closes the library; NULL is allowed and does nothing. */
void lab_nvml_close(struct lab_nvml *nvml);

/* Adds the facts that NVML reports of the device whose UUID is facts->uuid: driver release, PCIe address, PCIe link and
 * its peak, ECC, and the kind of link to each device in facts->peers. Facts that NVML does not report stay
 * unchanged. */
void lab_nvml_complete(struct lab_nvml *nvml, struct lab_device_facts *facts);

/* All GPUs that NVML lists, for a machine on which CUDA does not work. A new array of {name, uuid}; empty when there
 * is no NVML. */
json_t *lab_nvml_list(struct lab_nvml *nvml);

/* The current telemetry of a device as the API shows it: {utilization_gpu, utilization_memory (percent),
 * memory_used_bytes, memory_total_bytes, temperature_c, power_w, power_limit_w, sm_clock_mhz, memory_clock_mhz,
 * throttle[…], pcie_generation, pcie_width, processes}; a value that NVML does not report is null. For a MIG instance,
 * memory, utilisation and processes are those of the instance, all other values are those of its GPU. A new reference;
 * NULL when NVML does not find the device. */
json_t *lab_nvml_telemetry(struct lab_nvml *nvml, const char *uuid);

/* Reads clock, temperature, power and throttle reasons. Idling is not a throttle reason. Returns false, with all values
 * unknown, when NVML does not find the device. */
bool lab_nvml_conditions(struct lab_nvml *nvml, const char *uuid, struct lab_conditions *conditions);

/* Sets *joules to the energy that the device has used since its driver was loaded. The counter goes up in steps, every
 * 10 to 100 ms, and reading it may take 16 ms. Returns false when the device, such as one before Volta, has none, and
 * for a MIG instance, whose GPU others use too. */
bool lab_nvml_energy(struct lab_nvml *nvml, const char *uuid, double *joules);

/* Reads the present state of the device; for a MIG instance, that of its GPU, but its own processes. Returns false,
 * with all readings unknown, when NVML does not find the device. */
bool lab_nvml_readings(struct lab_nvml *nvml, const char *uuid, int64_t readings[LAB_READINGS]);

/* How the owner of a machine has set a GPU. Texts and numbers that the driver does not report are NULL and NAN. */
struct lab_gpu_settings {
    const char *compute_mode;   /* "default", "exclusive-thread", "prohibited", "exclusive-process" */
    bool mig;                   /* it is divided into MIG instances */
    double power_limit_w;       /* which the driver enforces */
    double usual_power_limit_w; /* with which the GPU starts */
};

/* Reads the settings of a GPU; for a MIG instance, those of its GPU. Returns false, with all settings unknown, when
 * NVML does not find the device. */
bool lab_nvml_settings(struct lab_nvml *nvml, const char *uuid, struct lab_gpu_settings *settings);

/* Writes the release of the driver, such as "580.159.04". False when it is unknown. */
bool lab_nvml_driver(struct lab_nvml *nvml, char *release, size_t size);

/* The number of compute processes on the device; -1 when unknown. */
int lab_nvml_process_count(struct lab_nvml *nvml, const char *uuid);

#endif
