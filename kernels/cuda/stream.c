/* Streams, events, and copies by the copy engines. */
#include "device.h"
#include "entries.h"

/* --- streams ------------------------------------------------------------------------------------------------------ */

static struct lab_stream *create_stream(struct lab_device *device, unsigned flags)
{
    cudaStream_t stream;
    if (!lab_cuda_make_current(device) ||
        !lab_cuda_check(device, cudaStreamCreateWithFlags(&stream, flags), "creating a stream"))
        return NULL;
    return (struct lab_stream *)stream;
}

struct lab_stream *lab_cuda_stream_create(struct lab_device *device)
{
    return create_stream(device, cudaStreamNonBlocking);
}

void lab_cuda_stream_free(struct lab_device *device, struct lab_stream *stream)
{
    if (stream != NULL)
        (void)lab_cuda_check(device, cudaStreamDestroy(cuda_stream_of(stream)), "releasing a stream");
}

static struct lab_stream *legacy_stream(struct lab_device *device)
{
    return lab_cuda_make_current(device) ? (struct lab_stream *)cudaStreamLegacy : NULL;
}

static struct lab_stream *stream_of_thread(struct lab_device *device)
{
    return lab_cuda_make_current(device) ? (struct lab_stream *)cudaStreamPerThread : NULL;
}

static struct lab_stream *create_blocking_stream(struct lab_device *device)
{
    return create_stream(device, cudaStreamDefault);
}

const struct lab_runtime_default_streams lab_cuda_default_streams = {
    .legacy = legacy_stream, .per_thread = stream_of_thread, .create_blocking = create_blocking_stream};

bool lab_cuda_stream_synchronize(struct lab_device *device, struct lab_stream *stream)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaStreamSynchronize(cuda_stream_of(stream)), "waiting for a stream");
}

bool lab_cuda_stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaStreamWaitEvent(cuda_stream_of(stream), cuda_event_of(event), 0),
                          "making a stream wait");
}

/* --- events ------------------------------------------------------------------------------------------------------- */

struct lab_event *lab_cuda_event_create(struct lab_device *device)
{
    cudaEvent_t event;
    if (!lab_cuda_make_current(device) ||
        !lab_cuda_check(device, cudaEventCreateWithFlags(&event, cudaEventDefault), "creating an event"))
        return NULL;
    return (struct lab_event *)event;
}

void lab_cuda_event_free(struct lab_device *device, struct lab_event *event)
{
    if (event != NULL)
        (void)lab_cuda_check(device, cudaEventDestroy(cuda_event_of(event)), "releasing an event");
}

bool lab_cuda_event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaEventRecord(cuda_event_of(event), cuda_stream_of(stream)), "recording an event");
}

bool lab_cuda_event_synchronize(struct lab_device *device, struct lab_event *event)
{
    return lab_cuda_check(device, cudaEventSynchronize(cuda_event_of(event)), "waiting for an event");
}

bool lab_cuda_event_query(struct lab_device *device, struct lab_event *event, bool *passed)
{
    cudaError_t status = cudaEventQuery(cuda_event_of(event));
    *passed = status == cudaSuccess;
    return status == cudaErrorNotReady || lab_cuda_check(device, status, "querying an event");
}

bool lab_cuda_event_elapsed(struct lab_device *device, struct lab_event *start, struct lab_event *stop, double *seconds)
{
    float milliseconds = 0;
    cudaError_t status = cudaEventElapsedTime(&milliseconds, cuda_event_of(start), cuda_event_of(stop));
    *seconds = (double)milliseconds * 1e-3;
    return lab_cuda_check(device, status, "reading the time between events");
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

static const enum cudaMemcpyKind directions[] = {
    [LAB_H2D] = cudaMemcpyHostToDevice,
    [LAB_D2H] = cudaMemcpyDeviceToHost,
    [LAB_D2D] = cudaMemcpyDeviceToDevice,
};

bool lab_cuda_copy(struct lab_device *device, struct lab_stream *stream, void *destination, const void *source,
                   size_t bytes, enum lab_direction direction)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device,
                          cudaMemcpyAsync(destination, source, bytes, directions[direction], cuda_stream_of(stream)),
                          "copying");
}

static bool copy_rectangle(struct lab_device *device, struct lab_stream *stream, struct lab_region destination,
                           struct lab_region source, enum lab_direction direction)
{
    if (destination.width != source.width || destination.height != source.height)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                             "the source and destination of a copy must have the same width and height");
    if (source.height == 1) /* the pitch of a single row is not used and may exceed CUDA's limit */
        return lab_cuda_copy(device, stream, destination.address, source.address, source.width, direction);
    if (!lab_cuda_make_current(device))
        return false;
    cudaError_t status = cudaMemcpy2DAsync(destination.address, destination.pitch, source.address, source.pitch,
                                           source.width, source.height, directions[direction], cuda_stream_of(stream));
    return lab_cuda_check(device, status, "copying a rectangle");
}

/* A layer, of `rows` rows, of a region. */
static struct cudaPitchedPtr layer_of(struct lab_region region, size_t rows)
{
    return (struct cudaPitchedPtr){.ptr = region.address, .pitch = region.pitch, .xsize = region.width, .ysize = rows};
}

static bool copy_box(struct lab_device *device, struct lab_stream *stream, struct lab_region destination,
                     struct lab_region source, size_t layers, enum lab_direction direction)
{
    if (destination.width != source.width || destination.height != source.height)
        return lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "",
                             "the source and destination of a copy must have the same width and height");
    if (layers == 0 || source.height % layers != 0)
        return lab_error_set(&device->error, LAB_ERROR_INVALID_ARGUMENT, "", "%zu rows are not %zu equal layers",
                             source.height, layers);
    size_t rows = source.height / layers;
    const struct cudaMemcpy3DParms box = {.srcPtr = layer_of(source, rows),
                                          .dstPtr = layer_of(destination, rows),
                                          .extent = {source.width, rows, layers},
                                          .kind = directions[direction]};
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaMemcpy3DAsync(&box, cuda_stream_of(stream)), "copying a box");
}

const struct lab_runtime_copy2d lab_cuda_copy2d = {.copy = copy_rectangle, .copy3d = copy_box};
