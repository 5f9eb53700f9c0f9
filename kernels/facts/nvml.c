/* Reads facts, telemetry and conditions from NVML. */
#include "facts/nvml.h"
#include "core/json_members.h"
#include "core/throttle.h"

#include "facts/nvml_library.h"
#include "facts/peaks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Calls a function of NVML. The value is false when the library does not have the function or the call fails. */
#define CALL(nvml, function, ...) ((nvml)->function != NULL && (nvml)->function(__VA_ARGS__) == NVML_SUCCESS)

/* A device with a UUID, and the GPU that it belongs to. They are the same unless the device is a MIG instance. */
struct device {
    nvml_handle self, gpu;
};

static bool find(struct lab_nvml *nvml, const char *uuid, struct device *device)
{
    if (nvml == NULL || nvml->handle_by_uuid(uuid, &device->self) != NVML_SUCCESS)
        return false;
    if (strncmp(uuid, "MIG-", 4) != 0 || !CALL(nvml, parent_of_mig, device->self, &device->gpu))
        device->gpu = device->self;
    return true;
}

json_t *lab_nvml_list(struct lab_nvml *nvml)
{
    json_t *list = json_array();
    unsigned count = 0;
    if (nvml == NULL || list == NULL || !CALL(nvml, device_count, &count))
        return list;
    for (unsigned i = 0; i < count; i++) {
        nvml_handle device;
        char name[NVML_TEXT_MAX] = "", uuid[NVML_TEXT_MAX] = "";
        if (CALL(nvml, handle_by_index, i, &device) && CALL(nvml, name, device, name, sizeof name) &&
            CALL(nvml, uuid, device, uuid, sizeof uuid))
            json_array_append_new(list, json_pack("{s:s, s:s}", "name", name, "uuid", uuid));
    }
    return list;
}

int lab_nvml_process_count(struct lab_nvml *nvml, const char *uuid)
{
    struct device device;
    if (!find(nvml, uuid, &device) || nvml->processes == NULL)
        return -1;
    unsigned count = 0; /* there is space for 0 records; the call replaces this by the number of processes */
    int result = nvml->processes(device.self, &count, NULL);
    return result == NVML_SUCCESS || result == NVML_INSUFFICIENT_SIZE ? (int)count : -1;
}

/* --- facts -------------------------------------------------------------------------------------------------------- */

/* Writes the address as the Linux kernel does, "0000:3b:00.0"; NVML writes "00000000:3B:00.0". */
static void write_pci_address(const struct nvml_pci *pci, char *text, size_t size)
{
    snprintf(text, size, "%04x:%02x:%02x.0", pci->domain, pci->bus, pci->device);
}

/* Counts the NVLinks of a device that are up, and those of them that end at the device at `address`. */
static void count_links(struct lab_nvml *nvml, nvml_handle device, const char *address, int *up, int *direct)
{
    *up = *direct = 0;
    for (unsigned link = 0; link < NVML_LINKS_MAX; link++) {
        int active = 0;
        if (!CALL(nvml, nvlink_state, device, link, &active) || !active)
            continue;
        ++*up;
        struct nvml_pci remote = {.bus_id = ""};
        char found[sizeof((struct lab_device_facts *)0)->pci_address];
        if (!CALL(nvml, nvlink_remote, device, link, &remote))
            continue;
        write_pci_address(&remote, found, sizeof found);
        *direct += strcmp(found, address) == 0;
    }
}

