/* NVIDIA's management library (NVML), opened at run time (libnvidia-ml.so.1) and optional: when it or one of its
 * functions is missing, the fields that it would fill stay unknown. It creates no CUDA context. CUDA and NVML
 * devices, and MIG instances, are matched by UUID, never by index. All functions may be called from any thread. A
 * NULL `nvml` is allowed and knows no device.
 */
#ifndef LAB_NVML_H
#define LAB_NVML_H

#include "facts/conditions.h"
#include "facts/facts.h"

struct lab_nvml;

/* Opens the library. Returns NULL when the library or the driver is missing; *reason, if not NULL, is then set to
 * why, a static or thread-local text. */
struct lab_nvml *lab_nvml_open(const char **reason);

/* The same with functions from elsewhere than the system's library, for tests with old and new drivers. `resolve`
 * returns the address of the function of that name, or NULL. */
struct lab_nvml *lab_nvml_open_with(void *(*resolve)(void *context, const char *symbol), void *context,
                                    const char **reason);

/* NULL is allowed and does nothing. */
void lab_nvml_close(struct lab_nvml *nvml);

/* Adds what NVML knows to the facts of the device with the UUID facts->uuid: driver release, PCIe address, PCIe link
 * and its peak, ECC, and the kind of link to each device in facts->peers. */
void lab_nvml_complete(struct lab_nvml *nvml, struct lab_device_facts *facts);

/* All GPUs that NVML lists, for a machine on which CUDA does not work. A new array of {name, uuid}; empty when there
 * is no NVML. */
json_t *lab_nvml_list(struct lab_nvml *nvml);

/* The current telemetry of a device as the API shows it: {utilization_gpu, utilization_memory (percent),
 * memory_used_bytes, memory_total_bytes, temperature_c, power_w, power_limit_w, sm_clock_mhz, memory_clock_mhz,
 * throttle[…], pcie_generation, pcie_width, processes}; null for what NVML does not report. For a MIG instance
 * memory, utilisation and processes are those of the instance, everything else is of its GPU. Returns NULL when the
 * device is not known. A new reference. */
json_t *lab_nvml_telemetry(struct lab_nvml *nvml, const char *uuid);

/* Reads clock, temperature, power and throttle reasons. Idling is not a throttle reason. Returns false with all
 * unknown when the device is not known. */
bool lab_nvml_conditions(struct lab_nvml *nvml, const char *uuid, struct lab_conditions *conditions);

/* The number of compute processes on the device; -1 when unknown. */
int lab_nvml_process_count(struct lab_nvml *nvml, const char *uuid);

#endif
