/* The CUDA runtime: its table, and the devices of this machine. */
#include "cuda.h"

#include "device.h"

#include <stdlib.h>

/* The one state of this folder: runtime.h hands start() and facts() nothing to keep it in. */
static struct {
    size_t count;
    struct lab_device_facts *facts;
} machine;

/* A missing driver and one that is too old give the same error. */
static bool no_device(cudaError_t status, struct lab_error *error)
{
    int driver = 0, runtime = 0;
    (void)cudaGetLastError();
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (status == cudaSuccess)
        return lab_error_set(error, "no-device", "", "no CUDA device: the driver lists none");
    if (status != cudaErrorInsufficientDriver)
        return lab_error_set(error, "no-device", "", "no CUDA device: %s: %s", cudaGetErrorName(status),
                             cudaGetErrorString(status));
    if (driver == 0)
        return lab_error_set(error, "no-device", "", "no CUDA device: no NVIDIA driver is installed");
    return lab_error_set(error, "no-device", "",
                         "no CUDA device: the driver is for CUDA %d.%d, and this program needs %d.%d", driver / 1000,
                         driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static void stop(void)
{
    free(machine.facts);
    machine.facts = NULL;
    machine.count = 0;
}

static bool start(const struct lab_runtime_options *options, struct lab_error *error)
{
    (void)options;
    int found = 0;
    cudaError_t status = cudaGetDeviceCount(&found);
    if (status != cudaSuccess || found < 1)
        return no_device(status, error);

    machine.facts = calloc((size_t)found, sizeof *machine.facts);
    if (machine.facts == NULL)
        return lab_error_set(error, "out-of-memory", "", "no memory for the facts of %d devices", found);
    machine.count = (size_t)found;
    for (int i = 0; i < found; i++) {
        if (!lab_cuda_read_facts(i, &machine.facts[i], error)) {
            stop();
            return false;
        }
    }
    for (size_t i = 0; i < machine.count; i++)
        lab_cuda_read_peers(machine.facts, machine.count, i);
    return true;
}

static size_t device_count(void)
{
    return machine.count;
}

const struct lab_device_facts *lab_cuda_facts(size_t ordinal)
{
    return ordinal < machine.count ? &machine.facts[ordinal] : NULL;
}

const struct lab_runtime lab_cuda_runtime = {
    .name = "cuda",
    .start = start,
    .stop = stop,
    .device_count = device_count,
    .facts = lab_cuda_facts,
    .open = lab_cuda_open,
    .close = lab_cuda_close,
    .allocate = lab_cuda_allocate,
    .release = lab_cuda_release,
    .memory_info = lab_cuda_memory_info,
    .stream_create = lab_cuda_stream_create,
    .stream_release = lab_cuda_stream_release,
    .stream_synchronize = lab_cuda_stream_synchronize,
    .stream_wait = lab_cuda_stream_wait,
    .event_create = lab_cuda_event_create,
    .event_release = lab_cuda_event_release,
    .event_record = lab_cuda_event_record,
    .event_synchronize = lab_cuda_event_synchronize,
    .event_query = lab_cuda_event_query,
    .event_elapsed = lab_cuda_event_elapsed,
    .latch_create = lab_cuda_latch_create,
    .latch_release = lab_cuda_latch_release,
    .latch_close = lab_cuda_latch_close,
    .latch_open = lab_cuda_latch_open,
    .latch_timed_out = lab_cuda_latch_timed_out,
    .copy = lab_cuda_copy,
    .prepare = lab_cuda_prepare,
    .enqueue = lab_cuda_enqueue,
    .plan_release = lab_cuda_plan_release,
    .copy2d = &lab_cuda_copy2d,
    .clock = &lab_cuda_clock,
    .graph = &lab_cuda_graph,
    .trace = &lab_cuda_trace,
    .gemm = &lab_cuda_gemm,
    .peer = &lab_cuda_peer,
    .collective = &lab_cuda_collective,
    .stream_default = lab_cuda_stream_default,
};
