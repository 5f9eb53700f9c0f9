/* Reads the record stream of a program (trace.h) as it comes, and keeps what the program did on the GPU. The stream is
 * not trusted: the program may write anything to it. Memory is bounded by the number of records that are kept; what is
 * not kept is counted.
 */
#ifndef LAB_TRACE_READ_H
#define LAB_TRACE_READ_H

#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    LAB_TRACE_RECORDS_MAX = 300000, /* that are kept */
    LAB_TRACE_PROCESSES_MAX = 64,
    LAB_TRACE_NOTES_MAX = 16,
    LAB_TRACE_NAME_BYTES_MAX = 4 << 20 /* of all names */
};

/* An NVTX range, or an instant of no length. */
struct lab_trace_range {
    LAB_TRACE_TIMES
    uint32_t thread, name;
};

/* A process that recorded. Times are ns since the origin of the trace. */
struct lab_trace_process {
    uint32_t id;
    int64_t started_ns, begun_ns;
    int64_t flushed_ns; /* what had ended by then has arrived; begun_ns at first */
    bool has_ended;     /* by exit(); everything has arrived then */
    int64_t ended_ns;
    uint64_t lost[LAB_TRACE_LOSSES]; /* records that were not written, by reason */
    uint32_t *names, name_count;     /* the numbers of its texts in the trace; 0 stands for none */
};

/* The lists of a trace: ROW(x, TYPE, tag, list, count). After lab_trace_finish, those with times are in the order of
 * their starts; metrics and launches are as they came. */
#define LAB_TRACE_LISTS(ROW, x)                                                                                        \
    ROW(x, GPU, lab_trace_gpu, gpus, gpu_count)                                                                        \
    ROW(x, STREAM, lab_trace_stream, streams, stream_count)                                                            \
    ROW(x, TITLE, lab_trace_title, titles, title_count)                                                                \
    ROW(x, METRIC, lab_trace_metric, metrics, metric_count)                                                            \
    ROW(x, LAUNCH, lab_trace_launch, launches, launch_count)                                                           \
    ROW(x, KERNEL, lab_trace_kernel, kernels, kernel_count)                                                            \
    ROW(x, COPY, lab_trace_copy, copies, copy_count)                                                                   \
    ROW(x, SET, lab_trace_set, sets, set_count)                                                                        \
    ROW(x, CALL, lab_trace_call, calls, call_count)                                                                    \
    ROW(x, WAIT, lab_trace_wait, waits, wait_count)                                                                    \
    ROW(x, OVERHEAD, lab_trace_overhead, overheads, overhead_count)                                                    \
    ROW(x, MARK, lab_trace_mark, marks, mark_count)

/* The records have times in ns since `origin_ns`, and in `name` an index of `names`. */
struct lab_trace {
#define LAB_TRACE_LIST(x, type, tag, list, count)                                                                      \
    struct tag *list;                                                                                                  \
    size_t count;
    LAB_TRACE_LISTS(LAB_TRACE_LIST, )
#undef LAB_TRACE_LIST
    struct lab_trace_range *ranges; /* of the marks */
    size_t range_count;
    char **names; /* valid UTF-8; names[0] is "" */
    size_t name_count, name_bytes;
    char *notes[LAB_TRACE_NOTES_MAX]; /* sentences of the tracer */
    size_t note_count;
    struct lab_trace_process processes[LAB_TRACE_PROCESSES_MAX];
    size_t process_count;
    int64_t origin_ns; /* when the first process that recorded was started; ns since 1970 */
    int64_t last_ns;   /* the end of what is known: of records, and when processes flushed or ended */

    uint64_t left_out;   /* records that were read and not kept, because there were too many */
    uint64_t impossible; /* records with times that cannot be */
    bool is_damaged;     /* at `bytes_read` came what no tracer writes; the rest was not read */
    bool out_of_memory;  /* the rest was not read */
    uint64_t bytes_read; /* that were records */

    /* --- for read.c --- */
    size_t records, records_max;
    struct lab_trace_call **calls_by_correlation;
    unsigned char pending[LAB_TRACE_GROUP_MAX]; /* the beginning of a record */
    size_t pending_count;
};

/* `records_max` is at most LAB_TRACE_RECORDS_MAX. */
void lab_trace_init(struct lab_trace *trace, size_t records_max);
/* Reads the next bytes of the stream. Returns false when the rest of the stream cannot be read; further bytes are
 * ignored then. */
bool lab_trace_read(struct lab_trace *trace, const void *bytes, size_t size);
/* Called once, after the last bytes: sorts the lists and makes ranges of the marks. Returns false when out of
 * memory. */
bool lab_trace_finish(struct lab_trace *trace);
void lab_trace_release(struct lab_trace *trace);

/* The call that started the work of this correlation, in a finished trace; NULL if the call is not known. */
const struct lab_trace_call *lab_trace_call_of(const struct lab_trace *trace, uint32_t process, uint32_t correlation);
/* How a stream is ordered with others. */
enum lab_trace_order lab_trace_order_of(const struct lab_trace *trace, uint32_t process, uint32_t context,
                                        uint32_t stream);
/* NULL if the program did not name it; a thread has context 0. */
const char *lab_trace_title_of(const struct lab_trace *trace, uint32_t process, enum lab_trace_titled what,
                               uint32_t context, uint32_t id);
/* NULL if it is not known. */
const struct lab_trace_gpu *lab_trace_gpu_of(const struct lab_trace *trace, uint32_t process, uint32_t device);

#endif
