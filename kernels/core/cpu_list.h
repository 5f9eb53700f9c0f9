/* Lists of CPUs or NUMA nodes as the kernel writes them in /sys ("0-3,8,10-11"). */
#ifndef LAB_CPU_LIST_H
#define LAB_CPU_LIST_H

#include <sched.h>
#include <stdbool.h>

/* Reads a list, which ends with the text or with a newline. Numbers from CPU_SETSIZE on are left out. False for what is
 * not a list and for one without a number; *cpus is undefined then. */
bool lab_cpu_list_parse(const char *text, cpu_set_t *cpus);

#endif
