/* Predicts what accesses of managed memory take. */
#include "managed_memory.h"

#include <math.h>
#include <string.h>

static const double launch_s = 10e-6; /* of a launch or a move with its wait */

/* As on an H100 with its host: the faults of a kernel and of the host, and the bytes for which there is one; of the
 * host also a page that it makes, after a start, a page that it finds again after a move, and a word without a
 * fault. */
static const double fault_s = 40e-6, fault_bytes = 262144, host_fault_s = 18e-6, host_fault_bytes = 65536;
static const double start_s = 150e-6, page_s = 1.5e-6, found_s = 0.35e-6, word_s = 30e-9;

static double host_seconds(const struct managed_memory_variant *variant, double link_s, double bytes, double page_bytes)
{
    double pages = ceil(bytes / page_bytes);
    if (variant->before == MANAGED_MEMORY_UNTOUCHED)
        return start_s + pages * page_s;
    if (variant->prefetched)
        return launch_s + link_s + pages * found_s;
    return variant->advice == LAB_ADVICE_READ_MOSTLY ? pages * word_s
                                                     : link_s + host_fault_s * ceil(bytes / host_fault_bytes);
}

/* Pages that nobody has touched are made of zeros, others are read, and the result is written. */
static double kernel_seconds(const struct managed_memory_variant *variant, double link_s, double memory_s, double bytes)
{
    double access_s = launch_s + 2 * memory_s, faults_s = fault_s * ceil(bytes / fault_bytes);
    if (variant->before == MANAGED_MEMORY_UNTOUCHED)
        return access_s + faults_s;
    if (variant->copied || variant->prefetched || variant->advice == LAB_ADVICE_STAY_ON_HOST)
        return access_s + link_s;
    return variant->moves ? access_s + faults_s + link_s : access_s;
}

double managed_memory_predict(const struct lab_device_facts *device, const struct managed_memory_variant *variant,
                              double bytes, double page_bytes)
{
    double link_s = bytes / device->pcie_peak_bytes_per_s, memory_s = bytes / device->memory_peak_bytes_per_s;
    if (isnan(link_s) || isnan(memory_s))
        return (double)NAN;
    return variant->by_host ? host_seconds(variant, link_s, bytes, page_bytes)
                            : kernel_seconds(variant, link_s, memory_s, bytes);
}

const char *managed_memory_shared(const struct lab_device_facts *device, int64_t processes)
{
    if (strncmp(device->id, "MIG-", 4) == 0)
        return "the device is a part of a GPU, whose link and driver others share: moving pages would disturb them";
    if (processes != LAB_UNKNOWN && processes > 1)
        return "other processes use the device: moving pages would disturb them";
    return NULL;
}
