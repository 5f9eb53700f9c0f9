/* The functions and tables that cuda.c puts into lab_cuda_runtime, grouped by the file that defines them. runtime.h,
 * gemm.h and collective.h in kernels/runtime describe them. Other files of this folder also call some of them.
 */
#ifndef LAB_CUDA_ENTRIES_H
#define LAB_CUDA_ENTRIES_H

#include "runtime/runtime.h"

#include <cuda_runtime_api.h>

struct cuda_device;

/* memory.c */
bool lab_cuda_allocate(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address);
void lab_cuda_free(struct lab_device *device, enum lab_memory kind, void *address);
bool lab_cuda_memory_info(struct lab_device *device, size_t *free_bytes, size_t *total_bytes);

/* stream.c: streams, events, copies by the copy engines */
struct lab_stream *lab_cuda_stream_create(struct lab_device *device);
void lab_cuda_stream_free(struct lab_device *device, struct lab_stream *stream);
bool lab_cuda_stream_synchronize(struct lab_device *device, struct lab_stream *stream);
bool lab_cuda_stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event);
struct lab_event *lab_cuda_event_create(struct lab_device *device);
void lab_cuda_event_free(struct lab_device *device, struct lab_event *event);
bool lab_cuda_event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream);
bool lab_cuda_event_synchronize(struct lab_device *device, struct lab_event *event);
bool lab_cuda_event_query(struct lab_device *device, struct lab_event *event, bool *passed);
bool lab_cuda_event_elapsed(struct lab_device *device, struct lab_event *start, struct lab_event *stop,
                            double *seconds);
bool lab_cuda_copy(struct lab_device *device, struct lab_stream *stream, void *destination, const void *source,
                   size_t bytes, enum lab_direction direction);
extern const struct lab_runtime_copy2d lab_cuda_copy2d;
extern const struct lab_runtime_default_streams lab_cuda_default_streams;

/* latch.c */
struct lab_latch *lab_cuda_latch_create(struct lab_device *device);
void lab_cuda_latch_free(struct lab_device *device, struct lab_latch *latch);
bool lab_cuda_latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                          double timeout_s);
void lab_cuda_latch_open(struct lab_device *device, struct lab_latch *latch);
bool lab_cuda_latch_timed_out(struct lab_device *device, struct lab_latch *latch, bool *timed_out);

/* operations.c, plan.c */
struct lab_plan *lab_cuda_prepare(struct lab_device *device, const struct lab_operation *operation);
bool lab_cuda_enqueue(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream);
void lab_cuda_plan_free(struct lab_device *device, struct lab_plan *plan);

/* module.c, which needs CUDA 12.8 */
#if CUDART_VERSION >= 12080
extern const struct lab_runtime_module lab_cuda_module;
#define LAB_CUDA_MODULE (&lab_cuda_module)
#else
#define LAB_CUDA_MODULE NULL
#endif

/* texture.c */
struct lab_texture *lab_cuda_texture_create(struct lab_device *device, void *elements,
                                            const struct lab_texture_shape *shape, uint64_t *handle);
bool lab_cuda_texture_fill(struct lab_device *device, struct lab_texture *texture);
bool lab_cuda_texture_read(struct lab_device *device, struct lab_texture *texture);
void lab_cuda_texture_free(struct lab_device *device, struct lab_texture *texture);

/* reduction.c, in builds with CUB */
#if GPULAB_HAVE_CUB
extern const struct lab_runtime_reduction lab_cuda_reduction;
#define LAB_CUDA_REDUCTION (&lab_cuda_reduction)
#else
#define LAB_CUDA_REDUCTION NULL
#endif

/* fft.c, in builds with cuFFT's header */
#if GPULAB_HAVE_CUFFT
extern const struct lab_runtime_fft lab_cuda_fft;
#define LAB_CUDA_FFT (&lab_cuda_fft)
#else
#define LAB_CUDA_FFT NULL
#endif

/* clock.c, graph.c, managed.c, peer.c, waiting.c, gemm/gemm.c */
extern const struct lab_runtime_clock lab_cuda_clock;
extern const struct lab_runtime_graph lab_cuda_graph;
extern const struct lab_runtime_managed lab_cuda_managed;
extern const struct lab_runtime_peer lab_cuda_peer;
extern const struct lab_runtime_waiting lab_cuda_waiting;
extern const struct lab_runtime_gemm lab_cuda_gemm;

/* collective.c, or no_nccl.c in a build without NCCL */
extern const struct lab_runtime_collective lab_cuda_collective;

/* trace.c, or no_cupti.c in a build without CUPTI */
extern const struct lab_runtime_trace lab_cuda_trace;

/* counters.c, or no_counters.c in a build without CUPTI's Range Profiler */
extern const struct lab_runtime_counters lab_cuda_counters;

/* --- called when a device is closed ------------------------------------------------------------------------------- */

/* trace.c: ends a trace that is still being recorded on the device and discards its records. */
void lab_cuda_trace_cancel(struct cuda_device *device);

/* counters.c, or no_counters.c: releases what counting has prepared. */
void lab_cuda_counters_release(struct cuda_device *device);

/* gemm/cublas_handle.c, or gemm/no_cublas.c: destroys the device's cuBLAS handle, if it has one. */
void lab_cuda_cublas_release(struct cuda_device *device);

#endif
