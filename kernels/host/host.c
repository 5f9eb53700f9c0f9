/* The host runtime's table of functions, its devices, and what the process has of them once. */
#include "host.h"
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* How long a thread stays awake that waits: about as long as it takes to wake one up, longer when it knows that
 * there is something to wait for. */
enum { AWAKE_NS = 20000, EXPECTANT_NS = 1000000 };

/* The seam's calls name no runtime object, so there is one for the process. */
static struct host_machine machine = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};

/* Devices hold half of what there is, host buffers the other half. */
static uint64_t memory_of_each(size_t count)
{
    enum { MIB = 1024 * 1024 };
    struct host_ram ram;
    return lab_host_ram("", &ram) ? ram.total / 2 / count / MIB * MIB : 0;
}

/* All devices reach each other's memory: it is the same. */
static void write_peers(void)
{
    for (size_t i = 0; i < machine.device_count; i++) {
        struct lab_device_facts *facts = &machine.facts[i];
        for (size_t k = 0; k < machine.device_count && facts->peer_count < LAB_PEERS_MAX; k++) {
            if (k == i)
                continue;
            struct lab_peer_fact *peer = &facts->peers[facts->peer_count++];
            *peer = (struct lab_peer_fact){.access = true, .native_atomics = true, .link = "same memory"};
            memcpy(peer->id, machine.facts[k].id, sizeof peer->id);
        }
    }
}

/* Page-locked memory takes all that this user may lock. */
static void raise_lock_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_MEMLOCK, &limit);
    }
}

static bool start(const struct lab_runtime_options *options, struct lab_error *error)
{
    size_t count = options->host_devices > 0 ? options->host_devices : 1;
    cpu_set_t cores;
    if (count > HOST_DEVICES_MAX)
        return lab_error_set(error, "out-of-bounds", "", "%zu host devices asked for, at most %d can be", count,
                             HOST_DEVICES_MAX);
    if (!lab_host_fault_parse(&machine.fault, options->host_fault, error))
        return false;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return lab_error_set(error, "no-device", "", "no CPU device: the cores of this process are not told: %s",
                             strerror(errno));
    uint64_t memory_bytes = memory_of_each(count);
    if (memory_bytes == 0)
        return lab_error_set(error, "no-device", "", "no CPU device: /proc/meminfo does not tell the machine's memory");
    size_t core_count = (size_t)CPU_COUNT(&cores);
    machine.device_count = count;
    machine.awake_ns = core_count > 1 ? AWAKE_NS : 0;
    machine.expectant_ns = core_count > 1 ? EXPECTANT_NS : 0;
    lab_host_split_cores("", &cores, count, machine.cores);
    for (size_t i = 0; i < count; i++)
        lab_host_describe("", i, count, count > core_count, &machine.cores[i], memory_bytes, &machine.facts[i]);
    write_peers();
    raise_lock_limit();
    return true;
}

static void stop(void)
{
    machine.device_count = 0;
}

static size_t device_count(void)
{
    return machine.device_count;
}

static const struct lab_device_facts *facts(size_t ordinal)
{
    return &machine.facts[ordinal];
}

bool lab_host_alive(struct lab_device *device)
{
    return !device->lost ||
           lab_error_set(&device->error, "device-lost", "", "the device was lost by an earlier failure");
}

bool lab_host_lose(struct lab_device *device, const char *what)
{
    device->lost = true;
    return lab_error_set(&device->error, "device-lost", "", "%s; the device is lost", what);
}

static const char *const engine_names[HOST_ENGINES] = {
    [HOST_ENGINE_H2D] = "host-h2d", [HOST_ENGINE_D2H] = "host-d2h", [HOST_ENGINE_COMPUTE] = "host-compute"};

/* The first `engines` of the device, and all else it holds. */
static void dismantle(struct host_device *device, size_t engines)
{
    for (size_t i = 0; i < engines; i++)
        lab_host_engine_stop(&device->engines[i]);
    lab_host_team_stop(&device->team);
    lab_host_trace_abandon(device);
    lab_host_release_all(device);
    lab_host_release_tasks(device);
    lab_host_doorbell_destroy(&device->doorbell);
    free(device);
}

static struct lab_device *open_device(size_t ordinal, struct lab_error *error)
{
    if (ordinal >= machine.device_count) {
        lab_error_set(error, "no-device", "", "there is no host device %zu", ordinal);
        return NULL;
    }
    struct host_device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        lab_error_set(error, "insufficient-memory", "", "no memory for a host device");
        return NULL;
    }
    device->base.runtime = &lab_host_runtime;
    device->base.facts = machine.facts[ordinal];
    device->machine = &machine;
    device->cores = &machine.cores[ordinal];
    lab_host_doorbell_init(&device->doorbell);
    if (!lab_host_team_start(&device->team, (size_t)CPU_COUNT(device->cores), device->cores, machine.awake_ns, error)) {
        lab_host_doorbell_destroy(&device->doorbell);
        free(device);
        return NULL;
    }
    for (size_t i = 0; i < HOST_ENGINES; i++) {
        if (!lab_host_engine_start(&device->engines[i], device, engine_names[i], error)) {
            dismantle(device, i);
            return NULL;
        }
        device->engines[i].lasting = true;
    }
    return &device->base;
}

static void close_device(struct lab_device *device)
{
    if (device == NULL)
        return;
    lab_host_drain(lab_host_device(device));
    dismantle(lab_host_device(device), HOST_ENGINES);
}

const struct lab_runtime lab_host_runtime = {
    .name = "host",
    .start = start,
    .stop = stop,
    .device_count = device_count,
    .facts = facts,
    .open = open_device,
    .close = close_device,
    .allocate = lab_host_allocate,
    .release = lab_host_release,
    .memory_info = lab_host_memory_info,
    .stream_create = lab_host_stream_create,
    .stream_release = lab_host_stream_release,
    .stream_synchronize = lab_host_stream_synchronize,
    .stream_wait = lab_host_stream_wait,
    .event_create = lab_host_event_create,
    .event_release = lab_host_event_release,
    .event_record = lab_host_event_record,
    .event_synchronize = lab_host_event_synchronize,
    .event_query = lab_host_event_query,
    .event_elapsed = lab_host_event_elapsed,
    .latch_create = lab_host_latch_create,
    .latch_release = lab_host_latch_release,
    .latch_close = lab_host_latch_close,
    .latch_open = lab_host_latch_open,
    .latch_timed_out = lab_host_latch_timed_out,
    .copy = lab_host_copy,
    .prepare = lab_host_prepare,
    .enqueue = lab_host_enqueue,
    .plan_release = lab_host_plan_release,
    .copy2d = &lab_host_copy2d,
    .clock = LAB_HOST_CLOCK,
    .trace = &lab_host_trace,
    .peer = &lab_host_peer,
    .gemm = &lab_host_gemm,
};
