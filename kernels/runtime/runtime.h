/* The interface between experiments and hardware. Experiments are plain C that calls these tables of functions; a
 * runtime (kernels/cuda, kernels/host) implements them. Experiments do not test which runtime they run on: a table or
 * entry that is NULL means that the runtime does not support it, and the points that need it are skipped with a reason.
 *
 * Rules for all functions
 *   - After a call that returns false or NULL the caller has nothing to undo or release, and device->error describes
 *     the failure. If device->lost is set too, no further call on the device can succeed and the process must be
 *     replaced.
 *   - Work on one stream runs in order; work on different streams may overlap. Calls named "enqueue", "copy",
 *     "record" and "wait" only enqueue and return, except that copies of pageable memory may block.
 *   - A device and everything created on it are used by one thread at a time.
 *   - Everything that is created must be released, by its own release function, before the device is closed.
 *     Releasing NULL is allowed and does nothing.
 */
#ifndef LAB_RUNTIME_H
#define LAB_RUNTIME_H

#include "core/errors.h"
#include "facts/facts.h"
#include "runtime/collective.h"
#include "runtime/counters.h"
#include "runtime/fft.h"
#include "runtime/gemm.h"
#include "runtime/module.h"
#include "runtime/pattern.h"
#include "runtime/reduction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_runtime;
struct lab_stream; /* in-order queue of work on a device */
struct lab_event;  /* a position in a stream, and the time at which the device reached it */
struct lab_plan;   /* a prepared operation: modules loaded, attributes set, handles created */
struct lab_latch;  /* blocks streams until the host opens it */

enum lab_memory {
    LAB_MEMORY_DEVICE,
    LAB_MEMORY_PAGEABLE,       /* ordinary host memory */
    LAB_MEMORY_PINNED,         /* page-locked host memory */
    LAB_MEMORY_WRITE_COMBINED, /* page-locked, not cached by the CPU: slow for the CPU to read */
    LAB_MEMORY_MAPPED,         /* page-locked and accessed directly by kernels (zero-copy) */
    LAB_MEMORY_MANAGED /* of host and device: its pages are where they were touched last; untouched when allocated */
};

/* A device and one of its streams. A piece of work runs on one lane or on several. */
struct lab_lane {
    struct lab_device *device;
    struct lab_stream *stream;
};

enum lab_direction { LAB_H2D, LAB_D2H, LAB_D2D };

/* An opened device. A runtime embeds this as the first member of its own struct. */
struct lab_device {
    const struct lab_runtime *runtime;
    struct lab_device_facts facts;
    struct lab_error error;      /* error of the last call that failed; "insufficient-memory" when memory ran out */
    bool lost;                   /* the device is unusable until the process is replaced */
    char caveat[LAB_DETAIL_MAX]; /* a sentence that becomes a warning of every run on the device; "" for none */
};

/* Returns `good`, the result of a call on `device`. If it is false, copies the error to `first`, because work on
 * several devices reports all errors on the device of its first lane. */
static inline bool lab_device_forward_error(struct lab_device *first, const struct lab_device *device, bool good)
{
    if (!good && device != first)
        first->error = device->error;
    return good;
}

/* A rectangle of bytes in memory: `height` rows of `width` bytes, the starts of two rows `pitch` bytes apart. A plain
 * buffer is one row, whose pitch is ignored. The test pattern (pattern.h) continues from one row to the next. */
struct lab_region {
    void *address;
    size_t width, height, pitch;
};

/* A plain buffer of `bytes` bytes as a region. */
static inline struct lab_region lab_region_of(void *address, size_t bytes)
{
    return (struct lab_region){address, bytes, 1, bytes};
}

enum lab_operation_kind {
    LAB_OPERATION_FILL,  /* write the pattern of `seed` into `destination` */
    LAB_OPERATION_CHECK, /* set *wrong to the number of elements of `destination` that differ from the pattern */
    LAB_OPERATION_COPY,  /* copy `source` to `destination` with a kernel, not with a copy engine */
    LAB_OPERATION_FLUSH, /* fill the device's last-level cache with other data; all data in it is evicted */
    LAB_OPERATION_SET    /* set every byte of `destination` to `value`, by the function of the runtime for it */
};

