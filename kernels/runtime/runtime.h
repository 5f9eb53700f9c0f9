/* The seam between experiments and hardware. Experiments are plain C against these tables of functions; a runtime
 * (kernels/cuda, kernels/host) fills them in. No experiment asks which runtime it has: a table or entry that is NULL
 * means "this device cannot do that", and the point is skipped with its reason.
 *
 * Rules that hold for every entry
 *   - A call that returns false or NULL has done nothing the caller must undo, and device->error says why. When
 *     device->lost is set as well, no further call on the device can succeed and the process must be replaced.
 *   - Work on one stream runs in order; work on different streams may overlap. Calls named "enqueue", "copy", "record"
 *     and "wait" only queue, except that copies of pageable memory may block.
 *   - A device and what belongs to it are used from one thread at a time.
 *   - Whatever is created is released by its own release function before the device is closed; releasing NULL is
 * nothing.
 */
#ifndef LAB_RUNTIME_H
#define LAB_RUNTIME_H

#include "core/errors.h"
#include "facts/facts.h"
#include "runtime/collective.h"
#include "runtime/gemm.h"
#include "runtime/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_runtime;
struct lab_stream; /* in-order queue of work */
struct lab_event;  /* a point in a stream, with the time at which the device passed it */
struct lab_plan;   /* an operation made ready: modules loaded, attributes set, handles made */
struct lab_latch;  /* holds streams back until the host lets go */

enum lab_memory {
    LAB_MEMORY_DEVICE,
    LAB_MEMORY_PAGEABLE,       /* ordinary host memory */
    LAB_MEMORY_PINNED,         /* page-locked host memory */
    LAB_MEMORY_WRITE_COMBINED, /* page-locked, not cached by the CPU: slow for it to read */
    LAB_MEMORY_MAPPED          /* page-locked and addressed by kernels (zero-copy) */
};

/* Where a part of some work runs. */
struct lab_lane {
    struct lab_device *device;
    struct lab_stream *stream;
};

enum lab_direction { LAB_H2D, LAB_D2H, LAB_D2D };

/* An opened device. A runtime embeds this as the first member of its own struct. */
struct lab_device {
    const struct lab_runtime *runtime;
    struct lab_device_facts facts;
    struct lab_error error; /* of the last call that failed; code "insufficient-memory" where memory ran out */
    bool lost;
    char caveat[LAB_DETAIL_MAX]; /* what a result measured here should say, one sentence; "" for nothing */
};

/* A rectangle of bytes in memory: `height` rows of `width` bytes, `pitch` bytes from row to row. A plain buffer is one
 * row, its pitch does not matter. The test pattern (pattern.h) runs through the rows without a break. */
struct lab_region {
    void *address;
    size_t width, height, pitch;
};

static inline struct lab_region lab_region_of(void *address, size_t bytes)
{
    return (struct lab_region){address, bytes, 1, bytes};
}

enum lab_operation_kind {
    LAB_OPERATION_FILL,  /* write the pattern of `seed` into `destination` */
    LAB_OPERATION_CHECK, /* count the elements of `destination` that differ from the pattern of `seed`, into *wrong */
    LAB_OPERATION_COPY,  /* copy `source` to `destination` by the device's cores, not by a copy engine */
    LAB_OPERATION_FLUSH, /* push everything else out of the device's last-level cache */

    /* Kernels of the pipelines in which copies hide behind compute; on plain buffers of whole 4-byte elements, element
     * i of the buffer being element first + i of the whole array.
     * WAVES: float, in place: a += the mean, over k from 0 to weight - 1, of sqrt(sin^2 x + cos^2 x) in float, where x is
     * (first + i + k) modulo 65536; that is 1 but for rounding, and the argument changes with k so that no compiler
     * lifts it out of the loop.
     * AVERAGE: int, destination = lab_pattern_average of `source` and `source2`; `first` and the number of elements are
     * multiples of 256, as an average takes neighbours from its whole window.
     * INCREMENT: int, in place: a += LAB_INCREMENT. */
    LAB_OPERATION_WAVES,
    LAB_OPERATION_AVERAGE,
    LAB_OPERATION_INCREMENT,

    /* PAIRS: every element meets every partner. Unsigned 4-byte elements, in arithmetic modulo 2^32: destination[i] = the
     * sum over all partners p of (source[i] - p)^2; `source2` holds the partners, of which there are `weight`. As heavy as
     * there are partners, and every result is known: weight * s^2 - 2 s * (sum of p) + (sum of p^2).
     * TRANSPOSE: `source` and `destination` are squares of 4-byte elements, each row a row of the region; element (r, c)
     * goes to (c, r). */
    LAB_OPERATION_PAIRS,
    LAB_OPERATION_TRANSPOSE
};

