/* Ways to wait for a device. */
#include "device.h"
#include "entries.h"

static bool stream_query(struct lab_device *device, struct lab_stream *stream, bool *idle)
{
    cudaError_t status = cudaStreamQuery(cuda_stream_of(stream));
    *idle = status == cudaSuccess;
    return status == cudaErrorNotReady || lab_cuda_check(device, status, "querying a stream");
}

static bool synchronize(struct lab_device *device)
{
    return lab_cuda_make_current(device) && lab_cuda_check(device, cudaDeviceSynchronize(), "waiting for the device");
}

static bool call(struct lab_device *device, struct lab_stream *stream, void (*function)(void *context), void *context)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaLaunchHostFunc(cuda_stream_of(stream), function, context),
                          "enqueueing a function of the host");
}

/* The flags of a device that is in use can be changed since CUDA 12. */
static bool block(struct lab_device *device, bool sleep)
{
    const unsigned schedule = sleep ? cudaDeviceScheduleBlockingSync : cudaDeviceScheduleAuto;
    unsigned flags = 0;
    return lab_cuda_make_current(device) && lab_cuda_check(device, cudaGetDeviceFlags(&flags), "reading the flags") &&
           lab_cuda_check(device, cudaSetDeviceFlags((flags & ~(unsigned)cudaDeviceScheduleMask) | schedule),
                          "setting the flags");
}

static struct lab_event *create_blocking_event(struct lab_device *device)
{
    cudaEvent_t event;
    if (!lab_cuda_make_current(device) ||
        !lab_cuda_check(device, cudaEventCreateWithFlags(&event, cudaEventBlockingSync), "creating an event"))
        return NULL;
    return (struct lab_event *)event;
}

const struct lab_runtime_waiting lab_cuda_waiting = {.stream_query = stream_query,
                                                     .synchronize = synchronize,
                                                     .call = call,
                                                     .block = block,
                                                     .event_create_blocking = create_blocking_event};
