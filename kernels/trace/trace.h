/* The stream of records that gpulab-trace.so writes while a program runs, and that read.h reads.
 *
 * A record begins with struct lab_trace_head and has a fixed size for its type, except NAME and NOTE, whose text fills
 * the rest. Numbers have the byte order and alignment of the machine, because writer and reader are on the same one.
 * Records are written in groups of at most LAB_TRACE_GROUP_MAX bytes, each in one write, so that those of several
 * processes in one pipe do not mix. The first record of a process is BEGIN. Times are ns since 1970 (CLOCK_REALTIME),
 * as CUPTI's. A text stands in a record as the number of a NAME, which precedes it in the stream of its process and
 * counts from 1; 0 is no text.
 *
 * This header includes nothing of the repository, and has no definition but types.
 */
#ifndef LAB_TRACE_H
#define LAB_TRACE_H

#include <stdint.h>

/* Variables of the traced program's environment, which the worker sets beside CUDA_INJECTION64_PATH, the path of
 * gpulab-trace.so. For NVTX ranges, NVTX_INJECTION64_PATH is the path of the CUPTI library. FD: "7" or "7:INODE", the
 * descriptor that is written; with the number of its inode, only while it is that file. CUPTI: the path of the library;
 * otherwise it is searched. LIMIT: the bytes to write at most. COUNTERS: numbers of hardware counters with commas
 * between them (core/hardware_counters.h): those of them that fit into one pass are read for each launch of a kernel,
 * and nothing else is recorded. DRIVER: the library in place of the driver's libcuda.so.1, for tests. */
#define LAB_TRACE_VARIABLE_FD "GPULAB_TRACE_FD"
#define LAB_TRACE_VARIABLE_CUPTI "GPULAB_TRACE_CUPTI"
#define LAB_TRACE_VARIABLE_LIMIT "GPULAB_TRACE_LIMIT"
#define LAB_TRACE_VARIABLE_COUNTERS "GPULAB_TRACE_COUNTERS"
#define LAB_TRACE_VARIABLE_DRIVER "GPULAB_TRACE_DRIVER"

#define LAB_TRACE_MAGIC "gpulabTR"
enum {
    LAB_TRACE_VERSION = 1,
    LAB_TRACE_GROUP_MAX = 4096,         /* PIPE_BUF of Linux */
    LAB_TRACE_TEXT_MAX = 3000,          /* bytes of a NAME or NOTE; what is longer is cut */
    LAB_TRACE_LIMIT_DEFAULT = 64 << 20, /* bytes */
    LAB_TRACE_COUNTERS_MAX = 64
};

enum lab_trace_type {
    LAB_TRACE_TYPE_BEGIN = 1,
    LAB_TRACE_TYPE_NAME, /* the next text of the process */
    LAB_TRACE_TYPE_NOTE, /* a sentence: why something could not be recorded */
    LAB_TRACE_TYPE_GPU,
    LAB_TRACE_TYPE_STREAM,
    LAB_TRACE_TYPE_TITLE,
    LAB_TRACE_TYPE_KERNEL,
    LAB_TRACE_TYPE_COPY,
    LAB_TRACE_TYPE_SET,
    LAB_TRACE_TYPE_CALL,
    LAB_TRACE_TYPE_WAIT,
    LAB_TRACE_TYPE_OVERHEAD,
    LAB_TRACE_TYPE_MARK,
    LAB_TRACE_TYPE_FLUSHED,
    LAB_TRACE_TYPE_LOST,
    LAB_TRACE_TYPE_END, /* the process has ended by exit(), and all records were written */
    LAB_TRACE_TYPE_METRIC,
    LAB_TRACE_TYPE_LAUNCH,
    LAB_TRACE_TYPES
};

struct lab_trace_head {
    uint16_t size; /* bytes of the record, this head included; a multiple of 8 */
    uint16_t type; /* enum lab_trace_type */
    uint32_t process;
};

struct lab_trace_begin {
    struct lab_trace_head head;
    char magic[8];
    uint32_t version, reserved;
    int64_t started_ns; /* when the process was started, within 10 ms */
    int64_t begun_ns;   /* when recording began: the driver is initialised */
};

/* A GPU of the process. The members that tell one such record from others follow the head, as in the next two. */
struct lab_trace_gpu {
    struct lab_trace_head head;
    uint32_t device, multiprocessors, copy_engines, name;
    uint64_t memory_bytes;
};

enum lab_trace_order {
    LAB_TRACE_ORDER_UNKNOWN,
    LAB_TRACE_ORDER_DEFAULT, /* the default stream, which waits for the blocking streams of its context, and they for it */
    LAB_TRACE_ORDER_BLOCKING, /* of cudaStreamCreate */
    LAB_TRACE_ORDER_NON_BLOCKING,
    LAB_TRACE_ORDERS
};
struct lab_trace_stream {
    struct lab_trace_head head;
    uint32_t context, stream;
    uint32_t order; /* enum lab_trace_order */
    uint32_t reserved;
};

/* How a program has named a thread or stream by NVTX. */
enum lab_trace_titled { LAB_TRACE_TITLE_THREAD, LAB_TRACE_TITLE_STREAM, LAB_TRACE_TITLES };
struct lab_trace_title {
    struct lab_trace_head head;
    uint32_t what; /* enum lab_trace_titled */
    uint32_t context, id, name;
};

