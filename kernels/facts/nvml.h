/* NVIDIA's management library, opened at run time (libnvidia-ml.so.1) and never needed: where it or one of its
 * functions is missing, the fields it would fill stay unknown. It creates no CUDA context. CUDA and NVML devices are
 * matched by UUID, MIG instances too, never by index. All functions may be called from any thread.
 */
#ifndef LAB_NVML_H
#define LAB_NVML_H

#include "facts/conditions.h"
#include "facts/facts.h"

struct lab_nvml;

/* NULL where the library or the driver is missing; *reason then says why (static or thread-local text), when not NULL.
 */
struct lab_nvml *lab_nvml_open(const char **reason);

/* The same over another library than the system's: `resolve` gives the address of the function of that name, NULL where
 * it has none. This is how the tests stand in for each age of driver. */
struct lab_nvml *lab_nvml_open_with(void *(*resolve)(void *context, const char *symbol), void *context,
                                    const char **reason);

/* NULL is nothing. */
void lab_nvml_close(struct lab_nvml *nvml);

/* Adds what NVML knows to the facts of the device with that uuid: driver release, PCIe address, PCIe link and its peak,
 * ECC, links between devices (facts->peers names them). */
void lab_nvml_complete(struct lab_nvml *nvml, struct lab_device_facts *facts);

/* The names of all GPUs that NVML lists, for a machine on which no CUDA driver answers; a new array of {name, uuid}. */
json_t *lab_nvml_list(struct lab_nvml *nvml);

/* Live figures as the API shows them (telemetry): {utilization_gpu, utilization_memory (percent), memory_used_bytes,
 * memory_total_bytes, temperature_c, power_w, power_limit_w, sm_clock_mhz, memory_clock_mhz, throttle[…],
 * pcie_generation, pcie_width, processes}, null where NVML does not tell; NULL when the device is not known. Memory,
 * utilisation and processes of a MIG instance are its own, the rest is of the GPU it is part of. A new reference. */
json_t *lab_nvml_telemetry(struct lab_nvml *nvml, const char *uuid);

/* Clock, temperature, power and throttle reasons right now; false (and all unknown) when the device is not known.
 * Idling is no throttle reason. */
bool lab_nvml_conditions(struct lab_nvml *nvml, const char *uuid, struct lab_conditions *conditions);

/* How many compute processes the device has; -1 unknown. */
int lab_nvml_process_count(struct lab_nvml *nvml, const char *uuid);

#endif
