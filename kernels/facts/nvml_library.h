/* The declarations of NVML that this project uses, and the table of its functions; only for nvml.c, xids.c and
 * nvml_library.c. NVIDIA's nvml.h is not included, because it is part of the toolkit and the server is also built
 * without one. Layouts are those of nvml.h since R470. The version field of a structure holds its size in the low 24
 * bits and its version number in the high 8 bits.
 */
#ifndef LAB_NVML_LIBRARY_H
#define LAB_NVML_LIBRARY_H

#include <stdbool.h>

typedef struct nvml_device *nvml_handle;
typedef struct nvml_events *nvml_event_set;

enum nvml_return { NVML_SUCCESS = 0, NVML_INSUFFICIENT_SIZE = 7 };
enum nvml_clock { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum nvml_counter { NVML_SINCE_LOADED = 0, NVML_LIFETIME = 1 };
enum nvml_retirement { NVML_CORRECTED_TWICE = 0, NVML_UNCORRECTED = 1 };
enum { NVML_ERROR_UNCORRECTED = 1, NVML_EVENT_XID = 8 };
enum { NVML_SENSOR_GPU = 0, NVML_P2P_NVLINK = 2, NVML_P2P_OK = 0, NVML_LINKS_MAX = 36, NVML_TEXT_MAX = 96 };

struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
};

struct nvml_utilization {
    unsigned gpu, memory; /* percent */
};

struct nvml_memory {
    unsigned long long total, free, used; /* bytes; `used` includes the memory that the driver reserves */
};

struct nvml_memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used; /* bytes; `used` does not include `reserved` */
};

struct nvml_temperature_v1 {
    unsigned version;
    int sensor;
    int temperature;
};

struct nvml_event {
    nvml_handle device;
    unsigned long long type, data; /* data: of NVML_EVENT_XID its number */
    unsigned gpu_instance, compute_instance;
};

_Static_assert(sizeof(struct nvml_pci) == 68 && sizeof(struct nvml_memory_v2) == 40 &&
                   sizeof(struct nvml_temperature_v1) == 12 && sizeof(struct nvml_event) == 32,
               "the struct sizes must match those in nvml.h");

#define NVML_VERSION_OF(type, number) ((unsigned)sizeof(type) | (unsigned)(number) << 24)

/* The functions of NVML. The pointer to a function that the library does not have is NULL. init, shutdown and
 * handle_by_uuid are never NULL, because every version of NVML has them. */
struct lab_nvml {
    void *library; /* handle of dlopen; NULL when the functions come from lab_nvml_open_with */
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_string)(int result);
    int (*driver_version)(char *text, unsigned size);
    int (*device_count)(unsigned *count);
    int (*handle_by_index)(unsigned index, nvml_handle *device);
    int (*handle_by_uuid)(const char *uuid, nvml_handle *device);
    int (*parent_of_mig)(nvml_handle mig, nvml_handle *device);
    int (*name)(nvml_handle device, char *text, unsigned size);
    int (*uuid)(nvml_handle device, char *text, unsigned size);
    int (*pci)(nvml_handle device, struct nvml_pci *pci);
    int (*ecc)(nvml_handle device, int *current, int *pending);
    int (*persistence)(nvml_handle device, int *enabled);
    int (*clock)(nvml_handle device, int kind, unsigned *mhz);
    int (*temperature_v)(nvml_handle device, struct nvml_temperature_v1 *temperature);
    int (*temperature)(nvml_handle device, int sensor, unsigned *celsius);
    int (*power)(nvml_handle device, unsigned *milliwatt);
    int (*power_limit)(nvml_handle device, unsigned *milliwatt);
    int (*usual_power_limit)(nvml_handle device, unsigned *milliwatt);
    int (*mig_mode)(nvml_handle device, unsigned *current, unsigned *pending);
    int (*compute_mode)(nvml_handle device, int *mode);
    int (*energy)(nvml_handle device, unsigned long long *millijoule);
    int (*clock_reasons)(nvml_handle device, unsigned long long *reasons);
    int (*utilization)(nvml_handle device, struct nvml_utilization *utilization);
    int (*memory_v2)(nvml_handle device, struct nvml_memory_v2 *memory);
    int (*memory)(nvml_handle device, struct nvml_memory *memory);
    int (*processes)(nvml_handle device, unsigned *count, void *records);
    int (*pcie_max_generation)(nvml_handle device, unsigned *generation);
    int (*pcie_max_width)(nvml_handle device, unsigned *lanes);
    int (*pcie_generation)(nvml_handle device, unsigned *generation);
    int (*pcie_width)(nvml_handle device, unsigned *lanes);
    int (*ecc_errors)(nvml_handle device, int error, int counter, unsigned long long *count);
    int (*remapped_rows)(nvml_handle device, unsigned *corrected, unsigned *uncorrected, unsigned *pending,
                         unsigned *failed);
    int (*retired_pages)(nvml_handle device, int cause, unsigned *count, unsigned long long *addresses);
    int (*retirement_pending)(nvml_handle device, int *pending);
    int (*nvlink_state)(nvml_handle device, unsigned link, int *active);
    int (*nvlink_remote)(nvml_handle device, unsigned link, struct nvml_pci *pci);
    int (*event_set_create)(nvml_event_set *set);
    int (*register_events)(nvml_handle device, unsigned long long types, nvml_event_set set);
    int (*event_wait)(nvml_event_set set, struct nvml_event *event, unsigned timeout_ms);
    int (*event_set_free)(nvml_event_set set);
    int (*p2p_status)(nvml_handle device, nvml_handle other, int capability, int *status);
};

#endif
