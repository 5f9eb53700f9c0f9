/* Between the files of the host runtime. How the parts hang together:
 *   - machine: what the process has once: the lock, the facts of its devices, the injected fault, all memory;
 *   - device: its cores, three engines, the team behind the compute engine;
 *   - stream: a queue of tasks; it is what an engine takes up, one at a time;
 *   - task: work (a copy, an operation, a latch's hold) that one engine runs, or a mark (an event's record, a wait)
 *     that takes no time.
 *
 * A stream is idle (empty), parked (its head waits for an event), ready (in an engine's list) or running (an engine has
 * it). One lock guards all of this for all devices, since a stream may wait for another device's event; work itself
 * runs without it.
 */
#ifndef LAB_HOST_INTERNAL_H
#define LAB_HOST_INTERNAL_H

#include "host.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { HOST_DEVICES_MAX = 16 };

struct host_device;

/* --- doorbell.c: waiting, first for a moment awake, then asleep --------------------------------------------------- */

/* One or more threads wait here for what another does under the same lock. */
struct host_doorbell {
    pthread_cond_t condition;
    atomic_uint rings;
    unsigned sleepers;
};

void lab_host_doorbell_init(struct host_doorbell *doorbell);
void lab_host_doorbell_destroy(struct host_doorbell *doorbell);

/* Lock held. Wakes up to `count` waiters. */
void lab_host_doorbell_ring(struct host_doorbell *doorbell, size_t count);

/* Lock held, given up meanwhile. Returns after a ring, or for no reason: call it in a loop around the condition.
 * Stays awake for awake_ns before it sleeps. */
void lab_host_doorbell_wait(struct host_doorbell *doorbell, pthread_mutex_t *lock, uint64_t awake_ns);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t lab_host_now_ns(void);

/* --- team.c: the cores of a device working on one thing ----------------------------------------------------------- */

/* Does the units begin <= i < end of some work. */
typedef void host_part(void *context, size_t begin, size_t end);

struct host_team {
    pthread_mutex_t lock;
    struct host_doorbell work, done;
    uint64_t awake_ns;
    size_t helper_count;
    pthread_t *helpers;
    bool stopping;
    /* The work in hand, in `parts` parts of `part_units` units, the last one shorter. */
    host_part *part;
    void *context;
    size_t total, part_units, parts, claimed, finished;
};

/* `cores` - 1 helpers that may run on `where`. False with *error. */
bool lab_host_team_start(struct host_team *team, size_t cores, const cpu_set_t *where, uint64_t awake_ns,
                         struct lab_error *error);
void lab_host_team_stop(struct host_team *team);

/* Does `total` units on the calling thread and as many helpers as get at least `grain` units each; returns when all is
 * done. One caller at a time. */
void lab_host_team_run(struct host_team *team, size_t total, size_t grain, host_part *part, void *context);

/* The same in parts of `part_units` units each, which the cores take one after the other as they get done. */
void lab_host_team_share(struct host_team *team, size_t total, size_t part_units, host_part *part, void *context);

/* Starts a thread that takes no signals but those of its own faults, and may run on `where`. False with *error. */
bool lab_host_thread_start(pthread_t *thread, const char *name, const cpu_set_t *where, void *(*body)(void *),
                           void *context, struct lab_error *error);

/* --- fault.c: injected faults ------------------------------------------------------------------------------------- */

enum host_fault_kind {
    HOST_FAULT_NONE,
    HOST_FAULT_ALLOCATION,
    HOST_FAULT_COPY,
    HOST_FAULT_LAUNCH,
    HOST_FAULT_HANG,
    HOST_FAULT_CRASH,
    HOST_FAULT_WRONG_RESULT
};

struct host_fault {
    enum host_fault_kind kind;
    uint64_t nth;
    atomic_uint_least64_t count;
    _Atomic(unsigned char *) bad_byte; /* memory that went bad */
};

/* Reads KIND[@N]; NULL and "" are no fault. False with *error when it is neither. */
bool lab_host_fault_parse(struct host_fault *fault, const char *text, struct lab_error *error);

/* Counts one more event of `kind`; true when it is the one to fail. */
bool lab_host_fault_due(struct host_fault *fault, enum host_fault_kind kind);

/* Which fault is to strike the copy or operation that is being queued, if any; `writes` says whether it leaves a result
 * in memory. */
enum host_fault_kind lab_host_fault_for_work(struct host_fault *fault, bool writes);

/* Carries out a hang or a crash on the calling thread: does not return for these, nothing for any other kind. */
void lab_host_fault_strike(enum host_fault_kind kind);

