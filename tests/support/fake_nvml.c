#include "support/fake_nvml.h"

char gpu[2], instance;
int started;
unsigned links_up;
bool links_direct;
int init_result;

static int fake_init(void)
{
    started += init_result == SUCCESS;
    return init_result;
}

static int fake_shutdown(void)
{
    started--;
    return SUCCESS;
}

static const char *fake_error_string(int result)
{
    return result == UNINITIALIZED ? "Driver Not Loaded" : "other";
}

static int fake_driver_version(char *text, unsigned size)
{
    return snprintf(text, size, "580.159.04") < (int)size ? SUCCESS : INSUFFICIENT_SIZE;
}

static int fake_count(unsigned *count)
{
    *count = 2;
    return SUCCESS;
}

static int fake_by_index(unsigned index, void **handle)
{
    *handle = &gpu[index];
    return index < 2 ? SUCCESS : INVALID;
}

static int fake_by_uuid(const char *uuid, void **handle)
{
    static const struct {
        const char *uuid;
        void *handle;
    } known[] = {{UUID_0, &gpu[0]}, {UUID_1, &gpu[1]}, {UUID_MIG, &instance}};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(uuid, known[i].uuid) == 0) {
            *handle = known[i].handle;
            return SUCCESS;
        }
    return NOT_FOUND;
}

static int fake_parent(void *handle, void **parent)
{
    *parent = &gpu[0];
    return handle == &instance ? SUCCESS : INVALID;
}

static int fake_name(void *handle, char *text, unsigned size)
{
    snprintf(text, size, "GPU number %d", handle == &gpu[1]);
    return SUCCESS;
}

static int fake_uuid(void *handle, char *text, unsigned size)
{
    snprintf(text, size, "%s", handle == &gpu[1] ? UUID_1 : UUID_0);
    return SUCCESS;
}

struct fake_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
};

static int fake_pci(void *handle, struct fake_pci *pci)
{
    memset(pci, 0, sizeof *pci);
    pci->bus = handle == &gpu[1] ? 0x86 : 0x3b;
    snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
    return handle == &instance ? INVALID : SUCCESS;
}

static int fake_ecc(void *handle, int *current, int *pending)
{
    *current = *pending = handle == &gpu[0];
    return SUCCESS;
}

static int fake_persistence(void *handle, int *enabled)
{
    *enabled = handle == &gpu[0];
    return SUCCESS;
}

static int fake_clock(void *handle, int kind, unsigned *mhz)
{
    *mhz = kind == 1 ? 1980 : kind == 2 ? 3201 : 0;
    return handle == &instance ? NOT_SUPPORTED : SUCCESS;
}

static int fake_temperature_v(void *handle, unsigned reading[3])
{
    if (handle == &instance || reading[0] != (12 | 1u << 24) || reading[1] != 0)
        return INVALID;
    reading[2] = 41;
    return SUCCESS;
}

static int fake_temperature(void *handle, int sensor, unsigned *celsius)
{
    *celsius = 42;
    return handle == &instance || sensor != 0 ? NOT_SUPPORTED : SUCCESS;
}

static int fake_power(void *handle, unsigned *milliwatt)
{
    *milliwatt = 123500;
    return handle == &instance ? NOT_SUPPORTED : SUCCESS;
}

static int fake_power_limit(void *handle, unsigned *milliwatt)
{
    *milliwatt = 700000;
    return handle == &instance ? NOT_SUPPORTED : SUCCESS;
}

/* Above what is enforced, on GPU 1. */
static int fake_usual_power_limit(void *handle, unsigned *milliwatt)
{
    *milliwatt = handle == &gpu[1] ? 750000 : 700000;
    return handle == &instance ? NOT_SUPPORTED : SUCCESS;
}

static int fake_mig_mode(void *handle, unsigned *current, unsigned *pending)
{
    *current = *pending = handle == &gpu[0];
    return SUCCESS;
}

static int fake_compute_mode(void *handle, int *mode)
{
    *mode = handle == &gpu[0] ? 0 : 3;
    return SUCCESS;
}

static int fake_energy(void *handle, unsigned long long *millijoule)
{
    *millijoule = 5123456789;
    return handle == &gpu[0] ? SUCCESS : NOT_SUPPORTED;
}

static int fake_reasons(void *handle, unsigned long long *reasons)
{
    *reasons = handle == &gpu[0] ? 0x1 | 0x4 | 0x40 : 0x1;
    return SUCCESS;
}

static int fake_utilization(void *handle, unsigned busy[2])
{
    busy[0] = 97;
    busy[1] = 31;
    return handle == &instance ? NOT_SUPPORTED : SUCCESS;
}

