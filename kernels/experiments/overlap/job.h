/* The arrays of a workload on host and device, the pipelines that work on them, and the orders in which the variants
 * issue their operations. Also the callbacks with which lab_measure times and verifies a pipeline.
 */
#ifndef LAB_OVERLAP_JOB_H
#define LAB_OVERLAP_JOB_H

#include "measure/measure.h"
#include "measure/schedule.h"
#include "measure/verify.h"
#include "overlap.h"

enum { OVERLAP_INPUTS_MAX = 2 };

/* The host inputs are one window longer than the job. The baseline reads them from this offset, so what it leaves in the
 * shared arrays is wrong for the job: each sample of the job must overwrite all of it to pass verification. */
enum { OVERLAP_BASELINE_OFFSET = 4 * LAB_AVERAGE_WINDOW };

/* The arrays, streams and events that all points of a workload share. */
struct overlap_workload {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    size_t bytes; /* of each array, except that the host inputs have OVERLAP_BASELINE_OFFSET more */
    enum lab_memory memory;
    enum overlap_kernel kernel;
    uint32_t weight, block;
    uint64_t seed;

    void *host_inputs[OVERLAP_INPUTS_MAX], *host_output;
    void *device_inputs[OVERLAP_INPUTS_MAX],
        *device_output; /* the output is inputs[0] for kernels that work in place */
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

/* One pass of the workload as one variant issues it. */
struct overlap_job {
    const struct overlap_workload *workload;
    enum overlap_variant variant;
    size_t chunks, streams;
    size_t offset;             /* of the input within the host arrays: 0 or OVERLAP_BASELINE_OFFSET */
    size_t chunk_bytes;        /* size of each chunk except the last, which may be shorter */
    struct lab_plan **kernels; /* one per chunk */
    struct lab_graph *graph;   /* NULL if operations are issued one by one */
    double max_error;          /* set by overlap_job_verify: the largest error of the result */
};

/* Prepares the kernels and the graph of a point. Returns false with run->error set on failure; call overlap_job_release
 * in either case. */
bool overlap_job_prepare(struct overlap_job *job, const struct overlap_workload *workload,
                         const struct lab_point *point, size_t offset);
/* Prepares the sequential job of the workload, its baseline. */
bool overlap_job_prepare_sequential(struct overlap_job *job, const struct overlap_workload *workload, size_t offset);
/* Waits for the job's streams, in which a failed call may have left work, and releases the job; allowed for `{0}`. */
void overlap_job_release(struct overlap_job *job);

/* Callbacks of struct lab_work; the context is the job. overlap_job_enqueue queues the whole job once;
 * overlap_job_poison overwrites the device arrays and the host output; overlap_job_verify compares the host output with
 * the result of a job whose offset is 0. */
bool overlap_job_enqueue(void *context);
bool overlap_job_poison(void *context);
bool overlap_job_verify(void *context, uint64_t *wrong);

/* The stream in which the job begins and ends: its first stream, or the default stream. */
struct lab_stream *overlap_job_origin(const struct overlap_job *job);

/* How samples of the job are timed. */
enum lab_timing overlap_job_timing(const struct overlap_job *job);

/* Bytes of chunk `index`. */
size_t overlap_job_chunk(const struct overlap_job *job, size_t index);

/* One operation of a job. */
struct overlap_operation {
    enum lab_engine engine;
    size_t chunk, input; /* input: index of the input array that a copy in transfers */
    size_t stream;       /* index into the workload's streams */
    bool event_after;    /* an event is recorded after it */
};

/* Queues the copy in, the kernel or the copy out of a chunk on a stream; event_after is ignored. */
bool overlap_enqueue(const struct overlap_job *job, const struct overlap_operation *operation,
                     struct lab_stream *stream);

/* The number of operations of a job, and a call of `visit` for each in the order of issue. Stops and returns false as
 * soon as `visit` returns false. */
size_t overlap_operation_count(const struct overlap_job *job);
bool overlap_each_operation(const struct overlap_job *job,
                            bool (*visit)(const struct overlap_job *job, const struct overlap_operation *operation,
                                          void *context),
                            void *context);

#endif
