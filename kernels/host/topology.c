/* Reads the cores, caches and NUMA nodes of the machine. */
#include "topology.h"

#include "core/cpu_list.h"
#include "facts/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, LIST_BYTES = 4096, CACHE_INDICES_MAX = 16 };

bool lab_host_read_text(const char *root, const char *path, char *text, size_t size)
{
    char full_path[2 * PATH_BYTES];
    int length = snprintf(full_path, sizeof full_path, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof full_path)
        return false;
    int file = open(full_path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    size_t filled = 0;
    ssize_t got = 0;
    do {
        got = read(file, text + filled, size - 1 - filled);
        filled += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EINTR));
    close(file);
    while (filled > 0 && text[filled - 1] == '\n')
        filled--;
    text[filled] = '\0';
    return got >= 0;
}

static bool read_cpus(const char *root, const char *path, cpu_set_t *cpus)
{
    char text[LIST_BYTES];
    return lab_host_read_text(root, path, text, sizeof text) && lab_cpu_list_parse(text, cpus);
}

/* Reads the numbers of the NUMA nodes; the file has the format of a CPU list. */
static bool read_nodes(const char *root, cpu_set_t *nodes)
{
    return read_cpus(root, "/sys/devices/system/node/online", nodes);
}

static bool read_node_cpus(const char *root, size_t node, cpu_set_t *cpus)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%zu/cpulist", node);
    return read_cpus(root, path, cpus);
}

int64_t lab_host_node_of(const char *root, const cpu_set_t *cores)
{
    cpu_set_t nodes, cpus, both;
    if (!read_nodes(root, &nodes))
        return -1;
    for (size_t node = 0; node < CPU_SETSIZE; node++) {
        if (!CPU_ISSET(node, &nodes) || !read_node_cpus(root, node, &cpus))
            continue;
        CPU_AND(&both, &cpus, cores);
        if (CPU_EQUAL(&both, cores))
            return (int64_t)node;
    }
    return LAB_UNKNOWN;
}

static size_t append_cpus(const cpu_set_t *cpus, size_t *order, size_t count)
{
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, cpus))
            order[count++] = cpu;
    return count;
}

/* Writes the numbers of the CPUs into `order`: CPUs of the same node are consecutive, CPUs without a node are last.
 * Returns how many there are. */
static size_t order_by_node(const char *root, const cpu_set_t *cores, size_t *order)
{
    cpu_set_t nodes, cpus, left = *cores;
    size_t count = 0;
    if (!read_nodes(root, &nodes))
        CPU_ZERO(&nodes);
    for (size_t node = 0; node < CPU_SETSIZE; node++) {
        if (!CPU_ISSET(node, &nodes) || !read_node_cpus(root, node, &cpus))
            continue;
        CPU_AND(&cpus, &cpus, &left);
        CPU_XOR(&left, &left, &cpus);
        count = append_cpus(&cpus, order, count);
    }
    return append_cpus(&left, order, count);
}

void lab_host_split_cores(const char *root, const cpu_set_t *cores, size_t parts, cpu_set_t *sets)
{
    size_t order[CPU_SETSIZE];
    size_t count = order_by_node(root, cores, order);
    for (size_t part = 0; part < parts; part++) {
        CPU_ZERO(&sets[part]);
        size_t begin = count * part / parts;
        size_t end = count * (part + 1) / parts;
        for (size_t i = begin; i < end || i == begin; i++)
            CPU_SET(order[i], &sets[part]);
    }
}

struct cache {
    uint64_t level, kib; /* level from 1, size in KiB */
    cpu_set_t sharers;   /* the CPUs that share the cache */
};

static bool read_cache(const char *root, size_t cpu, int index, struct cache *cache)
{
    char directory[PATH_BYTES], path[PATH_BYTES + 32], level[32], size[32];
    snprintf(directory, sizeof directory, "/sys/devices/system/cpu/cpu%zu/cache/index%d", cpu, index);
    snprintf(path, sizeof path, "%s/level", directory);
    if (!lab_host_read_text(root, path, level, sizeof level) || sscanf(level, "%" SCNu64, &cache->level) != 1)
        return false;
    snprintf(path, sizeof path, "%s/size", directory);
    if (!lab_host_read_text(root, path, size, sizeof size) || sscanf(size, "%" SCNu64 "K", &cache->kib) != 1)
        return false;
    snprintf(path, sizeof path, "%s/shared_cpu_list", directory);
    return read_cpus(root, path, &cache->sharers) && CPU_ISSET(cpu, &cache->sharers);
}

static bool read_last_cache(const char *root, size_t cpu, struct cache *last)
{
    struct cache cache;
    *last = (struct cache){0};
    for (int index = 0; index < CACHE_INDICES_MAX; index++)
        if (read_cache(root, cpu, index, &cache) && cache.level > last->level)
            *last = cache;
    return last->level > 0;
}

int64_t lab_host_cache_bytes(const char *root, const cpu_set_t *cores)
{
    cpu_set_t seen;
    uint64_t kib = 0;
    CPU_ZERO(&seen);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        struct cache last;
        if (!CPU_ISSET(cpu, cores) || CPU_ISSET(cpu, &seen))
            continue;
        if (!read_last_cache(root, cpu, &last))
            return LAB_UNKNOWN;
        CPU_OR(&seen, &seen, &last.sharers);
        kib += last.kib;
    }
    return kib > 0 ? (int64_t)(kib * 1024) : LAB_UNKNOWN;
}
