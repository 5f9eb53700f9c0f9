/* The objects that scheduling deals with:
 *   - task: work (a copy, an operation, a closed latch) that one engine runs, or a mark (an event's record, a wait)
 *     that takes no time;
 *   - stream: a queue of tasks; an engine takes one stream at a time and runs the task at its head;
 *   - engine: a thread with a list of the streams that are ready for it;
 *   - event: refers to its last record.
 *
 * The machine's lock guards all of them.
 */
#ifndef LAB_HOST_TASK_H
#define LAB_HOST_TASK_H

#include "condition.h"
#include "fault.h"
#include "runtime/runtime.h"

#include <pthread.h>

struct host_device;
struct host_task;

/* A kind of task. Work has `run`; a mark has none and is handled by scheduler.c. */
struct host_task_kind {
    const char *name;
    bool copies; /* from task->copy.source to task->copy.destination */
    /* On the engine's thread, lock not held. */
    void (*run)(struct host_device *device, struct host_task *task);
};

struct host_task {
    struct host_task *next; /* in its stream, or in the list of spare tasks */
    struct lab_stream *stream;
    const struct host_task_kind *kind;
    struct host_engine *engine; /* NULL for a mark */
    uint64_t order;             /* in which tasks were queued, over all streams */
    enum host_fault_kind fault; /* that must happen when this task runs */
    union {
        struct {
            struct lab_region destination, source;
            bool between_devices;
        } copy;
        struct lab_plan *plan;
        struct {
            struct lab_latch *latch;
            uint64_t timeout_ns;
        } latch;
        struct {
            struct lab_event *event;
            struct host_task *waiters; /* the waits for this record */
        } record;
        struct {
            struct host_task *next; /* among the waits for the same record */
            bool over;              /* the record has completed */
        } wait;
    };
};

enum host_stream_state {
    HOST_STREAM_IDLE,    /* empty */
    HOST_STREAM_BLOCKED, /* its head waits for an event */
    HOST_STREAM_READY,   /* in an engine's list */
    HOST_STREAM_RUNNING  /* an engine has taken it */
};

struct lab_stream {
    struct host_device *device;
    enum host_stream_state state;
    struct host_task *head, *tail;
    struct host_engine *engine; /* the device's engine that ran it last */
    struct lab_stream *next_ready;
};

struct host_engine {
    struct host_device *device;
    pthread_t thread;
    struct host_condition wakeup;
    struct lab_stream *ready; /* streams, in the order in which their heads were queued */
    size_t queued;            /* tasks for this engine in all streams, ready or not */
    bool working;
    bool permanent; /* exists as long as the device (a latch's engine does not), so that streams may refer to it */
    bool stopping;
};

struct lab_event {
    struct host_device *device;
    struct host_task *pending; /* its last record, NULL once that has completed */
    bool recorded;             /* at least once */
    uint64_t stamp_ns;         /* time of its last record, once completed */
    size_t queued;             /* records that have not completed */
    bool released;             /* freed when the last of them has completed */
};

#endif
