/* The jobs that work on the arrays of a workload: the operations of each variant in their order of issue, the callbacks
 * with which lab_measure times and verifies a job, the times of its phases and the bound that follows from them.
 */
#ifndef LAB_OVERLAP_JOB_H
#define LAB_OVERLAP_JOB_H

#include "benchmark/resources.h"
#include "benchmark/timeline.h"
#include "measure/measure.h"
#include "measure/schedule.h"
#include "overlap.h"

/* The arrays, streams and events that all points of a workload share. */
struct overlap_workload {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_resources resources; /* the streams and events */
    struct lab_offload arrays;
    uint32_t weight, block;
    struct lab_stream *streams[OVERLAP_STREAMS_MAX];
    struct lab_stream *default_stream; /* NULL if the runtime has no default stream */
    /* fork: the other streams wait for it at the start; joins: the first stream waits for these at the end */
    struct lab_event *fork, *joins[OVERLAP_STREAMS_MAX];
    struct lab_event *marker; /* recorded between kernels, and after a job whose end is polled for */
};

/* Allocates and fills the arrays and creates streams and events; the weight is 1. Returns false with run->error set on
 * failure; call overlap_workload_close in either case. */
bool overlap_workload_open(struct overlap_workload *workload, struct lab_run *run, const struct lab_point *point);
/* Releases everything, after all jobs of the workload have been released; allowed for `{0}`. */
void overlap_workload_close(struct overlap_workload *workload);

/* One operation of a job. */
struct overlap_operation {
    enum lab_engine engine;
    size_t chunk, input; /* input: index of the input array that a copy in transfers */
    size_t stream;       /* index into the workload's streams */
    bool event_after;    /* an event is recorded after it */
};

/* One pass of the workload as one variant issues it. */
struct overlap_job {
    const struct overlap_workload *workload;
    enum overlap_variant variant;
    size_t chunks, streams;
    size_t offset;      /* of the input within the host arrays: 0 or OVERLAP_BASELINE_OFFSET */
    size_t chunk_bytes; /* size of each chunk except the last, which may be shorter */
    size_t operation_count;
    struct overlap_operation *operations; /* in the order of issue */
    struct lab_resources resources;       /* the kernels */
    struct lab_plan **kernels;            /* one per chunk */
    struct lab_graph *graph;              /* NULL if operations are issued one by one */
    double max_error;                     /* set by overlap_job_verify: the largest error of the result */
};

/* Prepares operations, kernels and the graph of a point. Returns false with run->error set on failure; call
 * overlap_job_release in either case. */
bool overlap_job_prepare(struct overlap_job *job, const struct overlap_workload *workload,
                         const struct lab_point *point, size_t offset);
/* Prepares the sequential job of the workload, its baseline. */
bool overlap_job_prepare_sequential(struct overlap_job *job, const struct overlap_workload *workload, size_t offset);
/* Waits for the job's streams, in which a failed call may have left work, and releases the job; allowed for `{0}`. */
void overlap_job_release(struct overlap_job *job);

/* Lists the operations of the job's variant, chunks and streams. The caller frees them. Returns false when out of
 * memory. */
bool overlap_list_operations(struct overlap_job *job);

/* Callbacks of struct lab_work; the context is the job. overlap_job_enqueue queues the whole job once;
 * overlap_job_verify compares the host output with the result of a job whose offset is 0. */
bool overlap_job_enqueue(void *context);
bool overlap_job_poison(void *context);
bool overlap_job_verify(void *context, uint64_t *wrong);

/* The stream in which the job begins and ends: its first stream, or the default stream. */
struct lab_stream *overlap_job_origin(const struct overlap_job *job);

/* How samples of the job are timed. */
enum lab_timing overlap_job_timing(const struct overlap_job *job);

/* Bytes of chunk `index`. */
size_t overlap_job_chunk(const struct overlap_job *job, size_t index);

/* Queues the copy in, the kernel or the copy out of a chunk on a stream; event_after is ignored. */
bool overlap_enqueue(const struct overlap_job *job, const struct overlap_operation *operation,
                     struct lab_stream *stream);

/* --- phases ------------------------------------------------------------------------------------------------------- */

/* Seconds of copy in, kernel and copy out of one full-size chunk, by engine; NAN if it could not be measured. Each is
 * the fastest sample: the bound computed from them must not be longer than the fastest possible job, as it could be
 * with medians on a noisy machine. */
struct overlap_phases {
    double alone[3];
    double contended[3]; /* of a copy: while copies run in the other direction */
};

/* Measures and reports the phases of the chunks of a prepared point, with OVERLAP_PHASE_POINTS calls of lab_measure.
 * Returns false with run->error set on failure. */
bool overlap_measure_phases(const struct overlap_job *job, const struct lab_point *point, struct lab_measurer *measurer,
                            struct overlap_phases *phases);

/* The operations of the job as the simulator takes them (measure/schedule.h), in the order of job->operations, with the
 * times of the phases, all of which must be known. The caller frees them; NULL when out of memory. */
struct lab_scheduled_operation *overlap_scheduled(const struct overlap_job *job, const struct overlap_phases *phases);

/* The shortest time in seconds in which the job can run on 0, 1 or 2 copy engines; a negative value when out of memory.
 * All phases must be known. */
double overlap_bound(const struct overlap_job *job, const struct overlap_phases *phases, size_t copy_engines);

/* Reports as spans how the devices of the course texts, with one and with two copy engines, would execute the job if
 * its phases took as long as on this device: with the axes of the point and the number of copy engines. All phases must
 * be known. Returns false with run->error set when out of memory. */
bool overlap_report_simulated(const struct overlap_job *job, const struct overlap_phases *phases,
                              const struct lab_point *point);

/* Writes the texts of an operation on a chunk; bytes 0: a kernel. Streams and chunks are counted from 0. */
void overlap_describe_chunk(struct lab_span_text *text, size_t stream, size_t chunk, size_t bytes);

/* Sets the workload's weight so that the kernel takes as long as the copy in of the whole array. Returns false with
 * run->error set on failure. */
bool overlap_balance_weight(struct overlap_workload *workload, struct lab_measurer *measurer);

#endif
