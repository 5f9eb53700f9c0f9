/* The pipeline: arrays on both sides, the operations of each chunk, and the orders in which they are issued.
 */
#ifndef LAB_OVERLAP_JOB_H
#define LAB_OVERLAP_JOB_H

#include "measure/run.h"
#include "measure/schedule.h"
#include "measure/verify.h"
#include "overlap.h"

enum { OVERLAP_INPUTS_MAX = 2 };

/* What one case needs; made once, used by all its points. */
struct overlap_job {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct overlap_workload workload;
    uint32_t weight, block;
    uint64_t seed;

    void *host_inputs[OVERLAP_INPUTS_MAX], *host_output;
    void *device_inputs[OVERLAP_INPUTS_MAX], *device_output; /* the output is the first input where it is in place */
    struct lab_stream *streams[OVERLAP_STREAMS_MAX];
    struct lab_stream *default_stream; /* NULL where the device has none */
    struct lab_event *fork, *joins[OVERLAP_STREAMS_MAX], *dummy;

    /* the point that is laid out */
    struct overlap_point point;
    size_t chunk_bytes;        /* of all chunks but the last */
    struct lab_plan **kernels; /* one a chunk */
    struct lab_graph *graph;   /* NULL: operations are issued one by one */
};

/* Allocates and fills the arrays. False with run->error set; to be closed all the same. */
bool overlap_job_open(struct overlap_job *job, struct lab_run *run, const struct overlap_workload *workload);
void overlap_job_close(struct overlap_job *job);

/* Makes a point ready: its chunks, its kernels, its graph. False with run->error set. */
bool overlap_job_prepare(struct overlap_job *job, const struct overlap_point *point);

/* Queues the whole job once. The context of both is the pipeline, so that they serve as callbacks of lab_measure. */
bool overlap_job_enqueue(void *context);
bool overlap_job_poison(void *context);

/* The stream whose end is the job's end. */
struct lab_stream *overlap_job_origin(const struct overlap_job *job);

/* Compares the output with what it must be. */
bool overlap_job_check(struct overlap_job *job, struct lab_comparison *comparison);

/* How many bytes chunk `index` of the point that is laid out has. */
size_t overlap_chunk_bytes(const struct overlap_job *job, size_t index);

/* Queues one operation of a chunk on a stream: a copy up of one input, the kernel, or the copy down. */
bool overlap_enqueue_up(struct overlap_job *job, size_t chunk, size_t input, struct lab_stream *stream);
bool overlap_enqueue_kernel(struct overlap_job *job, size_t chunk, struct lab_stream *stream);
bool overlap_enqueue_down(struct overlap_job *job, size_t chunk, struct lab_stream *stream);

/* Each operation of the point in the order in which it is issued. */
struct overlap_operation {
    enum lab_engine engine;
    size_t chunk, input; /* input: of a copy up */
    size_t stream;       /* index */
    bool event_behind;
};
size_t overlap_operation_count(const struct overlap_job *job);
bool overlap_each_operation(struct overlap_job *job,
                            bool (*visit)(struct overlap_job *job, const struct overlap_operation *operation,
                                          void *context),
                            void *context);

#endif
