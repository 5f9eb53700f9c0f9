/* Names for people: of processes, threads, devices and streams, of kernels and of calls. */
#ifndef LAB_TRACE_NAMES_H
#define LAB_TRACE_NAMES_H

#include "trace/read.h"

/* What distinguishes lanes of a trace. */
struct lab_trace_names {
    const struct lab_trace *trace;
    bool has_processes, has_devices; /* several */
    uint64_t *threads;               /* sorted: process << 32 | thread */
    size_t thread_count;
};

enum { LAB_TRACE_LANE_SIZE = 64, LAB_TRACE_NAME_SIZE = 96 };

/* Returns false when out of memory. The trace is finished, and must outlive the names. */
bool lab_trace_names_init(struct lab_trace_names *names, const struct lab_trace *trace);
void lab_trace_names_release(struct lab_trace_names *names);

/* The index of a thread of a call or range, below thread_count. */
size_t lab_trace_thread_index(const struct lab_trace_names *names, uint32_t process, uint32_t thread);

/* "thread 2", "process 1, thread 2 (loader)" where there are several processes and the program named the thread. */
void lab_trace_thread_lane(const struct lab_trace_names *names, uint32_t process, uint32_t thread,
                           char lane[LAB_TRACE_LANE_SIZE]);
/* "default stream", "stream 13", "device 1, stream 13" where there are several devices. `place` is a kernel, copy or
 * set. */
void lab_trace_stream_lane(const struct lab_trace_names *names, const struct lab_trace_place *place,
                           char lane[LAB_TRACE_LANE_SIZE]);

/* A kernel's name without its return type and parameters. */
void lab_trace_kernel_name(const char *full, char name[LAB_TRACE_NAME_SIZE]);
/* "cudaMemcpyAsync" of "cudaMemcpyAsync_v3020". */
void lab_trace_call_name(const char *full, char name[LAB_TRACE_NAME_SIZE]);

#endif
