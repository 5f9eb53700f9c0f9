#include "facts.h"

#include "host.h"
#include "topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { CPUINFO_BYTES = 8192 };

/* Reads the value of the first line "name : value" in /proc/cpuinfo, which belongs to the first processor. */
static bool read_cpuinfo(const char *root, const char *name, char *value, size_t size)
{
    char text[CPUINFO_BYTES], *rest = NULL;
    if (!lab_host_read_text(root, "/proc/cpuinfo", text, sizeof text))
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, name, strlen(name)) != 0 || colon == NULL ||
            line + strlen(name) + strspn(line + strlen(name), " \t") != colon)
            continue;
        snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        return value[0] != '\0';
    }
    return false;
}

static void read_model(const char *root, char *model, size_t size)
{
    struct utsname machine;
    if (read_cpuinfo(root, "model name", model, size))
        return;
    snprintf(model, size, "%.48s", uname(&machine) == 0 ? machine.machine : "of unknown model");
}

/* The clock of the first of the cores, in Hz: the maximum clock if Linux scales frequencies, else the clock in
 * /proc/cpuinfo, which is the nominal clock on a virtual machine. LAB_UNKNOWN_REAL if neither can be read. */
static double read_clock(const char *root, const cpu_set_t *cores)
{
    char path[128], text[64];
    size_t cpu = 0;
    while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, cores))
        cpu++;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/cpufreq/cpuinfo_max_freq", cpu);
    double hz = lab_host_read_text(root, path, text, sizeof text) ? strtod(text, NULL) * 1e3 : 0;
    if (hz <= 0 && read_cpuinfo(root, "cpu MHz", text, sizeof text))
        hz = strtod(text, NULL) * 1e6;
    return hz > 0 ? hz : LAB_UNKNOWN_REAL;
}

/* The 64-bit FNV-1a hash of a text. */
static uint64_t hash(const char *text)
{
    uint64_t state = 0xCBF29CE484222325U;
    for (; *text != '\0'; text++)
        state = (state ^ (unsigned char)*text) * 0x100000001B3U;
    return state;
}

/* A number that identifies this machine and stays the same after a restart. It is a hash, because machine-id(5) forbids
 * showing the machine id. If there is no machine id, it is a hash of the host name, which in a container may change
 * with every start. */
static uint64_t machine_hash(const char *root)
{
    static const char *const sources[] = {"/etc/machine-id", "/var/lib/dbus/machine-id",
                                          "/sys/class/dmi/id/product_uuid"};
    char text[256] = "";
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (lab_host_read_text(root, sources[i], text, sizeof text) && strlen(text) >= 32)
            return hash(text);
    if (gethostname(text, sizeof text - 1) != 0)
        text[0] = '\0';
    return hash(text);
}

/* Devices with equal parts of the CPU have the same name, as GPUs of one model have. */
static void write_name(const char *root, size_t count, bool shared, int cores, struct lab_device_facts *facts)
{
    char model[60], part[48] = "";
    read_model(root, model, sizeof model);
    if (count > 1 && shared)
        snprintf(part, sizeof part, ", one of %u on shared cores", (unsigned)count);
    else if (count > 1)
        snprintf(part, sizeof part, ", one of %u with %d core%s", (unsigned)count, cores, cores == 1 ? "" : "s");
    snprintf(facts->name, sizeof facts->name, "CPU (host runtime) %s%s", model, part);
}

void lab_host_describe(const char *root, size_t ordinal, size_t count, bool shared, const cpu_set_t *cores,
                       uint64_t memory_bytes, struct lab_device_facts *facts)
{
    lab_facts_clear(facts);
    snprintf(facts->id, sizeof facts->id, LAB_HOST_ID "%zu-%012llx", ordinal,
             (unsigned long long)(machine_hash(root) & 0xFFFFFFFFFFFFU));
    snprintf(facts->backend, sizeof facts->backend, "%s", LAB_HOST_RUNTIME_NAME);
    write_name(root, count, shared, CPU_COUNT(cores), facts);
    facts->ordinal = (int64_t)ordinal;
    facts->multiprocessors = CPU_COUNT(cores);
    facts->clock_hz = read_clock(root, cores);
    facts->l2_bytes = lab_host_cache_bytes(root, cores);
    facts->total_memory_bytes = (int64_t)memory_bytes;
    facts->numa_node = lab_host_node_of(root, cores);
    facts->copy_engines = 2;
    facts->concurrent_kernels = 0;
    facts->can_map_host_memory = 1;
    facts->unified_addressing = 1;
}
