/* The facts of a device made of CPU cores.
 */
#ifndef LAB_HOST_FACTS_H
#define LAB_HOST_FACTS_H

#include "facts/facts.h"

#include <sched.h>

/* Sets the facts of device `ordinal` of `count`, except its peers, from /proc and /sys below the directory `root`,
 * which is "" except in tests. `shared`: its cores also belong to other devices. `memory_bytes`: the memory of the
 * device. */
void lab_host_describe(const char *root, size_t ordinal, size_t count, bool shared, const cpu_set_t *cores,
                       uint64_t memory_bytes, struct lab_device_facts *facts);

#endif
