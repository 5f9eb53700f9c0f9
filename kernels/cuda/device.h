/* What the files of this folder share: the opened device, and how a CUDA error becomes the house's. Every entry of the
 * runtime's table is declared here, under the file that defines it.
 */
#ifndef LAB_CUDA_DEVICE_H
#define LAB_CUDA_DEVICE_H

#include "cuda.h"

#include <cuda_runtime_api.h>

struct cuda_device {
    struct lab_device base;
    int ordinal;
    cudaStream_t service;  /* for the device's own short work; nothing of an experiment runs on it */
    uint64_t *words;       /* CUDA_WORDS page-locked words for answers of the device's own kernels; host address */
    uint64_t *words_there; /* the same for kernels */
    void *scratch;         /* what a flush writes to; made when first asked for */
    size_t scratch_bytes;
    struct cuda_cublas *cublas; /* made when first asked for */
};

enum { CUDA_WORDS = 8 };

static inline struct cuda_device *cuda_device_of(struct lab_device *device)
{
    return (struct cuda_device *)device;
}

/* Streams and events are CUDA's own, under the house's names. */
static inline cudaStream_t cuda_stream_of(struct lab_stream *stream)
{
    return (cudaStream_t)stream;
}

static inline cudaEvent_t cuda_event_of(struct lab_event *event)
{
    return (cudaEvent_t)event;
}

/* --- device.c: opening, errors ------------------------------------------------------------------------------- */

/* True for cudaSuccess. Else fills device->error with CUDA's name and sentence for it and with `doing` ("copying"),
 * clears the error and finds out whether it stays: then device->lost. */
bool lab_cuda_good(struct lab_device *device, cudaError_t status, const char *doing);

/* The sentence for a CUDA error: "cudaErrorNoDevice: no CUDA-capable device is detected". Always false. */
bool lab_cuda_describe(struct lab_error *error, const char *code, cudaError_t status, const char *doing);

/* Makes the device current for the calling thread: before everything that allocates, creates or launches. */
bool lab_cuda_enter(struct lab_device *device);

/* Uses once what CUDA makes ready at first use: setting memory, a copy each way. On the service stream; waits for it. */
cudaError_t lab_cuda_warm_up(struct cuda_device *device);

struct lab_device *lab_cuda_open(size_t ordinal, struct lab_error *error);
void lab_cuda_close(struct lab_device *device);

/* --- cuda.c, facts.c: the devices of this machine -------------------------------------------------------------- */

const struct lab_device_facts *lab_cuda_facts(size_t ordinal);

/* Reads all facts of a device but its peers, without a context. False with *error. */
bool lab_cuda_read_facts(int ordinal, struct lab_device_facts *facts, struct lab_error *error);

/* Fills in how device `ordinal` reaches the others; needs the ids of all. */
void lab_cuda_read_peers(struct lab_device_facts *all, size_t count, size_t ordinal);

/* --- memory.c -------------------------------------------------------------------------------------------------- */

bool lab_cuda_allocate(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address);
void lab_cuda_release(struct lab_device *device, enum lab_memory kind, void *address);
bool lab_cuda_memory_info(struct lab_device *device, size_t *free_bytes, size_t *total_bytes);

/* The address under which kernels reach device memory or page-locked host memory (they differ for write-combined
 * memory). False with code "unsupported" for memory that they cannot reach. */
bool lab_cuda_address_there(struct lab_device *device, void *address, void **there);

/* --- stream.c: streams, events, copies by the copy engine ------------------------------------------------------- */

struct lab_stream *lab_cuda_stream_create(struct lab_device *device);
void lab_cuda_stream_release(struct lab_device *device, struct lab_stream *stream);
struct lab_stream *lab_cuda_stream_default(struct lab_device *device);
bool lab_cuda_stream_synchronize(struct lab_device *device, struct lab_stream *stream);
bool lab_cuda_stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event);
struct lab_event *lab_cuda_event_create(struct lab_device *device);
void lab_cuda_event_release(struct lab_device *device, struct lab_event *event);
bool lab_cuda_event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream);
bool lab_cuda_event_synchronize(struct lab_device *device, struct lab_event *event);
bool lab_cuda_event_query(struct lab_device *device, struct lab_event *event, bool *passed);
bool lab_cuda_event_elapsed(struct lab_device *device, struct lab_event *start, struct lab_event *stop,
                            double *seconds);
bool lab_cuda_copy(struct lab_device *device, struct lab_stream *stream, void *destination, const void *source,
                   size_t bytes, enum lab_direction direction);
extern const struct lab_runtime_copy2d lab_cuda_copy2d;

/* --- latch.c, clock.c: kernels that only wait ------------------------------------------------------------------- */

struct lab_latch *lab_cuda_latch_create(struct lab_device *device);
void lab_cuda_latch_release(struct lab_device *device, struct lab_latch *latch);
bool lab_cuda_latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                          double timeout_s);
void lab_cuda_latch_open(struct lab_device *device, struct lab_latch *latch);
bool lab_cuda_latch_timed_out(struct lab_device *device, struct lab_latch *latch, bool *timed_out);
extern const struct lab_runtime_clock lab_cuda_clock;

/* --- operations.c, plan.c --------------------------------------------------------------------------------------- */

struct lab_plan *lab_cuda_prepare(struct lab_device *device, const struct lab_operation *problem);
bool lab_cuda_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream);
void lab_cuda_plan_release(struct lab_device *device, struct lab_plan *plan);

/* --- gemm/gemm.c, gemm/cublas.c ----------------------------------------------------------------------------------- */

extern const struct lab_runtime_gemm lab_cuda_gemm;

/* Ends the device's use of cuBLAS, if there has been any. */
void lab_cuda_cublas_abandon(struct cuda_device *device);

/* --- peer.c ----------------------------------------------------------------------------------------------------- */

extern const struct lab_runtime_peer lab_cuda_peer;

/* --- collective.c ----------------------------------------------------------------------------------------------- */

extern const struct lab_runtime_collective lab_cuda_collective;

/* --- graph.c, trace.c ------------------------------------------------------------------------------------------- */

extern const struct lab_runtime_graph lab_cuda_graph;
extern const struct lab_runtime_trace lab_cuda_trace;

/* Ends a trace that is still recording on the device; what it recorded is lost. */
void lab_cuda_trace_abandon(struct cuda_device *device);

#endif