/* Memory is released; a bad byte in it is forgotten. */
void lab_host_fault_forget(struct host_fault *fault, const unsigned char *memory, size_t bytes);

/* After `region` has been written: makes its middle byte a bad one when `due`, then spoils the bad byte if it is among
 * those written. */
void lab_host_fault_spoil(struct host_fault *fault, bool due, const struct lab_region *region);

/* --- tasks, streams, engines -------------------------------------------------------------------------------------- */

struct host_task;

/* A kind of task. Work has `run`, a mark has none and is known to stream.c. */
struct host_task_kind {
    const char *name;
    bool copies; /* from task->copy.source to task->copy.destination */
    /* On the engine's thread, lock not held. */
    void (*run)(struct host_device *device, struct host_task *task);
};

struct host_task {
    struct host_task *next; /* in its stream, or among the spare ones */
    struct lab_stream *stream;
    const struct host_task_kind *kind;
    struct host_engine *engine; /* NULL for a mark */
    uint64_t order;             /* in which tasks were queued, over all streams */
    enum host_fault_kind fault; /* to strike this task */
    union {
        struct {
            struct lab_region destination, source;
            bool between; /* two devices */
        } copy;
        struct lab_plan *plan;
        struct {
            struct lab_latch *latch;
            uint64_t timeout_ns;
        } hold;
        struct {
            struct lab_event *event;
            struct host_task *waiters;
        } record;
        struct {
            struct host_task *next; /* among those that wait for the same record */
            bool met;
        } wait;
    };
};

enum host_stream_state { HOST_STREAM_IDLE, HOST_STREAM_PARKED, HOST_STREAM_READY, HOST_STREAM_RUNNING };

struct lab_stream {
    struct host_device *device;
    enum host_stream_state state;
    struct host_task *head, *tail;
    struct host_engine *engine; /* that last ran it */
    struct lab_stream *next_ready;
};

struct host_engine {
    struct host_device *device;
    pthread_t thread;
    struct host_doorbell doorbell;
    struct lab_stream *ready; /* in the order of their heads */
    size_t queued;            /* work for it in all streams, ready or not */
    bool working;
    bool lasting; /* lives as long as the device, so that a stream may come back to it */
    bool stopping;
};

struct lab_event {
    struct host_device *device;
    struct host_task *pending; /* its last record, NULL when that has passed */
    bool recorded;             /* ever */
    uint64_t stamp_ns;         /* of its last record, once passed */
    size_t queued;             /* records under way */
    bool released;             /* freed when the last of them has passed */
};

enum { HOST_ENGINE_H2D, HOST_ENGINE_D2H, HOST_ENGINE_COMPUTE, HOST_ENGINES };

struct host_machine {
    pthread_mutex_t lock;
    uint64_t order; /* of the next task */
    /* How long a thread stays awake that knows of nothing to come, and one that does. 0 where it would take the
     * only core from who works. */
    uint64_t awake_ns, expectant_ns;
    struct host_fault fault;
    struct host_allocation *allocations; /* memory.c */
    size_t device_count;
    struct lab_device_facts facts[HOST_DEVICES_MAX];
    cpu_set_t cores[HOST_DEVICES_MAX];
};

struct host_device {
    struct lab_device base;
    struct host_machine *machine;
    const cpu_set_t *cores;
    struct host_engine engines[HOST_ENGINES];
    struct host_team team;
    struct host_doorbell doorbell; /* rung when a stream falls idle or an event passes */
    size_t busy;                   /* streams that are not idle */
    size_t allocated;              /* bytes of device memory */
    uint32_t reaches;              /* bits by ordinal: peers whose memory operations may address */
    struct host_task *spare;
    struct host_task_slab *slabs; /* stream.c */
    struct host_trace *trace;     /* trace.c; NULL while nothing is recorded */
};

static inline struct host_device *lab_host_device(struct lab_device *device)
{
    return (struct host_device *)(void *)device;
}

static inline void lab_host_lock(struct host_device *device)
{
    pthread_mutex_lock(&device->machine->lock);
}

static inline void lab_host_unlock(struct host_device *device)
{
    pthread_mutex_unlock(&device->machine->lock);
}

/* Lock held, given up meanwhile: waits until something of the device's may have changed. */
static inline void lab_host_wait(struct host_device *device)
{
    lab_host_doorbell_wait(&device->doorbell, &device->machine->lock, device->machine->expectant_ns);
}

/* False with "device-lost" once the device is lost; every entry that can fail asks this first. */
bool lab_host_alive(struct lab_device *device);

