/* kernels/measure/placement, and where runs on devices of two NUMA nodes put host memory and threads. The nodes are
 * those of a folder that the tests write; each has one of the processors of this machine. */
#include "measure/placement.h"
#include "support/test.h"

#include "support/peer_harness.h"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NODES = 2, ELSEWHERE = -2 };

static char folder[] = "/tmp/gpulab-test-placement-XXXXXX";
static int processors[NODES]; /* of each node */
static cpu_set_t original;

/* --- the nodes ---------------------------------------------------------------------------------------------------- */

static void write_node(int node)
{
    char path[sizeof folder + 32];
    snprintf(path, sizeof path, "%s/node%d", folder, node);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/cpulist");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%d\n", processors[node]);
    fclose(file);
}

static int write_nodes(void **state)
{
    (void)state;
    int found = 0;
    sched_getaffinity(0, sizeof original, &original);
    for (int cpu = 0; cpu < CPU_SETSIZE && found < NODES; cpu++)
        if (CPU_ISSET((size_t)cpu, &original))
            processors[found++] = cpu;
    if (found < NODES || mkdtemp(folder) == NULL)
        return found < NODES ? 0 : -1;
    for (int node = 0; node < NODES; node++)
        write_node(node);
    lab_placement_read_nodes(folder);
    return open_peers(state);
}

static int remove_nodes(void **state)
{
    char path[sizeof folder + 32];
    if (CPU_COUNT(&original) < NODES)
        return 0;
    for (int node = 0; node < NODES; node++) {
        snprintf(path, sizeof path, "%s/node%d/cpulist", folder, node);
        unlink(path);
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
    rmdir(folder);
    return close_devices(state);
}

AROUND_EACH_TEST(.setup = write_nodes, .teardown = remove_nodes)

static int begin(void **state)
{
    if (CPU_COUNT(&original) < NODES)
        skip(); /* the nodes need a processor each */
    (void)state;
    return 0;
}

static int end(void **state)
{
    (void)state;
    lab_placement_release();
    return 0;
}

/* The node that the calling thread is bound to; LAB_UNKNOWN: it may use all processors; ELSEWHERE: anything else. */
static int64_t node_of_thread(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    if (CPU_EQUAL(&set, &original))
        return LAB_UNKNOWN;
    for (int node = 0; node < NODES; node++)
        if (CPU_COUNT(&set) == 1 && CPU_ISSET((size_t)processors[node], &set))
            return node;
    return ELSEWHERE;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

TEST(a_thread_is_bound_and_released, .setup = begin, .teardown = end)
{
    assert_int_equal(lab_placement_bind(1), 1);
    assert_int_equal(node_of_thread(), 1);
    assert_int_equal(lab_placement_bind(0), 0);
    assert_int_equal(node_of_thread(), 0);
    assert_int_equal(lab_placement_bind(NODES), LAB_UNKNOWN); /* there is no such node */
    assert_int_equal(lab_placement_bind(LAB_UNKNOWN), LAB_UNKNOWN);
    assert_int_equal(node_of_thread(), 0);
    lab_placement_return(1);
    assert_int_equal(node_of_thread(), 1);
    lab_placement_return(LAB_UNKNOWN);
    assert_int_equal(node_of_thread(), LAB_UNKNOWN);
}

static void *bind_to_node_1(void *result)
{
    int64_t *nodes = result;
    nodes[0] = node_of_thread();
    lab_placement_bind(1);
    nodes[1] = node_of_thread();
    lab_placement_release();
    nodes[2] = node_of_thread();
    return NULL;
}

/* It starts with the affinity of the thread that created it, and can be bound to a node that this one is not bound
 * to. */
TEST(another_thread_is_bound_by_itself, .setup = begin, .teardown = end)
{
    int64_t nodes[3];
    pthread_t thread;
    lab_placement_bind(0);
    assert_int_equal(pthread_create(&thread, NULL, bind_to_node_1, nodes), 0);
    pthread_join(thread, NULL);
    assert_int_equal(nodes[0], 0);
    assert_int_equal(nodes[1], 1);
    assert_int_equal(nodes[2], LAB_UNKNOWN);
    assert_int_equal(node_of_thread(), 0);
}

/* --- runs on devices of both nodes -------------------------------------------------------------------------------- */

/* How often host memory for a device was allocated, and an event of a device awaited, by a thread on its node and on
 * another. */
static struct {
    _Atomic size_t near, far;
} allocated, awaited;

static bool is_near(const struct lab_device *device)
{
    return node_of_thread() == device->facts.numa_node;
}

static bool count_allocation(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address)
{
    if (kind != LAB_MEMORY_DEVICE)
        (*(is_near(device) ? &allocated.near : &allocated.far))++;
    return lab_host_runtime.allocate(device, kind, bytes, address);
}

static bool count_wait(struct lab_device *device, struct lab_event *event)
{
    (*(is_near(device) ? &awaited.near : &awaited.far))++;
    return lab_host_runtime.event_synchronize(device, event);
}

/* Devices 0 and 2 are on node 0, device 1 is on node 1. */
static void count_on_two_nodes(void)
{
    changed.allocate = count_allocation;
    changed.event_synchronize = count_wait;
    use_runtime(&changed);
    for (int i = 0; i < DEVICES; i++)
        devices[i]->facts.numa_node = i % NODES;
    allocated.near = allocated.far = awaited.near = awaited.far = 0;
    run_node = lab_placement_bind(0);
}

TEST(each_device_copies_host_memory_of_its_node, .setup = begin, .teardown = end)
{
    count_on_two_nodes();
    run_to_end("peer",
               "{\"bytes\": 2097152, \"pattern\": [\"host-up\", \"host-down\"], \"engine\": \"copy\", \"settle_s\": 0, "
               "\"min_samples\": 1, \"max_samples\": 1, \"time_budget_s\": 600}",
               DEVICES);
    assert_int_equal(allocated.far, 0);
    assert_true(allocated.near >= DEVICES);
    assert_int_equal(node_of_thread(), 0); /* that of the run, whose first device is on it */
    assert_true(reported_count > 0);
    for (size_t i = 0; i < reported_count; i++) {
        if (strstr(reported[i].metric, "bandwidth") == NULL || reported[i].skipped[0] != '\0')
            continue; /* only measured figures have a node; a point whose load was too short is skipped */
        int device = reported[i].source >= 0 ? reported[i].source : reported[i].target;
        assert_int_equal(reported[i].numa_node, device >= 0 ? device % NODES : LAB_UNKNOWN);
    }
}

TEST(each_device_of_a_job_has_a_thread_and_arrays_on_its_node, .setup = begin, .teardown = end)
{
    count_on_two_nodes();
    run_to_end("scaling",
               "{\"kernel\": \"pairs\", \"weight\": 1, \"variant\": \"thread-per-device-synchronous\", "
               "\"settle_s\": 0, \"min_samples\": 1, \"max_samples\": 1, \"time_budget_s\": 600, \"bytes\": 16384}",
               2);
    assert_int_equal(allocated.far, 0);
    assert_true(allocated.near >= 2);
    assert_int_equal(awaited.far, 0);
    assert_true(awaited.near >= 2);
    assert_int_equal(node_of_thread(), 0);
    for (size_t i = 0; i < reported_count; i++)
        assert_int_equal(reported[i].numa_node, reported[i].devices == 1 ? 0 : LAB_UNKNOWN);
}
