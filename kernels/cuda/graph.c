/* CUDA graphs: work queued on streams is captured once and then launched by one call. */
#include "device.h"
#include "entries.h"

/* Starts a capture in relaxed mode, because lab_cuda_check queries the service stream, which is not captured; in the
 * other modes the query would invalidate the capture. An event that is recorded on a captured stream becomes an edge of
 * the graph and has no time. */
static bool cuda_graph_begin(struct lab_device *device, struct lab_stream *origin)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaStreamBeginCapture(cuda_stream_of(origin), cudaStreamCaptureModeRelaxed),
                          "starting to record a graph");
}

/* Uploads the graph and waits, so that the first launch takes no longer than later ones. */
static bool upload(struct lab_device *device, cudaGraphExec_t executable)
{
    cudaStream_t service = cuda_device_of(device)->service;
    return lab_cuda_check(device, cudaGraphUpload(executable, service), "uploading a graph") &&
           lab_cuda_check(device, cudaStreamSynchronize(service), "uploading a graph");
}

static void cuda_graph_release(struct lab_device *device, struct lab_graph *graph)
{
    if (graph != NULL)
        (void)lab_cuda_check(device, cudaGraphExecDestroy((cudaGraphExec_t)graph), "releasing a graph");
}

static struct lab_graph *cuda_graph_end(struct lab_device *device, struct lab_stream *origin)
{
    cudaGraph_t recorded = NULL;
    cudaGraphExec_t executable = NULL;
    if (!lab_cuda_make_current(device) ||
        !lab_cuda_check(device, cudaStreamEndCapture(cuda_stream_of(origin), &recorded),
                        "ending the recording of a graph"))
        return NULL;
    bool instantiated =
        lab_cuda_check(device, cudaGraphInstantiateWithFlags(&executable, recorded, 0), "making a graph executable");
    (void)cudaGraphDestroy(recorded);
    if (!instantiated)
        return NULL;
    if (upload(device, executable))
        return (struct lab_graph *)executable;
    struct lab_error error = device->error;
    cuda_graph_release(device, (struct lab_graph *)executable);
    device->error = error;
    return NULL;
}

static bool cuda_graph_launch(struct lab_device *device, struct lab_graph *graph, struct lab_stream *stream)
{
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaGraphLaunch((cudaGraphExec_t)graph, cuda_stream_of(stream)), "launching a graph");
}

const struct lab_runtime_graph lab_cuda_graph = {
    .begin = cuda_graph_begin, .end = cuda_graph_end, .launch = cuda_graph_launch, .free = cuda_graph_release};