/* Marks the device lost. Always returns false. */
bool lab_host_lose(struct lab_device *device, const char *what);

/* --- stream.c ----------------------------------------------------------------------------------------------------- */

/* Queues a copy of *task. False with device->error when there is no memory for it. */
bool lab_host_submit(struct lab_stream *stream, const struct host_task *task);

/* Lock held. The first half of the same: puts the copy at the stream's end and gives it, or NULL. The second half
 * has to follow when the task is complete. */
struct host_task *lab_host_append(struct lab_stream *stream, const struct host_task *task);
void lab_host_set_off(struct lab_stream *stream);

/* Lock held. Takes the head off the stream and keeps it for another task. */
void lab_host_pop(struct lab_stream *stream);

/* Lock held. Passes the records at the stream's head. */
void lab_host_pass_records(struct lab_stream *stream, uint64_t stamp_ns);

/* Lock held. Decides what becomes of a stream that no engine has: idle, parked, or ready for an engine. `was_idle` says
 * whether it was empty until now, so that more may be on its way to it. */
void lab_host_advance(struct lab_stream *stream, bool was_idle);

/* Waits until all streams of the device are idle: what is released must not be in use by queued work. */
void lab_host_drain(struct host_device *device);

/* Frees what tasks were kept in. */
void lab_host_release_tasks(struct host_device *device);

struct lab_stream *lab_host_stream_create(struct lab_device *device);
void lab_host_stream_release(struct lab_device *device, struct lab_stream *stream);
bool lab_host_stream_synchronize(struct lab_device *device, struct lab_stream *stream);
bool lab_host_stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event);

/* --- engine.c ----------------------------------------------------------------------------------------------------- */

/* Starts an engine's thread on the device's cores. False with *error. */
bool lab_host_engine_start(struct host_engine *engine, struct host_device *device, const char *name,
                           struct lab_error *error);

/* Ends the thread after the work it has. */
void lab_host_engine_stop(struct host_engine *engine);

/* Lock held. Puts a stream into the engine's list. */
void lab_host_engine_offer(struct host_engine *engine, struct lab_stream *stream);

/* --- event.c ------------------------------------------------------------------------------------------------------ */

extern const struct host_task_kind lab_host_record_kind;

/* Lock held. The record at a stream's head has been reached: stamps its event and lets its waiters go. */
void lab_host_record_pass(struct host_task *record, uint64_t stamp_ns);

struct lab_event *lab_host_event_create(struct lab_device *device);
void lab_host_event_release(struct lab_device *device, struct lab_event *event);
bool lab_host_event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream);
bool lab_host_event_synchronize(struct lab_device *device, struct lab_event *event);
bool lab_host_event_query(struct lab_device *device, struct lab_event *event, bool *passed);
bool lab_host_event_elapsed(struct lab_device *device, struct lab_event *start, struct lab_event *stop,
                            double *seconds);

/* --- latch.c ------------------------------------------------------------------------------------------------------ */

struct lab_latch *lab_host_latch_create(struct lab_device *device);
void lab_host_latch_release(struct lab_device *device, struct lab_latch *latch);
bool lab_host_latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                          double timeout_s);
void lab_host_latch_open(struct lab_device *device, struct lab_latch *latch);
bool lab_host_latch_timed_out(struct lab_device *device, struct lab_latch *latch, bool *timed_out);

/* --- memory.c ----------------------------------------------------------------------------------------------------- */

/* Whether the whole region is memory of this device, or with `page_locked` memory that the device addresses: page-locked
 * memory, and that of peers that it may reach. */
bool lab_host_region_of_device(struct host_device *device, const struct lab_region *region, bool page_locked);

/* Gives back all memory that was allocated through the device. */
void lab_host_release_all(struct host_device *device);

/* Anonymous memory, every page of it touched, on `node` when that is not negative, in huge pages where it is `huge` and
 * the kernel has some. NULL when there is none. `bytes` is a multiple of the page size. */
void *lab_host_map(size_t bytes, bool huge, int64_t node);
void lab_host_unmap(void *address, size_t bytes);
size_t lab_host_round_to_page(size_t bytes);

bool lab_host_allocate(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address);
void lab_host_release(struct lab_device *device, enum lab_memory kind, void *address);
bool lab_host_memory_info(struct lab_device *device, size_t *free_bytes, size_t *total_bytes);

/* --- copy.c ------------------------------------------------------------------------------------------------------- */

/* Copies the bytes begin <= i < end of a region, counted through its rows. */
void lab_host_copy_bytes(const struct lab_region *destination, const struct lab_region *source, size_t begin,
                         size_t end);

