/* Facts of the host runtime's devices, read from this machine and from copies of /proc and /sys in a temporary folder
 * that describe other machines. */
#include "support/host_harness.h"
#include "support/test.h"

#include "host/facts.h"
#include "host/ram.h"
#include "host/topology.h"

#include "core/cpu_list.h"

#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- this machine ------------------------------------------------------------------------------------------------- */

DEVICE_TEST(test_facts_of_this_machine)
{
    const struct lab_device_facts *facts = runtime->facts(0);
    assert_int_equal(runtime->device_count(), 1);
    assert_string_equal(facts->id, device->facts.id);
    assert_int_equal(strncmp(facts->id, "host-0-", 7), 0);
    assert_int_equal(strlen(facts->id), 7 + 12);
    assert_string_equal(facts->backend, "host");
    assert_int_equal(strncmp(facts->name, "CPU (host runtime) ", 19), 0);
    assert_in_range(facts->multiprocessors, 1, 4096);
    assert_in_range(facts->total_memory_bytes, 1 << 20, INT64_MAX);
    assert_true(isnan(facts->clock_hz) || facts->clock_hz > 1e8);
    assert_true(facts->l2_bytes == LAB_UNKNOWN || facts->l2_bytes >= 1 << 16);
    assert_int_equal(facts->copy_engines, 2);
    assert_int_equal(facts->unified_addressing, 1);
    assert_int_equal(facts->peer_count, 0);
    assert_int_equal(facts->pcie_max_generation, LAB_UNKNOWN);
    assert_string_equal(facts->pci_address, "");
    assert_true(isnan(facts->memory_peak_bytes_per_s));
}

TEST(test_ids_stay_the_same_after_a_restart)
{
    char ids[2][LAB_ID_MAX];
    for (int i = 0; i < 2; i++) {
        struct lab_device *device = open_with(2, NULL);
        memcpy(ids[i], runtime->facts(1)->id, LAB_ID_MAX);
        assert_string_not_equal(runtime->facts(0)->id, runtime->facts(1)->id);
        close_and_stop(device);
    }
    assert_string_equal(ids[0], ids[1]);
}

/* More devices than cores are allowed; their names then say that cores are shared. */
TEST(test_sixteen_devices)
{
    struct lab_error error = {0};
    cpu_set_t cores;
    assert_int_equal(sched_getaffinity(0, sizeof cores, &cores), 0);
    struct lab_device *devices[16] = {open_with(16, NULL)};
    assert_int_equal(runtime->device_count(), 16);
    for (size_t i = 0; i < 16; i++) {
        const struct lab_device_facts *facts = runtime->facts(i);
        assert_true(facts->multiprocessors >= 1);
        assert_int_equal(strstr(facts->name, "shared") != NULL, CPU_COUNT(&cores) < 16);
        assert_int_equal(facts->peer_count, 15);
        assert_string_equal(facts->peers[0].link, "same memory");
        assert_string_not_equal(facts->peers[0].id, facts->id);
        if (i > 0)
            devices[i] = runtime->open(i, &error);
        assert_non_null(devices[i]);
        struct lab_stream *stream = runtime->stream_create(devices[i]);
        void *memory = allocate(devices[i], LAB_MEMORY_DEVICE, 1 << 20);
        fill(devices[i], stream, lab_region_of(memory, 1 << 20), i);
        assert_int_equal(count_wrong(devices[i], stream, lab_region_of(memory, 1 << 20), i), 0);
        runtime->stream_free(devices[i], stream);
        runtime->free(devices[i], LAB_MEMORY_DEVICE, memory);
    }
    assert_null(runtime->open(16, &error));
    assert_int_equal(error.code, LAB_ERROR_NO_DEVICE);
    for (size_t i = 1; i < 16; i++)
        runtime->close(devices[i]);
    close_and_stop(devices[0]);
    assert_false(runtime->start(&(struct lab_runtime_options){.host_devices = 17}, &error));
    assert_int_equal(error.code, LAB_ERROR_OUT_OF_BOUNDS);
}

