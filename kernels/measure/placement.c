/* Binds a thread to a NUMA node: reads the processors of the node from sysfs and sets the thread's affinity mask. */
#include "measure/placement.h"

#include "core/cpu_list.h"
#include "facts/facts.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

static const char *nodes = LAB_PLACEMENT_NODES;

/* The affinity before the first lab_placement_bind. A thread that is started later has that of its creator, which may
 * be bound. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cpu_set_t original;
static bool have_original;

static _Thread_local int64_t bound = LAB_UNKNOWN; /* the node that this thread is bound to */

static void keep_original(void)
{
    have_original = sched_getaffinity(0, sizeof original, &original) == 0;
}

static bool processors_of(int64_t node, cpu_set_t *set)
{
    char path[PATH_MAX], list[4096];
    snprintf(path, sizeof path, "%s/node%lld/cpulist", nodes, (long long)node);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool good = fgets(list, sizeof list, file) != NULL && lab_cpu_list_parse(list, set);
    fclose(file);
    return good;
}

int64_t lab_placement_bind(int64_t node)
{
    cpu_set_t wanted;
    if (node >= 0 && node == bound)
        return node;
    pthread_once(&once, keep_original);
    if (node < 0 || !have_original || !processors_of(node, &wanted))
        return LAB_UNKNOWN;
    CPU_AND(&wanted, &wanted, &original);
    if (CPU_COUNT(&wanted) == 0 || sched_setaffinity(0, sizeof wanted, &wanted) != 0)
        return LAB_UNKNOWN;
    bound = node;
    return node;
}

void lab_placement_release(void)
{
    if (have_original)
        sched_setaffinity(0, sizeof original, &original);
    bound = LAB_UNKNOWN;
}

void lab_placement_return(int64_t node)
{
    if (lab_placement_bind(node) == LAB_UNKNOWN)
        lab_placement_release();
}

void lab_placement_read_nodes(const char *folder)
{
    nodes = folder;
}