/* Sets what is known of the link from `device`, of that compute capability, to the peer. */
static void complete_peer(struct lab_nvml *nvml, nvml_handle device, const char *capability, struct lab_peer_fact *peer)
{
    struct device other;
    struct nvml_pci pci;
    if (!find(nvml, peer->id, &other) || other.gpu == device || !CALL(nvml, pci, other.gpu, &pci))
        return;
    char address[sizeof((struct lab_device_facts *)0)->pci_address];
    write_pci_address(&pci, address, sizeof address);

    int up, direct, status;
    count_links(nvml, device, address, &up, &direct);
    bool nvlink =
        direct > 0 || (CALL(nvml, p2p_status, device, other.gpu, NVML_P2P_NVLINK, &status) && status == NVML_P2P_OK);
    if (nvlink && direct == 0) {
        /* The GPUs are connected through a switch: the GPU with fewer links determines the number. */
        int other_up, unused;
        count_links(nvml, other.gpu, "", &other_up, &unused);
        direct = other_up < up ? other_up : up;
    }
    peer->peak_bytes_per_s = direct > 0 ? lab_peak_nvlink(capability, direct) : 0;
    if (direct > 0)
        snprintf(peer->link, sizeof peer->link, "NVLink x%d", direct);
    else
        snprintf(peer->link, sizeof peer->link, nvlink ? "NVLink" : "PCIe");
}

bool lab_nvml_driver(struct lab_nvml *nvml, char *release, size_t size)
{
    char text[NVML_TEXT_MAX];
    if (nvml == NULL || !CALL(nvml, driver_version, text, sizeof text))
        return false;
    snprintf(release, size, "%.*s", (int)size - 1, text);
    return true;
}

void lab_nvml_complete(struct lab_nvml *nvml, struct lab_device_facts *facts)
{
    struct device device;
    if (!find(nvml, facts->uuid, &device))
        return;
    lab_nvml_driver(nvml, facts->driver_release, sizeof facts->driver_release);
    struct nvml_pci pci;
    if (facts->pci_address[0] == '\0' && CALL(nvml, pci, device.gpu, &pci))
        write_pci_address(&pci, facts->pci_address, sizeof facts->pci_address);
    int current, pending;
    if (CALL(nvml, ecc, device.gpu, &current, &pending))
        facts->ecc_enabled = current != 0;
    int enabled;
    if (CALL(nvml, persistence, device.gpu, &enabled))
        facts->persistence_mode = enabled != 0;
    unsigned generation, lanes;
    if (CALL(nvml, pcie_max_generation, device.gpu, &generation) && CALL(nvml, pcie_max_width, device.gpu, &lanes) &&
        generation > 0 && lanes > 0) {
        facts->pcie_max_generation = generation;
        facts->pcie_max_width = lanes;
        facts->pcie_peak_bytes_per_s = lab_peak_pcie(generation, lanes);
    }
    for (size_t i = 0; i < facts->peer_count; i++)
        complete_peer(nvml, device.gpu, facts->compute_capability, &facts->peers[i]);
}

/* --- conditions and telemetry ------------------------------------------------------------------------------------- */

static size_t read_throttle(struct lab_nvml *nvml, nvml_handle device, const char *names[LAB_THROTTLE_MAX])
{
    unsigned long long reasons;
    size_t count = 0;
    if (!CALL(nvml, clock_reasons, device, &reasons))
        return 0;
    for (const struct lab_throttle_reason *reason = lab_throttle_reasons; reason->name != NULL; reason++)
        if (reasons & reason->bit)
            names[count++] = reason->name;
    return count;
}

static double read_temperature(struct lab_nvml *nvml, nvml_handle device)
{
    struct nvml_temperature_v1 reading = {NVML_VERSION_OF(struct nvml_temperature_v1, 1), NVML_SENSOR_GPU, 0};
    unsigned celsius;
    if (CALL(nvml, temperature_v, device, &reading))
        return reading.temperature;
    return CALL(nvml, temperature, device, NVML_SENSOR_GPU, &celsius) ? (double)celsius : NAN;
}

static double read_power(struct lab_nvml *nvml, nvml_handle device)
{
    unsigned milliwatt;
    return CALL(nvml, power, device, &milliwatt) ? milliwatt / 1e3 : NAN;
}

static double read_clock_mhz(struct lab_nvml *nvml, nvml_handle device, enum nvml_clock kind)
{
    unsigned mhz;
    return CALL(nvml, clock, device, kind, &mhz) ? (double)mhz : NAN;
}

