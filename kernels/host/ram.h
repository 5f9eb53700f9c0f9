/* The memory that this process may use: the machine's memory, or less if its control groups (cgroups) limit it.
 */
#ifndef LAB_HOST_RAM_H
#define LAB_HOST_RAM_H

#include <stdbool.h>
#include <stdint.h>

struct host_ram {
    uint64_t total;     /* bytes that the process may use */
    uint64_t available; /* bytes that can be allocated now; 1/64 of the total is left to the system */
};

/* Reads /proc and /sys below the directory `root`, which is "" except in tests. Returns false when /proc/meminfo cannot
 * be read. */
bool lab_host_ram(const char *root, struct host_ram *ram);

#endif
