/* The facts of a device, known before anything runs on it: the attributes that NVIDIA's deviceQuery sample lists, the
 * links, and the peaks computed from the attributes. One table of the fields in facts.c is used to write and to read
 * JSON. The worker sends the facts as JSON, the server reads them, and the plans of experiments use them, so that they
 * need no device.
 */
#ifndef LAB_FACTS_H
#define LAB_FACTS_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A fact that is not known on this machine. Written to JSON as null. Unknown text is "". */
#define LAB_UNKNOWN INT64_MIN
#define LAB_UNKNOWN_REAL ((double)NAN)

/* The ids of host devices begin with it, and no others. */
#define LAB_HOST_ID "host-"

enum { LAB_ID_MAX = 64, LAB_NAME_MAX = 128, LAB_PEERS_MAX = 16 };

/* How a device accesses the memory of another one. */
struct lab_peer_fact {
    char id[LAB_ID_MAX];     /* the other device */
    bool access;             /* this device can load from and store to the other's memory */
    bool native_atomics;     /* atomics work over the link */
    int64_t rank;            /* cudaDevP2PAttrPerformanceRank; 0 is the fastest link */
    char link[LAB_ID_MAX];   /* "NVLink x18", "PCIe", "same memory"; "" unknown */
    double peak_bytes_per_s; /* of the NVLinks, in one direction (METHOD.md 14); 0: not known, or another link */
};

struct lab_device_facts {
    char id[LAB_ID_MAX]; /* the same after a restart: "GPU-<uuid>", "MIG-<uuid>" or LAB_HOST_ID "<n>-<machine>" */
    int64_t ordinal;     /* index in its runtime, from 0 */
    char backend[16];    /* name of the runtime: "cuda", "host" */
    char name[LAB_NAME_MAX];

    char driver_version[16];  /* highest CUDA version that the driver supports, "13.0" */
    char driver_release[32];  /* driver release from NVML, "580.159.04" */
    char runtime_version[16]; /* CUDA runtime that is linked, "13.0" */
    char compute_capability[8];
    int64_t total_memory_bytes;
    int64_t multiprocessors; /* host runtime: cores */
    int64_t cuda_cores;      /* multiprocessors x units for fp32 of one */
    double clock_hz;         /* maximum SM clock */
    double memory_clock_hz;
    int64_t memory_bus_bits;
    int64_t l2_bytes; /* host runtime: last-level cache */
    int64_t persisting_l2_max_bytes;
    int64_t constant_memory_bytes;
    int64_t shared_per_block_bytes;
    int64_t shared_per_block_optin_bytes;
    int64_t shared_per_multiprocessor_bytes;
    int64_t reserved_shared_per_block_bytes;
    int64_t registers_per_block;
    int64_t registers_per_multiprocessor;
    int64_t warp_size;
    int64_t max_threads_per_multiprocessor;
    int64_t max_threads_per_block;
    int64_t max_blocks_per_multiprocessor;
    int64_t max_block_dim[3];
    int64_t max_grid_dim[3];
    int64_t max_pitch_bytes;
    int64_t texture_alignment_bytes;
    int64_t texture_pitch_alignment_bytes;
    int64_t surface_alignment_bytes;
    int64_t max_texture_1d;
    int64_t max_texture_2d[2];
    int64_t max_texture_3d[3];
    int64_t max_texture_1d_layered[2]; /* width, layers */
    int64_t max_texture_2d_layered[3]; /* width, height, layers */
    int64_t copy_engines;              /* asynchronous copy engines */
    int64_t concurrent_kernels;        /* boolean */
    int64_t kernel_time_limit;         /* boolean */
    int64_t integrated;                /* boolean */
    int64_t can_map_host_memory;       /* boolean */
    int64_t ecc_enabled;               /* boolean */
    int64_t unified_addressing;        /* boolean */
    int64_t managed_memory;            /* boolean */
    int64_t concurrent_managed_access; /* boolean */
    int64_t pageable_memory_access;    /* boolean */
    int64_t compute_preemption;        /* boolean */
    int64_t cooperative_launch;        /* boolean */
    int64_t cluster_launch;            /* boolean */
    int64_t stream_priorities;         /* boolean */
    int64_t persistence_mode;          /* boolean: the driver stays loaded while no program runs */
    char compute_mode[24];             /* "default", "exclusive-process", "prohibited" */
    char uuid[LAB_ID_MAX];
    char pci_address[24];           /* "0000:3b:00.0" */
    char pci_root_port[24];         /* of the host, through which the device is reached; "": not known */
    int64_t pcie_max_generation;    /* the highest that card and slot both support */
    int64_t pcie_max_width;         /* lanes */
    double pcie_peak_bytes_per_s;   /* one direction, after line coding (METHOD.md 14) */
    int64_t numa_node;              /* nearest to the device; -1 on a machine without NUMA */
    double memory_peak_bytes_per_s; /* 2 x memory clock x bus width / 8 */
    double fp32_peak_flops;         /* "fp32 cores": multiprocessors x clock x results per clock x 2 */
    double fp64_peak_flops;         /* "fp64 cores" */
    double tensor_fp64_peak_flops;  /* "fp64 tensor cores"; this and the peaks below are without sparsity */
    double tensor_tf32_peak_flops;
    double tensor_bf16_peak_flops;
    double tensor_fp16_peak_flops;
    double tensor_fp8_peak_flops;

    size_t peer_count;
    struct lab_peer_fact peers[LAB_PEERS_MAX];
};

/* Sets every field to unknown. */
void lab_facts_clear(struct lab_device_facts *facts);

/* Whether the JSON of a device has a fact of that name among its properties. */
bool lab_fact_exists(const char *name);

/* The multiprocessors or cores of the device, for sizes of grids: 1 if their number is not known. */
static inline uint64_t lab_facts_multiprocessors(const struct lab_device_facts *device)
{
    return device->multiprocessors > 0 ? (uint64_t)device->multiprocessors : 1;
}

/* Whether the device consists of CPU cores: it has no warps, multiprocessors or shared memory. */
static inline bool lab_facts_is_cpu(const struct lab_device_facts *device)
{
    return strcmp(device->backend, "host") == 0;
}

/* {id, ordinal, backend, name, properties{…}, peers[…]}; a new reference, NULL when out of memory. */
json_t *lab_facts_to_json(const struct lab_device_facts *facts);

/* Reads the object that lab_facts_to_json writes. Fields that are missing or null become unknown. Returns false, with
 * all facts unknown, when `json` has no string "id" or no object "properties". */
bool lab_facts_from_json(const json_t *json, struct lab_device_facts *facts);

/* The unit of a property ("B", "Hz", "bit", "B/s", "FLOP/s", "" for none), or NULL for a name that is not a
 * property. */
const char *lab_facts_unit(const char *property);

#endif
