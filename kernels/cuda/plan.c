/* Plans of operations, and reading back the results of comparisons. */
#include "plan.h"

#include "entries.h"

#include <stdlib.h>

/* --- plans -------------------------------------------------------------------------------------------------------- */

void *lab_cuda_plan_create(struct lab_device *device, size_t bytes, const struct cuda_operation *operation)
{
    struct lab_plan *plan = calloc(1, bytes);
    if (plan == NULL)
        lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a prepared operation");
    else
        plan->operation = operation;
    return plan;
}

bool lab_cuda_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    const struct cuda_operation *operation = plan->operation;
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, operation->launch(cuda_device_of(device), plan, cuda_stream_of(stream)),
                          operation->doing);
}

void lab_cuda_plan_free(struct lab_device *device, struct lab_plan *plan)
{
    if (plan == NULL)
        return;
    if (plan->operation->discard != NULL)
        plan->operation->discard(device, plan);
    free(plan);
}

/* Captures the plan into a graph. The capture is ended even after an error; device->error is then the first error. */
static struct lab_graph *capture(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    if (!lab_cuda_graph.begin(device, stream))
        return NULL;
    bool queued = lab_cuda_enqueue(device, plan, stream);
    struct lab_error error = device->error;
    struct lab_graph *graph = lab_cuda_graph.end(device, stream);
    if (queued)
        return graph;
    lab_cuda_graph.free(device, graph);
    device->error = error;
    return NULL;
}

struct lab_plan *lab_cuda_plan_preload(struct lab_device *device, struct lab_plan *plan)
{
    struct lab_stream *stream = lab_cuda_stream_create(device);
    struct lab_graph *graph = stream != NULL ? capture(device, plan, stream) : NULL;
    struct lab_error error = device->error;
    bool ready = graph != NULL;
    lab_cuda_graph.free(device, graph);
    lab_cuda_stream_free(device, stream);
    if (ready)
        return plan;
    lab_cuda_plan_free(device, plan);
    device->error = error;
    return NULL;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

bool lab_cuda_function_attributes(struct lab_device *device, const void *function, unsigned threads,
                                  size_t shared_bytes, struct lab_kernel_attributes *attributes)
{
    struct cudaFuncAttributes found;
    int blocks = 0, most = 0;
    if (!lab_cuda_check(device, cudaFuncGetAttributes(&found, function), "reading a kernel's attributes") ||
        !lab_cuda_check(device,
                        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, (int)threads, shared_bytes),
                        "computing a kernel's occupancy") ||
        !lab_cuda_check(
            device,
            cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, cuda_device_of(device)->ordinal),
            "reading the number of resident threads"))
        return false;
    *attributes = (struct lab_kernel_attributes){.registers = found.numRegs,
                                                 .local_bytes = found.localSizeBytes,
                                                 .shared_bytes = found.sharedSizeBytes + shared_bytes,
                                                 .blocks_per_multiprocessor = blocks,
                                                 .occupancy = (double)blocks * threads / most};
    return true;
}

/* --- results of comparisons --------------------------------------------------------------------------------------- */

bool lab_cuda_comparison_init(struct lab_device *device, struct cuda_comparison_buffers *buffers, uint64_t *wrong,
                              double *max_error)
{
    void *on_device = NULL, *staging = NULL;
    bool created = lab_cuda_allocate(device, LAB_MEMORY_DEVICE, sizeof *buffers->on_device, &on_device) &&
                   lab_cuda_allocate(device, LAB_MEMORY_PINNED, sizeof *buffers->staging, &staging);
    *buffers = (struct cuda_comparison_buffers){on_device, staging, wrong, max_error};
    return created;
}

void lab_cuda_comparison_release(struct lab_device *device, struct cuda_comparison_buffers *buffers)
{
    lab_cuda_free(device, LAB_MEMORY_DEVICE, buffers->on_device);
    lab_cuda_free(device, LAB_MEMORY_PINNED, buffers->staging);
}

cudaError_t lab_cuda_comparison_clear(struct cuda_comparison_buffers *buffers, cudaStream_t stream)
{
    return cudaMemsetAsync(buffers->on_device, 0, sizeof *buffers->on_device, stream);
}

/* Copies the result to the caller's variables. CUDA calls this on one of its own threads, in stream order. */
static void store_result(void *context)
{
    struct cuda_comparison_buffers *buffers = context;
    *buffers->wrong = buffers->staging->wrong;
    if (buffers->max_error != NULL)
        *buffers->max_error = buffers->staging->max_error;
}

cudaError_t lab_cuda_comparison_read_back(struct cuda_comparison_buffers *buffers, cudaStream_t stream)
{
    cudaError_t status =
        cudaMemcpyAsync(buffers->staging, buffers->on_device, sizeof *buffers->staging, cudaMemcpyDeviceToHost, stream);
    return status == cudaSuccess ? cudaLaunchHostFunc(stream, store_result, buffers) : status;
}
