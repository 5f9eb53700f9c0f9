/* The CUDA runtime's table of functions; listing the devices of this machine, opening and closing them. */
#include "cuda.h"

#include "device.h"
#include "entries.h"
#include "facts.h"
#include "kernels.h"

#include <stdlib.h>

/* The devices of this machine, from start() to stop(). Static, because the runtime's functions take no runtime
 * object. */
static struct {
    size_t count;
    struct lab_device_facts *facts;
} machine;

/* Sets the error of a machine without a usable device. CUDA reports the same status for a missing driver and for a
 * driver that is too old; the driver's version distinguishes them. */
static bool no_device(cudaError_t status, struct lab_error *error)
{
    int driver = 0, runtime = 0;
    (void)cudaGetLastError();
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (status == cudaSuccess)
        return lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "no CUDA device: the driver reports none");
    if (status != cudaErrorInsufficientDriver)
        return lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "no CUDA device: %s: %s", cudaGetErrorName(status),
                             cudaGetErrorString(status));
    if (driver == 0)
        return lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "no CUDA device: no NVIDIA driver is installed");
    return lab_error_set(error, LAB_ERROR_NO_DEVICE, "",
                         "no CUDA device: the driver supports CUDA %d.%d, but this program needs %d.%d", driver / 1000,
                         driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static void cuda_stop(void)
{
    free(machine.facts);
    machine.facts = NULL;
    machine.count = 0;
}

static bool cuda_start(const struct lab_runtime_options *options, struct lab_error *error)
{
    (void)options;
    int found = 0;
    cudaError_t status = cudaGetDeviceCount(&found);
    if (status != cudaSuccess || found < 1)
        return no_device(status, error);

    machine.facts = calloc((size_t)found, sizeof *machine.facts);
    if (machine.facts == NULL)
        return lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the properties of %d devices",
                             found);
    machine.count = (size_t)found;
    for (int i = 0; i < found; i++) {
        if (!lab_cuda_read_facts(i, &machine.facts[i], error)) {
            cuda_stop();
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

/* The facts of device `ordinal`; NULL if there is no such device. */
static const struct lab_device_facts *facts_of(size_t ordinal)
{
    return ordinal < machine.count ? &machine.facts[ordinal] : NULL;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static cudaError_t load_kernels(void)
{
    static cudaError_t (*const loads[])(void) = {lab_cuda_load_pattern, lab_cuda_load_copy, lab_cuda_load_wait};
    cudaError_t status = cudaSuccess;
    for (size_t i = 0; i < sizeof loads / sizeof *loads && status == cudaSuccess; i++)
        status = loads[i]();
    return status;
}

/* Ignores errors, because the device's context is destroyed at the end of the process in any case. */
static void close_device(struct lab_device *base)
{
    if (base == NULL)
        return;
    struct cuda_device *device = cuda_device_of(base);
    lab_cuda_trace_cancel(device);
    if (cudaSetDevice(device->ordinal) == cudaSuccess) {
        lab_cuda_cublas_release(device);
        lab_cuda_counters_release(device);
        (void)cudaFree(device->scratch);
        if (device->words != NULL)
            (void)cudaFreeHost(device->words);
        if (device->service != NULL)
            (void)cudaStreamDestroy(device->service);
        (void)cudaDeviceReset();
    }
    (void)cudaGetLastError();
    free(device);
}

static struct lab_device *cuda_open_device(size_t ordinal, struct lab_error *error)
{
    const struct lab_device_facts *facts = facts_of(ordinal);
    struct cuda_device *device = calloc(1, sizeof *device);
    if (facts == NULL || device == NULL) {
        free(device);
        lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "CUDA device %zu does not exist", ordinal);
        return NULL;
    }
    device->base.runtime = &lab_cuda_runtime;
    device->base.facts = *facts;
    device->ordinal = (int)ordinal;

    cudaError_t status;
    if ((status = cudaInitDevice(device->ordinal, 0, 0)) != cudaSuccess ||
        (status = cudaSetDevice(device->ordinal)) != cudaSuccess ||
        (status = cudaStreamCreateWithFlags(&device->service, cudaStreamNonBlocking)) != cudaSuccess ||
        (status = cudaHostAlloc((void **)&device->words, CUDA_WORDS * sizeof(uint64_t),
                                cudaHostAllocPortable | cudaHostAllocMapped)) != cudaSuccess ||
        (status = cudaHostGetDevicePointer((void **)&device->device_words, device->words, 0)) != cudaSuccess ||
        (status = load_kernels()) != cudaSuccess || (status = lab_cuda_warm_up(device)) != cudaSuccess) {
        lab_cuda_set_error(error, lab_cuda_error_code(status), status, "opening the device");
        close_device(&device->base);
        return NULL;
    }
    return &device->base;
}

const struct lab_runtime lab_cuda_runtime = {
    .name = LAB_CUDA_RUNTIME_NAME,
    .start = cuda_start,
    .stop = cuda_stop,
    .device_count = device_count,
    .facts = facts_of,
    .open = cuda_open_device,
    .close = close_device,
    .allocate = lab_cuda_allocate,
    .free = lab_cuda_free,
    .memory_info = lab_cuda_memory_info,
    .stream_create = lab_cuda_stream_create,
    .stream_free = lab_cuda_stream_free,
    .stream_synchronize = lab_cuda_stream_synchronize,
    .stream_wait = lab_cuda_stream_wait,
    .event_create = lab_cuda_event_create,
    .event_free = lab_cuda_event_free,
    .event_record = lab_cuda_event_record,
    .event_synchronize = lab_cuda_event_synchronize,
    .event_query = lab_cuda_event_query,
    .event_elapsed = lab_cuda_event_elapsed,
    .latch_create = lab_cuda_latch_create,
    .latch_free = lab_cuda_latch_free,
    .latch_close = lab_cuda_latch_close,
    .latch_open = lab_cuda_latch_open,
    .latch_timed_out = lab_cuda_latch_timed_out,
    .copy = lab_cuda_copy,
    .prepare = lab_cuda_prepare,
    .enqueue = lab_cuda_enqueue,
    .plan_free = lab_cuda_plan_free,
    .copy2d = &lab_cuda_copy2d,
    .clock = &lab_cuda_clock,
    .graph = &lab_cuda_graph,
    .trace = &lab_cuda_trace,
    .gemm = &lab_cuda_gemm,
    .module = LAB_CUDA_MODULE,
    .peer = &lab_cuda_peer,
    .collective = &lab_cuda_collective,
    .reduction = LAB_CUDA_REDUCTION,
    .fft = LAB_CUDA_FFT,
    .default_streams = &lab_cuda_default_streams,
    .waiting = &lab_cuda_waiting,
    .managed = &lab_cuda_managed,
    .counters = &lab_cuda_counters,
};