/* What a typed operation is to do. Addresses are device memory, also that of a peer which the device may reach
 * (lab_runtime_peer), or page-locked host memory, never pageable.
 * COPY wants two regions of the same width and height. */
struct lab_operation {
    enum lab_operation_kind kind;
    struct lab_region destination;
    struct lab_region source;
    uint64_t seed;
    uint64_t *wrong; /* CHECK: host memory of the caller, valid after the stream is synchronised; set, not added to */

    enum lab_content content; /* FILL, CHECK; a CHECK of FLOATS_PLUS counts errors above 1e-6 as wrong */
    double *max_error;        /* CHECK of FLOATS_PLUS: the largest |found - wanted|; as `wrong`; may be NULL */
    uint64_t first;           /* index of the buffer's first element in the whole array, for FILL and CHECK too */
    struct lab_region source2;
    uint64_t width;  /* FILL and CHECK of LAB_CONTENT_TRANSPOSED */
    uint32_t weight; /* WAVES and PAIRS, from 1 */
    uint32_t block;  /* threads per block, from 32 to 1024; 0: the runtime's choice */
};

/* Optional: rectangles moved by the copy engine in one call. */
struct lab_runtime_copy2d {
    bool (*copy)(struct lab_device *device, struct lab_stream *stream, struct lab_region destination,
                 struct lab_region source, enum lab_direction direction);
};

/* Optional: work recorded once and replayed as one. */
struct lab_graph;
struct lab_runtime_graph {
    /* From here to `end`, what is queued on `origin`, and on streams that wait for events recorded in it, is recorded
     * instead of run; those streams must be joined to `origin` again by events before `end`. Copies are of page-locked
     * memory, a latch is not recorded, the default stream cannot be `origin`. An event that is recorded here orders the
     * graph and is no point in time: it is neither asked for nor subtracted before it is recorded on a stream again.
     * Plans and memory are released after the graph that uses them. */
    bool (*begin)(struct lab_device *device, struct lab_stream *origin);
    /* The recorded graph, made ready for its first launch (uploaded). NULL on failure; recording has ended either way. */
    struct lab_graph *(*end)(struct lab_device *device, struct lab_stream *origin);
    bool (*launch)(struct lab_device *device, struct lab_graph *graph, struct lab_stream *stream);
    void (*release)(struct lab_device *device, struct lab_graph *graph);
};

/* Optional: what the device's engines did, and when. */
enum lab_trace_kind { LAB_TRACE_UP, LAB_TRACE_DOWN, LAB_TRACE_LOCAL, LAB_TRACE_PEER, LAB_TRACE_KERNEL };
struct lab_trace_record {
    enum lab_trace_kind kind;
    size_t lane;              /* index into the lanes given to `begin` */
    int64_t start_ns, end_ns; /* one clock for all records of a trace, on whatever device */
    uint64_t bytes;           /* of a copy */
};
struct lab_runtime_trace {
    /* Waits for the lanes' devices, then starts recording on these lanes (the array, of at least one, is copied; the default
     * stream may be among them). There is one trace at a time. What runs on other streams is not recorded, nor is a
     * latch's hold. Fails with the error of the first lane's device, code "unsupported" and a sentence where there is no
     * tracer. Recording slows what it records a little: it is for passes of their own. */
    bool (*begin)(const struct lab_lane *lanes, size_t count);
    /* Waits for the lanes' devices, stops recording and hands out every record, ordered by start. `device` is that of the
     * first lane. Fails with code "trace-incomplete", handing out none, when the tracer lost some; recording has ended
     * either way. */
    bool (*end)(struct lab_device *device, void (*visit)(void *context, const struct lab_trace_record *record),
                void *context);
};

/* Optional: devices that reach each other's memory. */
struct lab_runtime_peer {
    /* From now on operations and copies of `device` reach the memory of `other` directly; allowing twice is nothing. False
     * with code "unsupported" and a sentence where the hardware has no way. `deny` undoes it. Both wait for both devices. */
    bool (*allow)(struct lab_device *device, struct lab_device *other);
    bool (*deny)(struct lab_device *device, struct lab_device *other);
    /* Asynchronous copy between the memories of two devices by a copy engine. The lane is of one of the two: the source's
     * writes, the target's reads. Where access is not allowed the bytes go through host memory. */
    bool (*copy)(const struct lab_lane *lane, struct lab_device *target, void *destination, struct lab_device *source,
                 const void *from, size_t bytes);
};

