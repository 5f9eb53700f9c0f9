/* How queued tasks reach engines. A stream is idle, blocked, ready or running (task.h); these functions move it from
 * one state to the next.
 */
#ifndef LAB_HOST_SCHEDULER_H
#define LAB_HOST_SCHEDULER_H

#include "task.h"

extern const struct host_task_kind lab_host_record_kind, lab_host_wait_kind;

/* Queues a copy of *task. False with the device's error set when out of memory. */
bool lab_host_submit(struct lab_stream *stream, const struct host_task *task);

/* Lock held. The two halves of lab_host_submit, for callers that complete the task in between: the first appends a copy
 * of *task to the stream and returns it, or NULL when out of memory; the second schedules the stream if it was idle,
 * and must follow in any case. */
struct host_task *lab_host_append_task(struct lab_stream *stream, const struct host_task *task);
void lab_host_start_stream(struct lab_stream *stream);

/* Lock held. Takes the head off the stream; its memory is used again for another task. */
void lab_host_pop_task(struct lab_stream *stream);

/* Lock held. Completes the records at the stream's head with this time. */
void lab_host_complete_records(struct lab_stream *stream, uint64_t stamp_ns);

/* Lock held. Decides the next state of a stream that no engine has: idle, blocked, or ready for an engine. `was_idle`:
 * the stream was empty until now, so that more tasks may follow at once. */
void lab_host_schedule(struct lab_stream *stream, bool was_idle);

/* Frees the memory of the device's tasks. */
void lab_host_release_tasks(struct host_device *device);

#endif
