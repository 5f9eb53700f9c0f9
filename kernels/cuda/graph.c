/* Graphs: what streams are given to do, captured once and replayed as one. */
#include "device.h"

/* Relaxed: everything that the house queues can be captured, and an error's look at the service stream, which is none
 * of those that are captured, must not spoil the capture. Events need no flags: one that is recorded on a captured
 * stream is an edge of the graph, and no longer a point in time. */
static bool begin(struct lab_device *device, struct lab_stream *origin)
{
    return lab_cuda_enter(device) &&
           lab_cuda_good(device, cudaStreamBeginCapture(cuda_stream_of(origin), cudaStreamCaptureModeRelaxed),
                         "starting to record a graph");
}

/* Uploaded and waited for, so that the first launch costs no more than the others. */
static bool make_ready(struct lab_device *device, cudaGraphExec_t executable)
{
    cudaStream_t service = cuda_device_of(device)->service;
    return lab_cuda_good(device, cudaGraphUpload(executable, service), "uploading a graph") &&
           lab_cuda_good(device, cudaStreamSynchronize(service), "uploading a graph");
}

static void release(struct lab_device *device, struct lab_graph *graph)
{
    if (graph != NULL)
        (void)lab_cuda_good(device, cudaGraphExecDestroy((cudaGraphExec_t)graph), "releasing a graph");
}

static struct lab_graph *end(struct lab_device *device, struct lab_stream *origin)
{
    cudaGraph_t recorded = NULL;
    cudaGraphExec_t executable = NULL;
    if (!lab_cuda_enter(device) || !lab_cuda_good(device, cudaStreamEndCapture(cuda_stream_of(origin), &recorded),
                                                  "ending the recording of a graph"))
        return NULL;
    bool made =
        lab_cuda_good(device, cudaGraphInstantiateWithFlags(&executable, recorded, 0), "making a graph executable");
    (void)cudaGraphDestroy(recorded);
    if (!made)
        return NULL;
    if (make_ready(device, executable))
        return (struct lab_graph *)executable;
    struct lab_error error = device->error;
    release(device, (struct lab_graph *)executable);
    device->error = error;
    return NULL;
}

static bool launch(struct lab_device *device, struct lab_graph *graph, struct lab_stream *stream)
{
    return lab_cuda_enter(device) &&
           lab_cuda_good(device, cudaGraphLaunch((cudaGraphExec_t)graph, cuda_stream_of(stream)), "launching a graph");
}

const struct lab_runtime_graph lab_cuda_graph = {.begin = begin, .end = end, .launch = launch, .release = release};