static int fake_memory_v2(void *handle, void *memory)
{
    unsigned version;
    unsigned long long figures[4] = {handle == &instance ? 20 : 100, 1, 60, 39}; /* total, reserved, free, used */
    memcpy(&version, memory, sizeof version);
    if (version != (40 | 2u << 24))
        return INVALID;
    memcpy((char *)memory + 8, figures, sizeof figures);
    return SUCCESS;
}

static int fake_memory(void *handle, unsigned long long figures[3])
{
    (void)handle;
    figures[0] = 100; /* total, free, used */
    figures[1] = 60;
    figures[2] = 40;
    return SUCCESS;
}

static int fake_processes(void *handle, unsigned *count, void *records)
{
    unsigned running = handle == &gpu[0] ? 3 : 0;
    int result = *count < running ? INSUFFICIENT_SIZE : SUCCESS;
    assert_null(records);
    *count = running;
    return result;
}

static int fake_generation(void *handle, unsigned *generation)
{
    *generation = 5;
    return handle == &instance ? NOT_SUPPORTED : SUCCESS;
}

static int fake_width(void *handle, unsigned *lanes)
{
    *lanes = 16;
    return handle == &instance ? NOT_SUPPORTED : SUCCESS;
}

static int fake_ecc_errors(void *handle, int error, int counter, unsigned long long *count)
{
    *count = error == 1 ? (counter == 1 ? 7 : 2) : 1000;
    return handle == &gpu[0] ? SUCCESS : NOT_SUPPORTED;
}

static int fake_remapped_rows(void *handle, unsigned *corrected, unsigned *uncorrected, unsigned *pending,
                              unsigned *failed)
{
    *corrected = 9;
    *uncorrected = 3;
    *pending = 1;
    *failed = 0;
    return handle == &gpu[0] ? SUCCESS : NOT_SUPPORTED;
}

static int fake_retired_pages(void *handle, int cause, unsigned *count, unsigned long long *addresses)
{
    unsigned retired = handle == &gpu[1] && cause == 1 ? 4 : 0;
    int result = *count < retired ? INSUFFICIENT_SIZE : SUCCESS;
    assert_null(addresses);
    *count = retired;
    return handle == &gpu[1] ? result : NOT_SUPPORTED;
}

static int fake_retirement_pending(void *handle, int *pending)
{
    *pending = 1;
    return handle == &gpu[1] ? SUCCESS : NOT_SUPPORTED;
}

static int fake_link_state(void *handle, unsigned link, int *active)
{
    (void)handle;
    *active = link < links_up;
    return link < 18 ? SUCCESS : INVALID;
}

static int fake_link_remote(void *handle, unsigned link, struct fake_pci *pci)
{
    memset(pci, 0, sizeof *pci);
    pci->bus = !links_direct ? 0x05 : handle == &gpu[0] ? 0x86 : 0x3b;
    return link < links_up ? SUCCESS : INVALID;
}

static int fake_p2p(void *handle, void *other, int capability, int *status)
{
    *status = capability == 2 && links_up > 0 && handle != other ? 0 : 1;
    return SUCCESS;
}

/* --- the functions of each driver --------------------------------------------------------------------------------- */

unsigned xids_due[8];
size_t xid_count;
int event_sets;
static size_t xids_taken;
static bool watches;

/* As struct nvml_event of facts/nvml_library.h. */
struct event {
    void *device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};

static int fake_event_set_create(void **set)
{
    *set = &xids_due;
    event_sets++;
    xids_taken = 0;
    watches = false;
    return SUCCESS;
}

static int fake_register_events(void *handle, unsigned long long types, void *set)
{
    assert_ptr_equal(set, &xids_due);
    assert_int_equal(types, 8);
    watches = watches || handle == &gpu[0];
    return handle == &gpu[0] || handle == &gpu[1] ? SUCCESS : INVALID;
}

static int fake_event_wait(void *set, struct event *event, unsigned timeout_ms)
{
    enum { TIMEOUT = 10 };
    (void)timeout_ms;
    assert_ptr_equal(set, &xids_due);
    if (!watches || xids_taken == xid_count)
        return TIMEOUT;
    *event = (struct event){.device = &gpu[0], .type = 8, .data = xids_due[xids_taken++]};
    return SUCCESS;
}

static int fake_event_set_free(void *set)
{
    assert_ptr_equal(set, &xids_due);
    event_sets--;
    return SUCCESS;
}

