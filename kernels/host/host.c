/* The table of functions of the host runtime; starting the runtime, opening and closing devices. */
#include "host.h"

#include "copy.h"
#include "engine.h"
#include "entries.h"
#include "facts.h"
#include "memory.h"
#include "plan.h"
#include "ram.h"
#include "scheduler.h"
#include "topology.h"
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* How long a waiting thread spins before it sleeps: about as long as waking it would take (IDLE_SPIN_NS), or longer
 * when work is queued for it (BUSY_SPIN_NS). With GPULAB_HOST_SPIN=0 it sleeps at once: tests run beside each other,
 * and spinning threads would take the cores from them. */
enum { IDLE_SPIN_NS = 20000, BUSY_SPIN_NS = 1000000 };

/* The state of the runtime. Static, because the runtime's functions take no runtime object. */
static struct host_machine machine = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};

/* The memory of each device in bytes. All devices together have half of the memory that the process may use; the other
 * half is for host buffers. 0 when the amount is unknown. */
static uint64_t memory_per_device(size_t count)
{
    enum { MIB = 1024 * 1024 };
    struct host_ram ram;
    return lab_host_ram("", &ram) ? ram.total / 2 / count / MIB * MIB : 0;
}

/* Sets the peers of all devices. Every device can access the memory of every other device, because it is the same
 * RAM. */
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

/* Raises the soft limit of locked memory to the hard limit. */
static void raise_lock_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_MEMLOCK, &limit);
    }
}

static bool host_start(const struct lab_runtime_options *options, struct lab_error *error)
{
    size_t count = options->host_devices > 0 ? options->host_devices : 1;
    cpu_set_t cores;
    if (count > HOST_DEVICES_MAX)
        return lab_error_set(error, LAB_ERROR_OUT_OF_BOUNDS, "", "%zu host devices requested; the maximum is %d", count,
                             HOST_DEVICES_MAX);
    if (!lab_host_fault_parse(&machine.fault, options->host_fault, error))
        return false;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return lab_error_set(error, LAB_ERROR_NO_DEVICE, "",
                             "no CPU device: cannot read the CPU affinity of this process: %s", strerror(errno));
    uint64_t memory_bytes = memory_per_device(count);
    if (memory_bytes == 0)
        return lab_error_set(error, LAB_ERROR_NO_DEVICE, "",
                             "no CPU device: cannot read the machine's memory from /proc/meminfo");
    size_t core_count = (size_t)CPU_COUNT(&cores);
    machine.device_count = count;
    const char *spin = getenv("GPULAB_HOST_SPIN");
    bool spins = core_count > 1 && !(spin != NULL && strcmp(spin, "0") == 0);
    machine.idle_spin_ns = spins ? IDLE_SPIN_NS : 0;
    machine.busy_spin_ns = spins ? BUSY_SPIN_NS : 0;
    lab_host_split_cores("", &cores, count, machine.cores);
    for (size_t i = 0; i < count; i++)
        lab_host_describe("", i, count, count > core_count, &machine.cores[i], memory_bytes, &machine.facts[i]);
    write_peers();
    raise_lock_limit();
    return true;
}

static void host_stop(void)
{
    machine.device_count = 0;
}

static size_t device_count(void)
{
    return machine.device_count;
}

static const struct lab_device_facts *host_facts(size_t ordinal)
{
    return &machine.facts[ordinal];
}

static const char *const engine_names[HOST_ENGINES] = {
    [HOST_ENGINE_H2D] = "host-h2d", [HOST_ENGINE_D2H] = "host-d2h", [HOST_ENGINE_COMPUTE] = "host-compute"};

/* Stops the first `engines` engines of the device and frees everything. */
static void destroy_device(struct host_device *device, size_t engines)
{
    for (size_t i = 0; i < engines; i++)
        lab_host_engine_stop(&device->engines[i]);
    lab_host_pool_stop(&device->pool);
    lab_host_trace_cancel(device);
    lab_host_release_all(device);
    lab_host_release_tasks(device);
    lab_host_condition_release(&device->changed);
    free(device);
}

static struct lab_device *host_open_device(size_t ordinal, struct lab_error *error)
{
    if (ordinal >= machine.device_count) {
        lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "host device %zu does not exist", ordinal);
        return NULL;
    }
    struct host_device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        lab_error_set(error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "out of memory for a host device");
        return NULL;
    }
    device->base.runtime = &lab_host_runtime;
    device->base.facts = machine.facts[ordinal];
    device->machine = &machine;
    device->cores = &machine.cores[ordinal];
    lab_host_condition_init(&device->changed);
    if (!lab_host_pool_start(&device->pool, (size_t)CPU_COUNT(device->cores), device->cores, machine.idle_spin_ns,
                             error)) {
        lab_host_condition_release(&device->changed);
        free(device);
        return NULL;
    }
    for (size_t i = 0; i < HOST_ENGINES; i++) {
        if (!lab_host_engine_start(&device->engines[i], device, engine_names[i], error)) {
            destroy_device(device, i);
            return NULL;
        }
        device->engines[i].permanent = true;
    }
    return &device->base;
}

static void close_device(struct lab_device *device)
{
    if (device == NULL)
        return;
    lab_host_drain(lab_host_device(device));
    destroy_device(lab_host_device(device), HOST_ENGINES);
}

const struct lab_runtime lab_host_runtime = {
    .name = LAB_HOST_RUNTIME_NAME,
    .start = host_start,
    .stop = host_stop,
    .device_count = device_count,
    .facts = host_facts,
    .open = host_open_device,
    .close = close_device,
    .allocate = lab_host_allocate,
    .free = lab_host_free,
    .memory_info = lab_host_memory_info,
    .stream_create = lab_host_stream_create,
    .stream_free = lab_host_stream_free,
    .stream_synchronize = lab_host_stream_synchronize,
    .stream_wait = lab_host_stream_wait,
    .event_create = lab_host_event_create,
    .event_free = lab_host_event_free,
    .event_record = lab_host_event_record,
    .event_synchronize = lab_host_event_synchronize,
    .event_query = lab_host_event_query,
    .event_elapsed = lab_host_event_elapsed,
    .latch_create = lab_host_latch_create,
    .latch_free = lab_host_latch_free,
    .latch_close = lab_host_latch_close,
    .latch_open = lab_host_latch_open,
    .latch_timed_out = lab_host_latch_timed_out,
    .copy = lab_host_copy,
    .prepare = lab_host_prepare,
    .enqueue = lab_host_enqueue,
    .plan_free = lab_host_plan_free,
    .copy2d = &lab_host_copy2d,
    .clock = LAB_HOST_CLOCK,
    .trace = &lab_host_trace,
    .peer = &lab_host_peer,
    .waiting = &lab_host_waiting,
    .gemm = &lab_host_gemm,
    .module = &lab_host_module,
    .fft = &lab_host_fft,
};
