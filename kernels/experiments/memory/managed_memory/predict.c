/* Predicts what accesses of managed memory take. */
#include "managed_memory.h"

#include <math.h>
#include <string.h>

static const double launch_s = 10e-6;      /* of a launch or a move with its wait */
static const double block_bytes = 2097152; /* the driver handles faults in blocks of this size */
static const double block_s = 30e-6;       /* of the faults of a block, besides moving its pages */
static const double page_s = 0.5e-6,
                    word_s = 20e-9; /* of a fault of the host that makes a page, and of a word without a fault */

/* What it takes to bring the pages to the side that accesses them. */
static double bring_s(const struct lab_device_facts *device, const struct managed_memory_variant *variant, double bytes)
{
    double faults_s = block_s * ceil(bytes / block_bytes), link_s = bytes / device->pcie_peak_bytes_per_s;
    if (variant->before == MANAGED_MEMORY_UNTOUCHED)
        return faults_s + bytes / device->memory_peak_bytes_per_s; /* made of zeros */
    if (variant->copied || variant->prefetched || variant->advice == LAB_ADVICE_STAY_ON_HOST)
        return link_s;
    return variant->moves ? faults_s + link_s : 0;
}

double managed_memory_predict(const struct lab_device_facts *device, const struct managed_memory_variant *variant,
                              double bytes, double page_bytes)
{
    double pages = ceil(bytes / page_bytes), accesses = variant->before == MANAGED_MEMORY_UNTOUCHED ? 1 : 2;
    if (variant->by_host && variant->before == MANAGED_MEMORY_UNTOUCHED)
        return pages * page_s;
    if (variant->by_host && variant->advice == LAB_ADVICE_READ_MOSTLY)
        return pages * word_s;
    if (isnan(device->pcie_peak_bytes_per_s) || isnan(device->memory_peak_bytes_per_s))
        return (double)NAN;
    double access_s = variant->by_host ? pages * word_s : accesses * bytes / device->memory_peak_bytes_per_s;
    return launch_s + bring_s(device, variant, bytes) + access_s;
}

const char *managed_memory_shared(const struct lab_device_facts *device, int64_t processes)
{
    if (strncmp(device->id, "MIG-", 4) == 0)
        return "the device is a part of a GPU, whose link and driver others share: moving pages would disturb them";
    if (processes != LAB_UNKNOWN && processes > 1)
        return "other processes use the device: moving pages would disturb them";
    return NULL;
}
