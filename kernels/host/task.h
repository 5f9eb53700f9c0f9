/* The objects that the scheduler uses:
 *   - task: work (a copy, an operation, a closed latch) that one engine runs, or a mark (an event's record, a wait)
 *     that takes no time;
 *   - stream: a queue of tasks; an engine takes one stream at a time and runs the task at its head;
 *   - engine: a thread with a list of the streams that are ready for it;
 *   - event: points to the task that records it, until the record has completed.
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
    bool copies; /* the task copies task->copy.source to task->copy.destination */
    /* Executes the task. Called on the engine's thread, without the lock. NULL for a mark. */
    void (*run)(struct host_device *device, struct host_task *task);
};

struct host_task {
    struct host_task *next; /* next task in its stream, or in the list of spare tasks */
    struct lab_stream *stream;
    const struct host_task_kind *kind;
    struct host_engine *engine; /* the engine that runs the task; NULL for a mark */
    uint64_t order;             /* number of the task, in the order in which tasks were queued on all streams */
    enum host_fault_kind fault; /* the fault that must happen when this task runs */
    union {
        struct {
            struct lab_region destination, source;
            bool between_devices;
        } copy;
        struct lab_plan *plan;
        struct {
            void (*function)(void *context);
            void *context;
        } call;
        struct {
            struct lab_latch *latch;
            uint64_t timeout_ns;
        } latch;
        struct {
            struct lab_event *event;
            struct host_task *waiters; /* the waits for this record */
        } record;
        struct {
            struct host_task *next; /* next wait for the same record */
            bool over;              /* the record has completed */
        } wait;
    };
};

enum host_stream_state {
    HOST_STREAM_IDLE,    /* empty */
    HOST_STREAM_BLOCKED, /* the task at its head waits for an event */
    HOST_STREAM_READY,   /* it is in an engine's list of ready streams */
    HOST_STREAM_RUNNING  /* an engine has taken it from its list */
};

struct lab_stream {
    struct host_device *device;
    enum host_stream_state state;
    struct host_task *head, *tail;
    struct host_engine *engine;    /* the engine of the device (not of a latch) that last ran a task of this stream */
    struct lab_stream *next_ready; /* next stream in an engine's list of ready streams */
};

struct host_engine {
    struct host_device *device;
    pthread_t thread;
    struct host_condition wakeup; /* signalled when the thread may have something to do */
    struct lab_stream *ready;     /* list of ready streams, in the order in which their heads were queued */
    size_t queued;                /* number of tasks for this engine in all streams, ready or not */
    bool working;                 /* a task is running */
    bool permanent; /* it exists as long as the device, so streams may point to it; false for a latch's engine */
    bool stopping;  /* the thread must end */
};

struct lab_event {
    struct host_device *device;
    struct host_task *pending; /* its last record; NULL when the record has completed or there is none */
    bool recorded;             /* it was recorded at least once */
    uint64_t stamp_ns;         /* time at which its last record completed */
    size_t queued;             /* number of its records that have not completed */
    bool released;             /* it was released and is freed when its last record has completed */
};

#endif