/* Optional: how fast the device's cores are clocked right now, where no management library tells. */
struct lab_runtime_clock {
    /* Cycles over time across at least 1 ms of a spinning core, in Hz. Blocks. */
    bool (*measure)(struct lab_device *device, double *hz);
};

struct lab_runtime_options {
    size_t host_devices;    /* host runtime: into how many devices the cores are split; 0 means 1 */
    const char *host_fault; /* host runtime: KIND[@N] (host/fault.h), NULL for none */
};

struct lab_runtime {
    const char *name; /* the `backend` of its devices */

    /* Finds the devices; creates no context on any. False with an error when there is none ("no CUDA device: …"). To be
     * called once, before anything else. */
    bool (*start)(const struct lab_runtime_options *options, struct lab_error *error);
    void (*stop)(void);
    size_t (*device_count)(void);
    /* Facts of device `ordinal`, valid until stop. */
    const struct lab_device_facts *(*facts)(size_t ordinal);

    /* Opens a device (CUDA: creates its context). NULL with *error on failure. */
    struct lab_device *(*open)(size_t ordinal, struct lab_error *error);
    void (*close)(struct lab_device *device);

    /* Memory, at least 256-byte aligned, its content undefined. NULL entry-wise: a kind the runtime does not have fails
     * with code "unsupported". */
    bool (*allocate)(struct lab_device *device, enum lab_memory kind, size_t bytes, void **address);
    void (*release)(struct lab_device *device, enum lab_memory kind, void *address);
    /* Device memory in bytes. */
    bool (*memory_info)(struct lab_device *device, size_t *free_bytes, size_t *total_bytes);

    /* Streams do not synchronise with each other or with any default stream. */
    struct lab_stream *(*stream_create)(struct lab_device *device);
    void (*stream_release)(struct lab_device *device, struct lab_stream *stream);
    bool (*stream_synchronize)(struct lab_device *device, struct lab_stream *stream);
    /* Work queued on `stream` from now on starts after `event`, as last recorded, has passed. */
    bool (*stream_wait)(struct lab_device *device, struct lab_stream *stream, struct lab_event *event);

    struct lab_event *(*event_create)(struct lab_device *device);
    void (*event_release)(struct lab_device *device, struct lab_event *event);
    bool (*event_record)(struct lab_device *device, struct lab_event *event, struct lab_stream *stream);
    bool (*event_synchronize)(struct lab_device *device, struct lab_event *event);
    /* *passed tells whether the event has passed; never blocks. */
    bool (*event_query)(struct lab_device *device, struct lab_event *event, bool *passed);
    /* Seconds from `start` to `stop`, both passed, both of this device. */
    bool (*event_elapsed)(struct lab_device *device, struct lab_event *start, struct lab_event *stop, double *seconds);

    /* A latch (METHOD.md 2): `close` queues an operation on `stream` that does not end before `open` is called, or
     * before `timeout_s` has passed on the device itself, whichever comes first; *timed_out, asked after the stream has
     * been synchronised, says which. A latch is used again and again, closed once at a time. */
    struct lab_latch *(*latch_create)(struct lab_device *device);
    void (*latch_release)(struct lab_device *device, struct lab_latch *latch);
    bool (*latch_close)(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream,
                        double timeout_s);
    void (*latch_open)(struct lab_device *device, struct lab_latch *latch);
    bool (*latch_timed_out)(struct lab_device *device, struct lab_latch *latch, bool *timed_out);

    /* Asynchronous copy by the device's copy engine. */
    bool (*copy)(struct lab_device *device, struct lab_stream *stream, void *destination, const void *source,
                 size_t bytes, enum lab_direction direction);

    /* A typed operation in two steps. NULL with code "unsupported" when the device has no such operation. */
    struct lab_plan *(*prepare)(struct lab_device *device, const struct lab_operation *problem);
    bool (*enqueue)(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream);
    void (*plan_release)(struct lab_device *device, struct lab_plan *plan);

    const struct lab_runtime_copy2d *copy2d;
    const struct lab_runtime_clock *clock;
    const struct lab_runtime_graph *graph;
    const struct lab_runtime_trace *trace;
    const struct lab_runtime_gemm *gemm;
    const struct lab_runtime_peer *peer;
    const struct lab_runtime_collective *collective;

    /* The stream that CUDA calls the (legacy) default stream, which orders itself among all blocking streams; belongs to the
     * device, not to be released. NULL as an entry where all streams are alike. */
    struct lab_stream *(*stream_default)(struct lab_device *device);
};

#endif