bool lab_nvml_conditions(struct lab_nvml *nvml, const char *uuid, struct lab_conditions *conditions)
{
    struct device device;
    lab_conditions_clear(conditions);
    if (!find(nvml, uuid, &device))
        return false;
    conditions->sm_clock_mhz = read_clock_mhz(nvml, device.gpu, NVML_CLOCK_SM);
    conditions->temperature_c = read_temperature(nvml, device.gpu);
    conditions->power_w = read_power(nvml, device.gpu);
    conditions->throttle_count = read_throttle(nvml, device.gpu, conditions->throttle);
    return true;
}

bool lab_nvml_energy(struct lab_nvml *nvml, const char *uuid, double *joules)
{
    struct device device;
    unsigned long long millijoule;
    if (!find(nvml, uuid, &device) || device.self != device.gpu || !CALL(nvml, energy, device.gpu, &millijoule))
        return false;
    *joules = (double)millijoule / 1e3;
    return true;
}

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, lab_json_real_or_null(value));
}

static void set_count(json_t *object, const char *key, bool known, unsigned long long value)
{
    json_object_set_new(object, key, known ? json_integer((json_int_t)value) : json_null());
}

static void set_memory(struct lab_nvml *nvml, nvml_handle device, json_t *telemetry)
{
    struct nvml_memory_v2 memory = {.version = NVML_VERSION_OF(struct nvml_memory_v2, 2)};
    struct nvml_memory memory_v1 = {0};
    bool known = CALL(nvml, memory_v2, device, &memory);
    if (!known && CALL(nvml, memory, device, &memory_v1)) {
        known = true;
        memory.used = memory_v1.used;
        memory.total = memory_v1.total;
    }
    set_count(telemetry, "memory_used_bytes", known, memory.used);
    set_count(telemetry, "memory_total_bytes", known, memory.total);
}

