/* Moves queued tasks to engines. A stream is idle, blocked, ready or running (enum host_stream_state in task.h); these
 * functions change its state.
 */
#ifndef LAB_HOST_SCHEDULER_H
#define LAB_HOST_SCHEDULER_H

#include "task.h"

/* The kinds of the tasks that record an event and that wait for one. */
extern const struct host_task_kind lab_host_record_kind, lab_host_wait_kind;

/* Queues a copy of *task. Returns false with the device's error set when out of memory. */
bool lab_host_submit(struct lab_stream *stream, const struct host_task *task);

/* The two steps of lab_host_submit, for callers that fill in the queued task between them. lab_host_append_task appends
 * a copy of *task to the stream and returns it, or NULL when out of memory. lab_host_start_stream schedules the stream
 * if it was idle, and must be called even if the first step failed. The caller holds the lock. */
struct host_task *lab_host_append_task(struct lab_stream *stream, const struct host_task *task);
void lab_host_start_stream(struct lab_stream *stream);

/* Removes the head of the stream and returns its memory to the spare tasks. The caller holds the lock. */
void lab_host_pop_task(struct lab_stream *stream);

/* Completes the records at the stream's head and sets the time of their events. The caller holds the lock. */
void lab_host_complete_records(struct lab_stream *stream, uint64_t stamp_ns);

/* Sets the state of a stream that no engine has taken: idle, blocked, or ready for an engine. `was_idle`: the stream
 * was empty until now, so the caller may queue more tasks immediately. The caller holds the lock. */
void lab_host_schedule(struct lab_stream *stream, bool was_idle);

/* Frees the memory of the device's tasks. */
void lab_host_release_tasks(struct host_device *device);

#endif
