/* Reads the facts of a device from its CUDA attributes and from Linux' sysfs; neither needs a context. The worker adds
 * the facts that NVML reports (lab_nvml_complete). */
#include "facts.h"

#include "cuda.h"
#include "device.h"
#include "facts/pci.h"
#include "facts/peaks.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FACT(field) offsetof(struct lab_device_facts, field)
#define ELEMENT(field, index) (offsetof(struct lab_device_facts, field) + (index) * sizeof(int64_t))

/* Facts that equal one attribute of the device. If the driver does not support the attribute, the fact is unknown. */
static const struct {
    enum cudaDeviceAttr attribute;
    size_t offset;
} attributes[] = {
    {cudaDevAttrMultiProcessorCount, FACT(multiprocessors)},
    {cudaDevAttrGlobalMemoryBusWidth, FACT(memory_bus_bits)},
    {cudaDevAttrL2CacheSize, FACT(l2_bytes)},
    {cudaDevAttrMaxPersistingL2CacheSize, FACT(persisting_l2_max_bytes)},
    {cudaDevAttrTotalConstantMemory, FACT(constant_memory_bytes)},
    {cudaDevAttrMaxSharedMemoryPerBlock, FACT(shared_per_block_bytes)},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, FACT(shared_per_block_optin_bytes)},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, FACT(shared_per_multiprocessor_bytes)},
    {cudaDevAttrReservedSharedMemoryPerBlock, FACT(reserved_shared_per_block_bytes)},
    {cudaDevAttrMaxRegistersPerBlock, FACT(registers_per_block)},
    {cudaDevAttrMaxRegistersPerMultiprocessor, FACT(registers_per_multiprocessor)},
    {cudaDevAttrWarpSize, FACT(warp_size)},
    {cudaDevAttrMaxThreadsPerMultiProcessor, FACT(max_threads_per_multiprocessor)},
    {cudaDevAttrMaxThreadsPerBlock, FACT(max_threads_per_block)},
    {cudaDevAttrMaxBlocksPerMultiprocessor, FACT(max_blocks_per_multiprocessor)},
    {cudaDevAttrMaxBlockDimX, ELEMENT(max_block_dim, 0)},
    {cudaDevAttrMaxBlockDimY, ELEMENT(max_block_dim, 1)},
    {cudaDevAttrMaxBlockDimZ, ELEMENT(max_block_dim, 2)},
    {cudaDevAttrMaxGridDimX, ELEMENT(max_grid_dim, 0)},
    {cudaDevAttrMaxGridDimY, ELEMENT(max_grid_dim, 1)},
    {cudaDevAttrMaxGridDimZ, ELEMENT(max_grid_dim, 2)},
    {cudaDevAttrMaxPitch, FACT(max_pitch_bytes)},
    {cudaDevAttrTextureAlignment, FACT(texture_alignment_bytes)},
    {cudaDevAttrTexturePitchAlignment, FACT(texture_pitch_alignment_bytes)},
    {cudaDevAttrSurfaceAlignment, FACT(surface_alignment_bytes)},
    {cudaDevAttrMaxTexture1DWidth, FACT(max_texture_1d)},
    {cudaDevAttrMaxTexture2DWidth, ELEMENT(max_texture_2d, 0)},
    {cudaDevAttrMaxTexture2DHeight, ELEMENT(max_texture_2d, 1)},
    {cudaDevAttrMaxTexture3DWidth, ELEMENT(max_texture_3d, 0)},
    {cudaDevAttrMaxTexture3DHeight, ELEMENT(max_texture_3d, 1)},
    {cudaDevAttrMaxTexture3DDepth, ELEMENT(max_texture_3d, 2)},
    {cudaDevAttrMaxTexture1DLayeredWidth, ELEMENT(max_texture_1d_layered, 0)},
    {cudaDevAttrMaxTexture1DLayeredLayers, ELEMENT(max_texture_1d_layered, 1)},
    {cudaDevAttrMaxTexture2DLayeredWidth, ELEMENT(max_texture_2d_layered, 0)},
    {cudaDevAttrMaxTexture2DLayeredHeight, ELEMENT(max_texture_2d_layered, 1)},
    {cudaDevAttrMaxTexture2DLayeredLayers, ELEMENT(max_texture_2d_layered, 2)},
    {cudaDevAttrAsyncEngineCount, FACT(copy_engines)},
    {cudaDevAttrConcurrentKernels, FACT(concurrent_kernels)},
    {cudaDevAttrKernelExecTimeout, FACT(kernel_time_limit)},
    {cudaDevAttrIntegrated, FACT(integrated)},
    {cudaDevAttrCanMapHostMemory, FACT(can_map_host_memory)},
    {cudaDevAttrEccEnabled, FACT(ecc_enabled)},
    {cudaDevAttrUnifiedAddressing, FACT(unified_addressing)},
    {cudaDevAttrManagedMemory, FACT(managed_memory)},
    {cudaDevAttrConcurrentManagedAccess, FACT(concurrent_managed_access)},
    {cudaDevAttrPageableMemoryAccess, FACT(pageable_memory_access)},
    {cudaDevAttrComputePreemptionSupported, FACT(compute_preemption)},
    {cudaDevAttrCooperativeLaunch, FACT(cooperative_launch)},
    {cudaDevAttrClusterLaunch, FACT(cluster_launch)},
    {cudaDevAttrStreamPrioritiesSupported, FACT(stream_priorities)},
};