/* A typed operation. Addresses are in device memory, in the memory of a peer to which the device has access
 * (lab_runtime_peer), or in page-locked host memory; never in pageable memory. COPY needs two regions of the same width
 * and height. */
struct lab_operation {
    enum lab_operation_kind kind;
    struct lab_region destination;
    struct lab_region source;
    unsigned char value; /* SET */
    uint64_t seed;
    uint64_t *wrong; /* CHECK: number of elements that differ; memory of the caller; overwritten, not added to, and
                      * valid after the stream is synchronised */

    /* FILL, CHECK: the content of `destination`. Errors of LAB_CONTENT_FLOATS_PLUS_ONE up to LAB_FLOAT_ERROR_MAX do not
     * count as wrong. */
    enum lab_content content;
    /* CHECK of LAB_CONTENT_FLOATS_PLUS_ONE: the largest |found - expected|; set like `wrong`, but may be NULL. */
    double *max_error;
    uint64_t first; /* FILL, CHECK: index, in the complete array, of the buffer's first element */
    uint64_t width; /* FILL, CHECK of LAB_CONTENT_TRANSPOSED: rows and columns of the square matrix */
};

/* Optional: copies of rectangles and of boxes by the copy engine in one call. */
struct lab_runtime_copy2d {
    bool (*copy)(struct lab_device *device, struct lab_stream *stream, struct lab_region destination,
                 struct lab_region source, enum lab_direction direction);
    /* The rows are those of `layers` layers, one after the other; their number must be a multiple of that of the
     * layers. */
    bool (*copy3d)(struct lab_device *device, struct lab_stream *stream, struct lab_region destination,
                   struct lab_region source, size_t layers, enum lab_direction direction);
};

/* Optional: the streams of programs that create none, and those that synchronise with them. */
struct lab_runtime_default_streams {
    /* CUDA's legacy default stream: its work starts after that of all blocking streams that is enqueued before, and
     * theirs after its. Belongs to the device and is not released. */
    struct lab_stream *(*legacy)(struct lab_device *device);
    /* The calling thread's default stream, a blocking one. Belongs to the device and is not released. */
    struct lab_stream *(*per_thread)(struct lab_device *device);
    /* Creates a blocking stream, released by stream_free. */
    struct lab_stream *(*create_blocking)(struct lab_device *device);
};

/* Optional: ways to wait besides stream_synchronize and the functions of events. */
struct lab_runtime_waiting {
    /* Sets *idle to whether all work of the stream has ended. Does not wait. */
    bool (*stream_query)(struct lab_device *device, struct lab_stream *stream, bool *idle);
    /* Waits for all work on the device. */
    bool (*synchronize)(struct lab_device *device);
    /* Enqueues a call of `function`, on a thread of the runtime; it must use no device. */
    bool (*call)(struct lab_device *device, struct lab_stream *stream, void (*function)(void *context), void *context);
    /* Lets threads that wait for the device sleep until it wakes them up, from now on, or as by default. NULL in a
     * runtime that has one way to wait. */
    bool (*block)(struct lab_device *device, bool sleep);
    /* Creates an event for which threads sleep while they wait. NULL like `block`. */
    struct lab_event *(*event_create_blocking)(struct lab_device *device);
};

/* Optional: where the pages of managed memory (LAB_MEMORY_MANAGED) are. */
enum lab_advice {
    LAB_ADVICE_NONE,
    LAB_ADVICE_READ_MOSTLY, /* each side may have a copy of a page, until one writes to it */
    LAB_ADVICE_STAY_ON_HOST /* pages stay in the host's memory, which kernels access over the link */
};
struct lab_runtime_managed {
    /* Enqueues the move of the pages of a region to the device, or with `to_host` to the host. */
    bool (*prefetch)(struct lab_device *device, struct lab_stream *stream, struct lab_region region, bool to_host);
    /* Holds until the memory is released. */
    bool (*advise)(struct lab_device *device, struct lab_region region, enum lab_advice advice);
};