/* The same for the whole region, by all cores of the device; on the compute engine. */
void lab_host_copy_by_team(struct host_device *device, const struct lab_region *destination,
                           const struct lab_region *source);

bool lab_host_copy(struct lab_device *device, struct lab_stream *stream, void *destination, const void *source,
                   size_t bytes, enum lab_direction direction);
extern const struct lab_runtime_copy2d lab_host_copy2d;

/* Queues a copy between the memories of two devices, made by an engine of the lane's device: of those that only copy, the
 * one that takes (target) or gives (source). */
bool lab_host_copy_between(const struct lab_lane *lane, struct lab_device *target, struct lab_region destination,
                           struct lab_device *source, struct lab_region from);

/* --- peer.c ------------------------------------------------------------------------------------------------------- */

extern const struct lab_runtime_peer lab_host_peer;

/* --- pattern.c: what buffers are filled with, on regions ---------------------------------------------------------- */

/* Elements of a region, its tail counted as one. */
size_t lab_host_pattern_elements(const struct lab_region *region);

/* Writes the elements begin <= i < end. */
void lab_host_pattern_fill(const struct lab_region *region, struct lab_expectation content, size_t begin, size_t end);

/* Compares them. */
struct lab_comparison lab_host_pattern_check(const struct lab_region *region, struct lab_expectation content,
                                             size_t begin, size_t end);

/* --- pipeline.c: the kernels of pipelines ------------------------------------------------------------------------- */

/* Each does the elements begin <= i < end of plain buffers; runtime.h says what. */
void lab_host_waves(const struct lab_operation *problem, size_t begin, size_t end);
void lab_host_average(const struct lab_operation *problem, size_t begin, size_t end);
void lab_host_increment(const struct lab_operation *problem, size_t begin, size_t end);

/* The results begin <= i < end; the rows of the result from begin to end. */
void lab_host_pairs(const struct lab_operation *problem, size_t begin, size_t end);
void lab_host_transpose(const struct lab_operation *problem, size_t begin, size_t end);

/* --- trace.c ------------------------------------------------------------------------------------------------------ */

/* Lock held. Keeps what an engine has just done, if that is work on a stream that is being traced. */
void lab_host_trace_add(struct host_trace *trace, const struct host_task *task, uint64_t start_ns, uint64_t end_ns);

/* Gives up a trace that nobody has ended. */
void lab_host_trace_abandon(struct host_device *device);

extern const struct lab_runtime_trace lab_host_trace;

/* --- operations.c, clock.c, gemm/; what their plans are: plan.h --------------------------------------------------- */

extern const struct lab_runtime_gemm lab_host_gemm;

struct lab_plan *lab_host_prepare(struct lab_device *device, const struct lab_operation *problem);

#if defined(__x86_64__) || defined(__aarch64__)
extern const struct lab_runtime_clock lab_host_clock;
#define LAB_HOST_CLOCK (&lab_host_clock)
#else
#define LAB_HOST_CLOCK NULL
#endif

/* --- topology.c, ram.c, facts.c: what the machine is -------------------------------------------------------------- */

/* All of these read the kernel's files below `root`, "" but for tests. */

/* Reads a small file into `text`, at most size - 1 bytes, without the newline at its end. False when it cannot. */
bool lab_host_read_text(const char *root, const char *path, char *text, size_t size);

/* Reads a list of the kernel's: "0-3,8". False when it is malformed or has none. */
bool lab_host_parse_cpus(const char *text, cpu_set_t *cpus);

/* Splits `cores` into `parts` sets, neighbours in a NUMA node together. With more parts than cores, parts share
 * them. */
void lab_host_split_cores(const char *root, const cpu_set_t *cores, size_t parts, cpu_set_t *sets);

/* The NUMA node that has all these cores; LAB_UNKNOWN when several have, -1 when the machine tells of none. */
int64_t lab_host_node_of(const char *root, const cpu_set_t *cores);

/* Bytes of the last-level caches that these cores have, or LAB_UNKNOWN. */
int64_t lab_host_cache_bytes(const char *root, const cpu_set_t *cores);

/* Bytes of memory that this process can have at all, and now: what the machine has, less where a control group allows
 * less. What is available leaves the system a little. False when /proc does not tell. */
struct host_ram {
    uint64_t total, available;
};

bool lab_host_ram(const char *root, struct host_ram *ram);

/* Fills the facts of device `ordinal` of `count`, without its peers. */
void lab_host_describe(const char *root, size_t ordinal, size_t count, bool shared, const cpu_set_t *cores,
                       uint64_t memory_bytes, struct lab_device_facts *facts);

#endif