static int64_t read_attribute(int ordinal, enum cudaDeviceAttr attribute)
{
    int value;
    if (cudaDeviceGetAttribute(&value, attribute, ordinal) == cudaSuccess)
        return value;
    (void)cudaGetLastError();
    return LAB_UNKNOWN;
}

static double read_khz(int ordinal, enum cudaDeviceAttr attribute)
{
    int64_t khz = read_attribute(ordinal, attribute);
    return khz > 0 ? (double)khz * 1e3 : NAN;
}

static void write_compute_mode(int ordinal, struct lab_device_facts *facts)
{
    static const char *const modes[] = {
        [cudaComputeModeDefault] = "default",
        [cudaComputeModeExclusive] = "exclusive-thread",
        [cudaComputeModeProhibited] = "prohibited",
        [cudaComputeModeExclusiveProcess] = "exclusive-process",
    };
    int64_t mode = read_attribute(ordinal, cudaDevAttrComputeMode);
    if (mode >= 0 && mode < (int64_t)(sizeof modes / sizeof *modes))
        snprintf(facts->compute_mode, sizeof facts->compute_mode, "%s", modes[mode]);
}

/* Writes the UUID in nvidia-smi's format. CUDA has no attribute for MIG instances, but their names contain " MIG "
 * ("NVIDIA A100 … MIG 1g.5gb"), and their UUIDs are those of the instance. */
static void write_uuid(const struct cudaDeviceProp *properties, struct lab_device_facts *facts)
{
    const unsigned char *b = (const unsigned char *)properties->uuid.bytes;
    snprintf(facts->uuid, sizeof facts->uuid, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             strstr(properties->name, " MIG ") != NULL ? "MIG" : "GPU", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
             b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
    snprintf(facts->id, sizeof facts->id, "%s", facts->uuid);
}

/* Writes CUDA's version number as text: 13000 is "13.0", 12040 is "12.4". */
static void write_version(int version, char *text, size_t size)
{
    if (version > 0)
        snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

static void read_link(int ordinal, struct lab_device_facts *facts)
{
    char address[sizeof facts->pci_address] = "";
    if (cudaDeviceGetPCIBusId(address, sizeof address, ordinal) != cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    for (size_t i = 0; i < sizeof address; i++)
        facts->pci_address[i] = (char)tolower((unsigned char)address[i]);
    lab_pci_link(LAB_PCI_DEVICES, facts->pci_address, &facts->pcie_max_generation, &facts->pcie_max_width);
    lab_pci_root_port(LAB_PCI_DEVICES, facts->pci_address, facts->pci_root_port);
    facts->numa_node = lab_pci_numa_node(LAB_PCI_DEVICES, facts->pci_address);
}

bool lab_cuda_read_facts(int ordinal, struct lab_device_facts *facts, struct lab_error *error)
{
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    lab_facts_clear(facts);
    cudaError_t status = cudaGetDeviceProperties(&properties, ordinal);
    if (status != cudaSuccess)
        return lab_cuda_set_error(error, LAB_ERROR_NO_DEVICE, status, "reading the properties of a device");

    facts->ordinal = ordinal;
    snprintf(facts->backend, sizeof facts->backend, "%s", LAB_CUDA_RUNTIME_NAME);
    snprintf(facts->name, sizeof facts->name, "%.*s", (int)sizeof facts->name - 1, properties.name);
    write_uuid(&properties, facts);
    if (cudaDriverGetVersion(&driver) == cudaSuccess)
        write_version(driver, facts->driver_version, sizeof facts->driver_version);
    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess)
        write_version(runtime, facts->runtime_version, sizeof facts->runtime_version);
    snprintf(facts->compute_capability, sizeof facts->compute_capability, "%d.%d", properties.major, properties.minor);
    facts->total_memory_bytes = (int64_t)properties.totalGlobalMem;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        *(int64_t *)((char *)facts + attributes[i].offset) = read_attribute(ordinal, attributes[i].attribute);
    facts->clock_hz = read_khz(ordinal, cudaDevAttrClockRate);
    facts->memory_clock_hz = read_khz(ordinal, cudaDevAttrMemoryClockRate);
    write_compute_mode(ordinal, facts);
    read_link(ordinal, facts);
    lab_peaks_derive(facts);
    return true;
}

static int64_t read_peer_attribute(int from, int to, enum cudaDeviceP2PAttr attribute)
{
    int value;
    if (cudaDeviceGetP2PAttribute(&value, attribute, from, to) == cudaSuccess)
        return value;
    (void)cudaGetLastError();
    return LAB_UNKNOWN;
}

void lab_cuda_read_peers(struct lab_device_facts *all, size_t count, size_t ordinal)
{
    struct lab_device_facts *facts = &all[ordinal];
    int from = (int)ordinal;
    for (int to = 0; to < (int)count && facts->peer_count < LAB_PEERS_MAX; to++) {
        int access = 0;
        if (to == from)
            continue;
        struct lab_peer_fact *peer = &facts->peers[facts->peer_count++];
        *peer = (struct lab_peer_fact){.rank = read_peer_attribute(from, to, cudaDevP2PAttrPerformanceRank)};
        snprintf(peer->id, sizeof peer->id, "%s", all[to].id);
        if (cudaDeviceCanAccessPeer(&access, from, to) != cudaSuccess)
            (void)cudaGetLastError();
        peer->access = access != 0;
        peer->native_atomics = read_peer_attribute(from, to, cudaDevP2PAttrNativeAtomicSupported) == 1;
    }
}
