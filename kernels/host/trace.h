/* Tracing: while a trace is recorded, each engine records the start and the end of its tasks.
 */
#ifndef LAB_HOST_TRACE_H
#define LAB_HOST_TRACE_H

#include "device.h"

/* Records a task that an engine has just run, if its stream is being traced. The caller holds the lock. */
void lab_host_trace_add(struct host_trace *trace, const struct host_task *task, uint64_t start_ns, uint64_t end_ns);

/* Ends a trace that is still being recorded on the device and discards its records. */
void lab_host_trace_cancel(struct host_device *device);

extern const struct lab_runtime_trace lab_host_trace;

#endif
