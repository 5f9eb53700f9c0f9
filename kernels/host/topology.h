/* Reads the machine's cores, caches and NUMA nodes from /sys below the directory `root`, which is "" except in tests.
 */
#ifndef LAB_HOST_TOPOLOGY_H
#define LAB_HOST_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the small file root + path into `text`: at most size - 1 bytes, without the newlines at its end. Returns false
 * when it cannot be read. */
bool lab_host_read_text(const char *root, const char *path, char *text, size_t size);

/* Splits `cores` into `parts` sets so that cores of one NUMA node stay together. If there are more parts than cores,
 * some parts share a core. */
void lab_host_split_cores(const char *root, const cpu_set_t *cores, size_t parts, cpu_set_t *sets);

/* The NUMA node that all these cores belong to; LAB_UNKNOWN if they belong to several; -1 if the machine reports no
 * nodes. */
int64_t lab_host_node_of(const char *root, const cpu_set_t *cores);

/* The total size in bytes of the last-level caches of these cores; LAB_UNKNOWN if it cannot be read. */
int64_t lab_host_cache_bytes(const char *root, const cpu_set_t *cores);

#endif