TEST(test_cpu_affinity_is_respected)
{
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    lab_host_split_cores("", &before, 1, &one);
    assert_true(CPU_EQUAL(&one, &before));
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    struct lab_device *device = open_with(0, NULL);
    assert_int_equal(device->facts.multiprocessors, 1);
    struct lab_stream *stream = runtime->stream_create(device);
    void *memory = allocate(device, LAB_MEMORY_DEVICE, 4 << 20);
    fill(device, stream, lab_region_of(memory, 4 << 20), 1);
    assert_int_equal(count_wrong(device, stream, lab_region_of(memory, 4 << 20), 1), 0);
    runtime->stream_free(device, stream);
    runtime->free(device, LAB_MEMORY_DEVICE, memory);
    close_and_stop(device);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

/* --- other machines ----------------------------------------------------------------------------------------------- */

static int make_root(void **state)
{
    char *root = strdup("/tmp/test-host-XXXXXX");
    *state = root;
    return root != NULL && mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static int remove_root(void **state)
{
    int failure = nftw(*state, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return failure;
}

static void put(const char *root, const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A machine with eight cores in two NUMA nodes, one with the even and one with the odd cores. Two cores of a node share
 * a last-level cache of 16 MiB. */
static void put_two_nodes(const char *root)
{
    char path[128], list[32];
    put(root, "/sys/devices/system/node/online", "0-1\n");
    put(root, "/sys/devices/system/node/node0/cpulist", "0,2,4,6\n");
    put(root, "/sys/devices/system/node/node1/cpulist", "1,3,5,7\n");
    for (int cpu = 0; cpu < 8; cpu++) {
        int first = cpu / 4 * 4 + cpu % 2;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index0/level", cpu);
        put(root, path, "1\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index0/size", cpu);
        put(root, path, "32K\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index0/shared_cpu_list", cpu);
        snprintf(list, sizeof list, "%d\n", cpu);
        put(root, path, list);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index1/level", cpu);
        put(root, path, "3\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index1/size", cpu);
        put(root, path, "16384K\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index1/shared_cpu_list", cpu);
        snprintf(list, sizeof list, "%d,%d\n", first, first + 2);
        put(root, path, list);
    }
}

TEST_WITH(test_cores_are_split_by_node, const char *root, .setup = make_root, .teardown = remove_root)
{
    cpu_set_t all, sets[16];
    put_two_nodes(root);
    assert_true(lab_cpu_list_parse("0-7", &all));
    lab_host_split_cores(root, &all, 2, sets);
    assert_int_equal(lab_host_node_of(root, &sets[0]), 0);
    assert_int_equal(lab_host_node_of(root, &sets[1]), 1);
    assert_int_equal(lab_host_node_of(root, &all), LAB_UNKNOWN);
    assert_int_equal(lab_host_cache_bytes(root, &sets[0]), 32 << 20);
    assert_int_equal(lab_host_cache_bytes(root, &all), 64 << 20);
    lab_host_split_cores(root, &all, 3, sets);
    assert_int_equal(CPU_COUNT(&sets[0]) + CPU_COUNT(&sets[1]) + CPU_COUNT(&sets[2]), 8);
    lab_host_split_cores(root, &all, 16, sets);
    for (int i = 0; i < 16; i++)
        assert_int_equal(CPU_COUNT(&sets[i]), 1);
    assert_int_equal(lab_host_cache_bytes(root, &sets[0]), 16 << 20);
}

TEST_WITH(test_a_machine_without_information, const char *root, .setup = make_root, .teardown = remove_root)
{
    struct lab_device_facts facts;
    struct host_ram ram;
    cpu_set_t cores;
    assert_true(lab_cpu_list_parse("0-1", &cores));
    assert_int_equal(lab_host_node_of(root, &cores), -1);
    assert_int_equal(lab_host_cache_bytes(root, &cores), LAB_UNKNOWN);
    assert_false(lab_host_ram(root, &ram));
    lab_host_describe(root, 1, 2, false, &cores, 1 << 30, &facts);
    assert_int_equal(strncmp(facts.id, "host-1-", 7), 0);
    assert_non_null(strstr(facts.name, ", one of 2 with 2 cores"));
    assert_true(isnan(facts.clock_hz));
}

TEST_WITH(test_identity_and_clock, const char *root, .setup = make_root, .teardown = remove_root)
{
    struct lab_device_facts before, same, other;
    cpu_set_t cores;
    assert_true(lab_cpu_list_parse("3", &cores));
    put(root, "/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    put(root, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU 9000\ncpu MHz\t\t: 2000.5\n");
    lab_host_describe(root, 0, 1, false, &cores, 1 << 30, &before);
    assert_string_equal(before.name, "CPU (host runtime) Example CPU 9000");
    assert_true(fabs(before.clock_hz - 2000.5e6) < 1);
    assert_null(strstr(before.id, "0123456789ab"));
    put(root, "/sys/devices/system/cpu/cpu3/cpufreq/cpuinfo_max_freq", "3500000\n");
    lab_host_describe(root, 0, 1, false, &cores, 1 << 30, &same);
    assert_true(fabs(same.clock_hz - 3.5e9) < 1);
    assert_string_equal(same.id, before.id);
    put(root, "/etc/machine-id", "0123456789abcdef0123456789abcdee\n");
    lab_host_describe(root, 0, 1, false, &cores, 1 << 30, &other);
    assert_string_not_equal(other.id, before.id);
}

enum { MIB = 1 << 20 };

static void assert_ram(const char *root, uint64_t total_mib, uint64_t available_mib)
{
    struct host_ram ram = {0};
    assert_true(lab_host_ram(root, &ram));
    assert_int_equal(ram.total, total_mib * MIB);
    assert_int_equal(ram.available, available_mib * MIB - ram.total / 64);
}

TEST_WITH(test_memory_without_control_groups, const char *root, .setup = make_root, .teardown = remove_root)
{
    put(root, "/proc/meminfo", "MemTotal:  1048576 kB\nMemFree: 1 kB\nMemAvailable:     524288 kB\n");
    assert_ram(root, 1024, 512);
    put(root, "/proc/self/cgroup", "0::/\n");
    assert_ram(root, 1024, 512);
}

TEST_WITH(test_memory_of_a_unified_control_group, const char *root, .setup = make_root, .teardown = remove_root)
{
    put(root, "/proc/meminfo", "MemTotal:  1048576 kB\nMemAvailable:     524288 kB\n");
    put(root, "/proc/self/cgroup", "0::/outer/inner\n");
    put(root, "/sys/fs/cgroup/outer/inner/memory.max", "max\n");
    put(root, "/sys/fs/cgroup/outer/memory.max", "268435456\n");
    put(root, "/sys/fs/cgroup/outer/memory.current", "201326592\n");
    put(root, "/sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 67108864\n");
    assert_ram(root, 256, 128);
    put(root, "/sys/fs/cgroup/outer/inner/memory.max", "134217728\n");
    put(root, "/sys/fs/cgroup/outer/inner/memory.current", "33554432\n");
    assert_ram(root, 128, 96);
}

/* In a container that does not see the path of its own group, /proc/self/cgroup contains the host's path, and the root
 * of the cgroup mount is the container's group. */
TEST_WITH(test_memory_of_a_legacy_control_group, const char *root, .setup = make_root, .teardown = remove_root)
{
    put(root, "/proc/meminfo", "MemTotal:  1048576 kB\nMemAvailable:     524288 kB\n");
    put(root, "/proc/self/cgroup", "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n0::/docker/x\n");
    put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n");
    put(root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "33554432\n");
    put(root, "/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 16777216\n");
    assert_ram(root, 64, 48);
}
