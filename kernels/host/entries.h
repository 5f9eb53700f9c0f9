/* The functions and tables that host.c puts into lab_host_runtime and that have no other header. runtime.h and gemm.h
 * in kernels/runtime describe them. (memory.h, copy.h, plan.h and trace.h declare those of memory.c, copy.c, plan.c,
 * trace.c.)
 */
#ifndef LAB_HOST_ENTRIES_H
#define LAB_HOST_ENTRIES_H

#include "runtime/runtime.h"

/* stream.c */
struct lab_stream *lab_host_stream_create(struct lab_device *device);
void lab_host_stream_free(struct lab_device *device, struct lab_stream *stream);
bool lab_host_stream_synchronize(struct lab_device *device, struct lab_stream *stream);
bool lab_host_stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event);

/* event.c */
struct lab_event *lab_host_event_create(struct lab_device *device);
void lab_host_event_free(struct lab_device *device, struct lab_event *event);
bool lab_host_event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream);
bool lab_host_event_synchronize(struct lab_device *device, struct lab_event *event);
bool lab_host_event_query(struct lab_device *device, struct lab_event *event, bool *passed);
bool lab_host_event_elapsed(struct lab_device *device, struct lab_event *start, struct lab_event *stop,
                            double *seconds);

/* latch.c */
struct lab_latch *lab_host_latch_create(struct lab_device *device);
void lab_host_latch_free(struct lab_device *device, struct lab_latch *latch);
bool lab_host_latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                          double timeout_s);
void lab_host_latch_open(struct lab_device *device, struct lab_latch *latch);
bool lab_host_latch_timed_out(struct lab_device *device, struct lab_latch *latch, bool *timed_out);

/* operations.c */
struct lab_plan *lab_host_prepare(struct lab_device *device, const struct lab_operation *operation);

/* clock.c, which can measure only x86-64 and 64-bit ARM cores */
#if defined(__x86_64__) || defined(__aarch64__)
extern const struct lab_runtime_clock lab_host_clock;
#define LAB_HOST_CLOCK (&lab_host_clock)
#else
#define LAB_HOST_CLOCK NULL
#endif

/* module.c, fft.c, peer.c, waiting.c, gemm/gemm.c */
extern const struct lab_runtime_module lab_host_module;
extern const struct lab_runtime_fft lab_host_fft;
extern const struct lab_runtime_peer lab_host_peer;
extern const struct lab_runtime_waiting lab_host_waiting;
extern const struct lab_runtime_gemm lab_host_gemm;

#endif