/* Optional: work that is recorded once and then launched with one call, repeatedly (CUDA graphs). */
struct lab_graph;
struct lab_runtime_graph {
    /* Starts recording. Until `end`, work enqueued on `origin`, and on streams that wait for events recorded in it,
     * is recorded and not run; such streams must be joined to `origin` again by events before `end`. Copies must be
     * of page-locked memory, no latch may be closed, and the default stream cannot be `origin`. An event recorded
     * meanwhile is a dependency in the graph and has no time: it must not be queried or used in event_elapsed until
     * it is recorded on a stream again. Plans and memory must be released after the graph that uses them. */
    bool (*begin)(struct lab_device *device, struct lab_stream *origin);
    /* Ends recording and returns the graph, uploaded and ready to launch. Returns NULL on failure; recording has ended
     * then too. */
    struct lab_graph *(*end)(struct lab_device *device, struct lab_stream *origin);
    bool (*launch)(struct lab_device *device, struct lab_graph *graph, struct lab_stream *stream);
    void (*free)(struct lab_device *device, struct lab_graph *graph);
};

/* Optional: records which work the devices' engines executed, and when. The kinds of work: copies host to device,
 * device to host, within a device and between devices; kernels. */
enum lab_trace_kind { LAB_TRACE_H2D, LAB_TRACE_D2H, LAB_TRACE_D2D, LAB_TRACE_PEER, LAB_TRACE_KERNEL };
struct lab_trace_record {
    enum lab_trace_kind kind;
    size_t lane;              /* index into the lanes given to `begin` */
    int64_t start_ns, end_ns; /* the same clock for all records of a trace, on all devices */
    uint64_t bytes;           /* bytes that a copy copied; 0 for kernels */
};
struct lab_runtime_trace {
    /* Waits for the lanes' devices and starts recording on these lanes (the array, of at least one lane, is copied; the
     * default stream may be among them). One trace can be active at a time. Work on other streams and the waiting of a
     * latch are not recorded. On failure the error is set on the first lane's device, with code "unsupported" and the
     * reason when there is no tracer. Recording slows the work down a little, so traced work is not timed. */
    bool (*begin)(const struct lab_lane *lanes, size_t count);
    /* Waits for the lanes' devices, stops recording and calls `visit` for every record, in the order of their starts.
     * `device` is the first lane's. Fails with code "trace-incomplete" and visits none when the tracer lost records;
     * recording has ended then too. */
    bool (*end)(struct lab_device *device, void (*visit)(void *context, const struct lab_trace_record *record),
                void *context);
};

/* Optional: devices that access each other's memory (peer-to-peer). */
struct lab_runtime_peer {
    /* Enables direct access: from now on operations and copies of `device` access the memory of `other` directly.
     * Does nothing when access is already enabled. Returns false with code "unsupported" and the reason when the
     * hardware does not support it. `deny` disables the access. Both functions wait for both devices. */
    bool (*allow)(struct lab_device *device, struct lab_device *other);
    bool (*deny)(struct lab_device *device, struct lab_device *other);
    /* Enqueues a copy between the memories of two devices by a copy engine. The lane belongs to one of the two: a
     * lane of the source makes the copy a write, a lane of the target makes it a read. Without access the bytes are
     * staged through host memory. */
    bool (*copy)(const struct lab_lane *lane, struct lab_device *target, void *destination, struct lab_device *source,
                 const void *from, size_t bytes);
};

/* Optional: the current clock of the device's cores, for devices whose clock no management library reports. */
struct lab_runtime_clock {
    /* Measures cycles over time on a busy core for at least 1 ms, in Hz. Blocks. */
    bool (*measure)(struct lab_device *device, double *hz);
};

struct lab_runtime_options {
    size_t host_devices;    /* host runtime: number of devices among which the cores are divided; 0 means 1 */
    const char *host_fault; /* host runtime: the fault to inject, KIND[@N] (host/fault.c); NULL for none */
};

struct lab_runtime {
    const char *name; /* "cuda", "host": the `backend` in its devices' facts */

