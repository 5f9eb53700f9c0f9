/* How much memory this process may use: the machine's, or less where its control groups allow less.
 */
#ifndef LAB_HOST_RAM_H
#define LAB_HOST_RAM_H

#include <stdbool.h>
#include <stdint.h>

/* In bytes: at all, and at this moment. `available` leaves 1/64 of the total to the system. */
struct host_ram {
    uint64_t total, available;
};

/* From the kernel's files below `root`, which is "" except in tests. False when /proc/meminfo cannot be read. */
bool lab_host_ram(const char *root, struct host_ram *ram);

#endif