/* The device's metric of a hardware counter; name 0: it has none. Those that a LAUNCH has precede it. */
struct lab_trace_metric {
    struct lab_trace_head head;
    uint32_t counter, name;
};

/* A launch of a kernel, or of a CUDA graph as a whole, in the order of the launches, and what was counted meanwhile, in
 * the units of the counters. */
struct lab_trace_launch {
    struct lab_trace_head head;
    uint32_t name, reserved;
    double counts[LAB_TRACE_COUNTERS_MAX]; /* by the number of the counter; NAN: not counted */
};

/* The members with which every record begins that has a duration. */
#define LAB_TRACE_TIMES                                                                                                \
    struct lab_trace_head head;                                                                                        \
    int64_t start_ns, end_ns;
struct lab_trace_times {
    LAB_TRACE_TIMES
};

/* The members that follow in records of what a GPU did. `graph` is 0 outside CUDA graphs. */
#define LAB_TRACE_PLACE                                                                                                \
    LAB_TRACE_TIMES                                                                                                    \
    uint32_t device, context, stream, correlation, graph;
struct lab_trace_place {
    LAB_TRACE_PLACE
};

struct lab_trace_kernel {
    LAB_TRACE_PLACE
    uint32_t name, grid[3], block[3];
    uint32_t registers, local_bytes;                    /* of a thread */
    uint32_t static_shared_bytes, dynamic_shared_bytes; /* of a block */
};

enum lab_trace_direction {
    LAB_TRACE_COPY_OTHER,
    LAB_TRACE_COPY_H2D,
    LAB_TRACE_COPY_D2H,
    LAB_TRACE_COPY_D2D,
    LAB_TRACE_COPY_P2P,
    LAB_TRACE_COPY_H2H,
    LAB_TRACE_DIRECTIONS
};

enum lab_trace_memory {
    LAB_TRACE_MEMORY_UNKNOWN,
    LAB_TRACE_MEMORY_PAGEABLE,
    LAB_TRACE_MEMORY_PINNED,
    LAB_TRACE_MEMORY_DEVICE,
    LAB_TRACE_MEMORY_ARRAY,
    LAB_TRACE_MEMORY_MANAGED,
    LAB_TRACE_MEMORIES
};

struct lab_trace_copy {
    LAB_TRACE_PLACE
    uint16_t direction;              /* enum lab_trace_direction */
    uint8_t from, to;                /* enum lab_trace_memory */
    uint32_t from_device, to_device; /* of P2P */
    uint32_t asynchronous;           /* 1: by a function that may return before the copy has ended */
    uint32_t reserved;
    uint64_t bytes;
};

struct lab_trace_set {
    LAB_TRACE_PLACE
    uint32_t memory; /* enum lab_trace_memory */
    uint32_t value, reserved;
    uint64_t bytes;
};

/* A call of the CUDA runtime or driver; `result` is its cudaError_t or CUresult. */
struct lab_trace_call {
    LAB_TRACE_TIMES
    uint32_t thread, correlation, name, result;
};

enum lab_trace_waiting {
    LAB_TRACE_WAIT_UNKNOWN,
    LAB_TRACE_WAIT_EVENT,
    LAB_TRACE_WAIT_STREAM_EVENT, /* a stream waits, not the host */
    LAB_TRACE_WAIT_STREAM,
    LAB_TRACE_WAIT_CONTEXT,
    LAB_TRACE_WAITINGS
};

/* A synchronisation. */
struct lab_trace_wait {
    LAB_TRACE_TIMES
    uint32_t what; /* enum lab_trace_waiting */
    uint32_t context, stream, correlation;
};

/* What the driver or tracing itself spent. */
struct lab_trace_overhead {
    LAB_TRACE_TIMES
    uint32_t name, thread; /* thread 0: unknown */
};

enum lab_trace_edge { LAB_TRACE_EDGE_INSTANT, LAB_TRACE_EDGE_START, LAB_TRACE_EDGE_END, LAB_TRACE_EDGES };

/* An edge of an NVTX range; start_ns and end_ns are equal. */
struct lab_trace_mark {
    LAB_TRACE_TIMES
    uint32_t thread, name, id;
    uint32_t edge; /* enum lab_trace_edge */
};

/* What had ended by then has been written; only what CUPTI had not completed may be missing. */
struct lab_trace_flushed {
    struct lab_trace_head head;
    int64_t at_ns;
};

enum lab_trace_loss {
    LAB_TRACE_LOSS_LIMIT,   /* records beyond GPULAB_TRACE_LIMIT */
    LAB_TRACE_LOSS_READER,  /* records that could not be written: the reader did not read, or had gone */
    LAB_TRACE_LOSS_CUPTI,   /* records that CUPTI dropped */
    LAB_TRACE_LOSS_UNTIMED, /* records without times */
    LAB_TRACE_LOSS_CONTEXT, /* launches in another context than the first launch, which are not counted */
    LAB_TRACE_LOSS_CAPTURE, /* launches while a CUDA graph was captured, which are not counted */
    LAB_TRACE_LOSSES
};

/* How many records were not written for that reason, so far. */
struct lab_trace_lost {
    struct lab_trace_head head;
    uint32_t reason, reserved; /* enum lab_trace_loss */
    uint64_t records;
};

struct lab_trace_end {
    struct lab_trace_head head;
    int64_t at_ns;
};

#endif