    /* Finds the devices, without creating a context on any. Returns false with an error when there is none ("no CUDA
     * device: …"). Called once, before any other function. */
    bool (*start)(const struct lab_runtime_options *options, struct lab_error *error);
    void (*stop)(void);
    size_t (*device_count)(void);
    /* The facts of device `ordinal`, valid until stop. */
    const struct lab_device_facts *(*facts)(size_t ordinal);

    /* Opens a device (CUDA: creates its context). Returns NULL with *error set on failure. */
    struct lab_device *(*open)(size_t ordinal, struct lab_error *error);
    void (*close)(struct lab_device *device);

    /* Allocates memory aligned to at least 256 bytes, with undefined content. Fails with code "unsupported" for a
     * kind of memory that the runtime does not have. */
    bool (*allocate)(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address);
    void (*free)(struct lab_device *device, enum lab_memory kind, void *address);
    /* Free and total device memory in bytes. */
    bool (*memory_info)(struct lab_device *device, size_t *free_bytes, size_t *total_bytes);

    /* Streams do not synchronise with each other or with any default stream. */
    struct lab_stream *(*stream_create)(struct lab_device *device);
    void (*stream_free)(struct lab_device *device, struct lab_stream *stream);
    bool (*stream_synchronize)(struct lab_device *device, struct lab_stream *stream);
    /* Work enqueued on `stream` from now on starts after `event`, as last recorded, has been reached. */
    bool (*stream_wait)(struct lab_device *device, struct lab_stream *stream, struct lab_event *event);

    struct lab_event *(*event_create)(struct lab_device *device);
    void (*event_free)(struct lab_device *device, struct lab_event *event);
    bool (*event_record)(struct lab_device *device, struct lab_event *event, struct lab_stream *stream);
    bool (*event_synchronize)(struct lab_device *device, struct lab_event *event);
    /* Sets *passed to whether the event has been reached. Does not block. */
    bool (*event_query)(struct lab_device *device, struct lab_event *event, bool *passed);
    /* Seconds from `start` to `stop`, which must both be of this device and have been reached. */
    bool (*event_elapsed)(struct lab_device *device, struct lab_event *start, struct lab_event *stop, double *seconds);

    /* A latch (METHOD.md 2). `close` enqueues an operation on `stream` that ends when `open` is called, or when
     * `timeout_s` has passed on the device, whichever comes first; `timed_out`, called after the stream has been
     * synchronised, says which. A latch may be used again, but must not be closed twice at the same time. Another
     * thread may open it. */
    struct lab_latch *(*latch_create)(struct lab_device *device);
    void (*latch_free)(struct lab_device *device, struct lab_latch *latch);
    bool (*latch_close)(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                        double timeout_s);
    void (*latch_open)(struct lab_device *device, struct lab_latch *latch);
    bool (*latch_timed_out)(struct lab_device *device, struct lab_latch *latch, bool *timed_out);

    /* Enqueues a copy by the device's copy engine. */
    bool (*copy)(struct lab_device *device, struct lab_stream *stream, void *destination, const void *source,
                 size_t bytes, enum lab_direction direction);

    /* A typed operation is executed in two steps: `prepare` loads modules and allocates memory for it; `enqueue`, which
     * may be called any number of times, launches it. `prepare` returns NULL with code "unsupported" when the device
     * does not have the operation. */
    struct lab_plan *(*prepare)(struct lab_device *device, const struct lab_operation *operation);
    bool (*enqueue)(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream);
    void (*plan_free)(struct lab_device *device, struct lab_plan *plan);

    /* Optional tables; NULL where the runtime does not have them. */
    const struct lab_runtime_copy2d *copy2d;
    const struct lab_runtime_clock *clock;
    const struct lab_runtime_graph *graph;
    const struct lab_runtime_trace *trace;
    const struct lab_runtime_gemm *gemm;
    const struct lab_runtime_module *module;
    const struct lab_runtime_peer *peer;
    const struct lab_runtime_collective *collective;
    const struct lab_runtime_reduction *reduction;
    const struct lab_runtime_fft *fft;
    const struct lab_runtime_default_streams *default_streams;
    const struct lab_runtime_waiting *waiting;
    const struct lab_runtime_managed *managed;
    const struct lab_runtime_counters *counters;
};

#endif
