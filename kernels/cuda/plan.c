/* What all plans have in common: how they are queued and released, made ready without being run, and how counts come
 * back from the device. */
#include "plan.h"

#include <stdlib.h>

/* --- plans -------------------------------------------------------------------------------------------------------- */

void *lab_cuda_plan_create(struct lab_device *device, size_t bytes, const struct cuda_operation *operation)
{
    struct lab_plan *plan = calloc(1, bytes);
    if (plan == NULL)
        lab_error_set(&device->error, "out-of-memory", "", "no memory for a plan");
    else
        plan->operation = operation;
    return plan;
}

bool lab_cuda_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    const struct cuda_operation *operation = plan->operation;
    return lab_cuda_enter(device) &&
           lab_cuda_good(device, operation->launch(cuda_device_of(device), plan, cuda_stream_of(stream)),
                         operation->doing);
}

void lab_cuda_plan_release(struct lab_device *device, struct lab_plan *plan)
{
    if (plan == NULL)
        return;
    if (plan->operation->discard != NULL)
        plan->operation->discard(device, plan);
    free(plan);
}

/* The recording ends either way; of two errors the first says more. */
static struct lab_graph *record(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    if (!lab_cuda_graph.begin(device, stream))
        return NULL;
    bool queued = lab_cuda_enqueue(device, plan, stream);
    struct lab_error error = device->error;
    struct lab_graph *graph = lab_cuda_graph.end(device, stream);
    if (queued)
        return graph;
    lab_cuda_graph.release(device, graph);
    device->error = error;
    return NULL;
}

struct lab_plan *lab_cuda_plan_rehearsed(struct lab_device *device, struct lab_plan *plan)
{
    struct lab_stream *stream = lab_cuda_stream_create(device);
    struct lab_graph *graph = stream != NULL ? record(device, plan, stream) : NULL;
    struct lab_error error = device->error;
    bool ready = graph != NULL;
    lab_cuda_graph.release(device, graph);
    lab_cuda_stream_release(device, stream);
    if (ready)
        return plan;
    lab_cuda_plan_release(device, plan);
    device->error = error;
    return NULL;
}

/* --- counts ------------------------------------------------------------------------------------------------------- */

bool lab_cuda_tally_make(struct lab_device *device, struct cuda_tally *tally, uint64_t *wrong, double *max_error)
{
    void *counter = NULL, *staging = NULL;
    bool made = lab_cuda_allocate(device, LAB_MEMORY_DEVICE, sizeof *tally->counter, &counter) &&
                lab_cuda_allocate(device, LAB_MEMORY_PINNED, sizeof *tally->staging, &staging);
    *tally = (struct cuda_tally){counter, staging, wrong, max_error};
    return made;
}

void lab_cuda_tally_discard(struct lab_device *device, struct cuda_tally *tally)
{
    lab_cuda_release(device, LAB_MEMORY_DEVICE, tally->counter);
    lab_cuda_release(device, LAB_MEMORY_PINNED, tally->staging);
}

cudaError_t lab_cuda_tally_clear(struct cuda_tally *tally, cudaStream_t stream)
{
    return cudaMemsetAsync(tally->counter, 0, sizeof *tally->counter, stream);
}

/* Called by CUDA on a thread of its own, in the order of the stream. */
static void deliver(void *context)
{
    struct cuda_tally *tally = context;
    *tally->wrong = tally->staging->wrong;
    if (tally->max_error != NULL)
        *tally->max_error = tally->staging->max_error;
}

cudaError_t lab_cuda_tally_deliver(struct cuda_tally *tally, cudaStream_t stream)
{
    cudaError_t status =
        cudaMemcpyAsync(tally->staging, tally->counter, sizeof *tally->staging, cudaMemcpyDeviceToHost, stream);
    return status == cudaSuccess ? cudaLaunchHostFunc(stream, deliver, tally) : status;
}