static const struct {
    const char *name;
    void *function;
    enum age age;
} functions[] = {
    {"nvmlInit", (void *)fake_init, OLD},
    {"nvmlInit_v2", (void *)fake_init, NEW},
    {"nvmlShutdown", (void *)fake_shutdown, ALWAYS},
    {"nvmlErrorString", (void *)fake_error_string, ALWAYS},
    {"nvmlDeviceGetHandleByUUID", (void *)fake_by_uuid, ALWAYS},
    {"nvmlSystemGetDriverVersion", (void *)fake_driver_version, ALWAYS},
    {"nvmlDeviceGetCount", (void *)fake_count, OLD},
    {"nvmlDeviceGetCount_v2", (void *)fake_count, NEW},
    {"nvmlDeviceGetHandleByIndex", (void *)fake_by_index, OLD},
    {"nvmlDeviceGetHandleByIndex_v2", (void *)fake_by_index, NEW},
    {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle", (void *)fake_parent, NEW},
    {"nvmlDeviceGetName", (void *)fake_name, ALWAYS},
    {"nvmlDeviceGetUUID", (void *)fake_uuid, ALWAYS},
    {"nvmlDeviceGetPciInfo_v3", (void *)fake_pci, NEW},
    {"nvmlDeviceGetEccMode", (void *)fake_ecc, ALWAYS},
    {"nvmlDeviceGetPersistenceMode", (void *)fake_persistence, ALWAYS},
    {"nvmlDeviceGetClockInfo", (void *)fake_clock, ALWAYS},
    {"nvmlDeviceGetTemperatureV", (void *)fake_temperature_v, NEW},
    {"nvmlDeviceGetTemperature", (void *)fake_temperature, OLD},
    {"nvmlDeviceGetPowerUsage", (void *)fake_power, ALWAYS},
    {"nvmlDeviceGetEnforcedPowerLimit", (void *)fake_power_limit, ALWAYS},
    {"nvmlDeviceGetPowerManagementDefaultLimit", (void *)fake_usual_power_limit, ALWAYS},
    {"nvmlDeviceGetMigMode", (void *)fake_mig_mode, NEW},
    {"nvmlDeviceGetComputeMode", (void *)fake_compute_mode, ALWAYS},
    {"nvmlDeviceGetTotalEnergyConsumption", (void *)fake_energy, NEW},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", (void *)fake_reasons, OLD},
    {"nvmlDeviceGetCurrentClocksEventReasons", (void *)fake_reasons, NEW},
    {"nvmlDeviceGetUtilizationRates", (void *)fake_utilization, ALWAYS},
    {"nvmlDeviceGetMemoryInfo_v2", (void *)fake_memory_v2, NEW},
    {"nvmlDeviceGetMemoryInfo", (void *)fake_memory, ALWAYS},
    {"nvmlDeviceGetComputeRunningProcesses", (void *)fake_processes, OLD},
    {"nvmlDeviceGetComputeRunningProcesses_v3", (void *)fake_processes, NEW},
    {"nvmlDeviceGetMaxPcieLinkGeneration", (void *)fake_generation, ALWAYS},
    {"nvmlDeviceGetMaxPcieLinkWidth", (void *)fake_width, ALWAYS},
    {"nvmlDeviceGetCurrPcieLinkGeneration", (void *)fake_generation, ALWAYS},
    {"nvmlDeviceGetCurrPcieLinkWidth", (void *)fake_width, ALWAYS},
    {"nvmlDeviceGetTotalEccErrors", (void *)fake_ecc_errors, ALWAYS},
    {"nvmlDeviceGetRemappedRows", (void *)fake_remapped_rows, NEW},
    {"nvmlDeviceGetRetiredPages", (void *)fake_retired_pages, ALWAYS},
    {"nvmlDeviceGetRetiredPagesPendingStatus", (void *)fake_retirement_pending, ALWAYS},
    {"nvmlDeviceGetNvLinkState", (void *)fake_link_state, NEW},
    {"nvmlDeviceGetNvLinkRemotePciInfo_v2", (void *)fake_link_remote, NEW},
    {"nvmlDeviceGetP2PStatus", (void *)fake_p2p, NEW},
    {"nvmlEventSetCreate", (void *)fake_event_set_create, NEW},
    {"nvmlDeviceRegisterEvents", (void *)fake_register_events, NEW},
    {"nvmlEventSetWait_v2", (void *)fake_event_wait, NEW},
    {"nvmlEventSetFree", (void *)fake_event_set_free, NEW},
};

void *resolve(void *context, const char *symbol)
{
    const enum age *age = context;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if ((functions[i].age & *age) != 0 && strcmp(functions[i].name, symbol) == 0)
            return functions[i].function;
    return NULL;
}

void *resolve_bare(void *context, const char *symbol)
{
    static const char *const bare[] = {"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetHandleByUUID"};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(bare[i], symbol) == 0)
            return resolve(context, symbol);
    return NULL;
}

void *resolve_nothing(void *context, const char *symbol)
{
    (void)context;
    (void)symbol;
    return NULL;
}