json_t *lab_nvml_telemetry(struct lab_nvml *nvml, const char *uuid)
{
    struct device device;
    json_t *telemetry;
    if (!find(nvml, uuid, &device) || (telemetry = json_object()) == NULL)
        return NULL;

    struct nvml_utilization busy = {0, 0};
    bool known = CALL(nvml, utilization, device.self, &busy);
    set_count(telemetry, "utilization_gpu", known, busy.gpu);
    set_count(telemetry, "utilization_memory", known, busy.memory);
    set_memory(nvml, device.self, telemetry);
    set_number(telemetry, "temperature_c", read_temperature(nvml, device.gpu));
    set_number(telemetry, "power_w", read_power(nvml, device.gpu));
    unsigned limit = 0;
    set_number(telemetry, "power_limit_w", CALL(nvml, power_limit, device.gpu, &limit) ? limit / 1e3 : NAN);
    set_number(telemetry, "sm_clock_mhz", read_clock_mhz(nvml, device.gpu, NVML_CLOCK_SM));
    set_number(telemetry, "memory_clock_mhz", read_clock_mhz(nvml, device.gpu, NVML_CLOCK_MEMORY));

    const char *names[LAB_THROTTLE_MAX];
    size_t count = read_throttle(nvml, device.gpu, names);
    json_t *throttle = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(throttle, json_string(names[i]));
    json_object_set_new(telemetry, "throttle", throttle);
    json_object_set_new(telemetry, "throttled_by", lab_throttle_cautions(throttle));

    unsigned generation = 0, lanes = 0;
    known = CALL(nvml, pcie_generation, device.gpu, &generation) && generation > 0;
    set_count(telemetry, "pcie_generation", known, generation);
    known = CALL(nvml, pcie_width, device.gpu, &lanes) && lanes > 0;
    set_count(telemetry, "pcie_width", known, lanes);
    int processes = lab_nvml_process_count(nvml, uuid);
    set_count(telemetry, "processes", processes >= 0, (unsigned long long)(processes >= 0 ? processes : 0));
    return telemetry;
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

bool lab_nvml_settings(struct lab_nvml *nvml, const char *uuid, struct lab_gpu_settings *settings)
{
    /* By nvmlComputeMode_t. */
    static const char *const modes[] = {"default", "exclusive-thread", "prohibited", "exclusive-process"};
    struct device device;
    unsigned milliwatt, mig = 0, pending;
    int mode;
    *settings = (struct lab_gpu_settings){.power_limit_w = NAN, .usual_power_limit_w = NAN};
    if (!find(nvml, uuid, &device))
        return false;
    if (CALL(nvml, power_limit, device.gpu, &milliwatt))
        settings->power_limit_w = milliwatt / 1e3;
    if (CALL(nvml, usual_power_limit, device.gpu, &milliwatt))
        settings->usual_power_limit_w = milliwatt / 1e3;
    if (CALL(nvml, compute_mode, device.gpu, &mode) && mode >= 0 && (size_t)mode < sizeof modes / sizeof *modes)
        settings->compute_mode = modes[mode];
    settings->mig = CALL(nvml, mig_mode, device.gpu, &mig, &pending) && mig != 0;
    return true;
}

/* --- readings ----------------------------------------------------------------------------------------------------- */

static void read_link(struct lab_nvml *nvml, nvml_handle device, int64_t readings[LAB_READINGS])
{
    unsigned value;
    if (CALL(nvml, pcie_width, device, &value) && value > 0)
        readings[LAB_READING_LINK_WIDTH] = value;
    if (CALL(nvml, pcie_generation, device, &value) && value > 0)
        readings[LAB_READING_LINK_GENERATION] = value;
}

static void read_ecc_errors(struct lab_nvml *nvml, nvml_handle device, enum nvml_counter counter, int64_t *reading)
{
    unsigned long long count;
    if (CALL(nvml, ecc_errors, device, NVML_ERROR_UNCORRECTED, counter, &count))
        *reading = (int64_t)count;
}

static void read_remapped_rows(struct lab_nvml *nvml, nvml_handle device, int64_t readings[LAB_READINGS])
{
    unsigned corrected, uncorrected, pending, failed;
    if (!CALL(nvml, remapped_rows, device, &corrected, &uncorrected, &pending, &failed))
        return;
    readings[LAB_READING_REMAPPED_ROWS] = uncorrected;
    readings[LAB_READING_REMAP_PENDING] = pending != 0;
    readings[LAB_READING_REMAP_FAILED] = failed != 0;
}

/* The pages of a cause; -1 when unknown. */
static int64_t count_retired_pages(struct lab_nvml *nvml, nvml_handle device, enum nvml_retirement cause)
{
    unsigned count = 0; /* as for processes: space for 0 addresses, replaced by the number of pages */
    if (nvml->retired_pages == NULL)
        return -1;
    int result = nvml->retired_pages(device, cause, &count, NULL);
    return result == NVML_SUCCESS || result == NVML_INSUFFICIENT_SIZE ? (int64_t)count : -1;
}

static void read_retired_pages(struct lab_nvml *nvml, nvml_handle device, int64_t readings[LAB_READINGS])
{
    int64_t corrected = count_retired_pages(nvml, device, NVML_CORRECTED_TWICE),
            uncorrected = count_retired_pages(nvml, device, NVML_UNCORRECTED);
    int pending;
    if (corrected >= 0 && uncorrected >= 0)
        readings[LAB_READING_RETIRED_PAGES] = corrected + uncorrected;
    if (CALL(nvml, retirement_pending, device, &pending))
        readings[LAB_READING_RETIREMENT_PENDING] = pending != 0;
}

bool lab_nvml_readings(struct lab_nvml *nvml, const char *uuid, int64_t readings[LAB_READINGS])
{
    struct device device;
    for (size_t i = 0; i < LAB_READINGS; i++)
        readings[i] = LAB_UNKNOWN;
    if (!find(nvml, uuid, &device))
        return false;
    read_link(nvml, device.gpu, readings);
    read_ecc_errors(nvml, device.gpu, NVML_SINCE_LOADED, &readings[LAB_READING_ECC_UNCORRECTED]);
    read_ecc_errors(nvml, device.gpu, NVML_LIFETIME, &readings[LAB_READING_ECC_UNCORRECTED_LIFETIME]);
    read_remapped_rows(nvml, device.gpu, readings);
    read_retired_pages(nvml, device.gpu, readings);
    int processes = lab_nvml_process_count(nvml, uuid);
    if (processes >= 0)
        readings[LAB_READING_PROCESSES] = processes;
    return true;
}
