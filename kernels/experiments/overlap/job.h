/* The job of a workload: its arrays on host and device, the operations of each chunk, and the orders in which the
 * variants issue them. Also the callbacks with which lab_measure times and verifies it.
 */
#ifndef LAB_OVERLAP_JOB_H
#define LAB_OVERLAP_JOB_H

#include "measure/run.h"
#include "measure/schedule.h"
#include "measure/verify.h"
#include "overlap.h"

enum { OVERLAP_INPUTS_MAX = 2 };

/* Created once per workload and used by all its points. */
struct overlap_job {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct overlap_workload workload;
    uint32_t weight, block;
    uint64_t seed;

    void *host_inputs[OVERLAP_INPUTS_MAX], *host_output;
    void *device_inputs[OVERLAP_INPUTS_MAX],
        *device_output; /* the output is inputs[0] for kernels that work in place */
    struct lab_stream *streams[OVERLAP_STREAMS_MAX];
    struct lab_stream *default_stream;                   /* NULL if the runtime has none */
    struct lab_event *fork, *joins[OVERLAP_STREAMS_MAX]; /* start and end of the other streams */
    struct lab_event *marker; /* recorded between kernels, and after a job whose end is polled for */

    /* the prepared point */
    struct overlap_point point;
    size_t chunk_bytes;        /* of all chunks but the last, which may be shorter */
    struct lab_plan **kernels; /* one per chunk */
    struct lab_graph *graph;   /* NULL if operations are issued one by one */
};

/* Allocates and fills the arrays and creates streams and events. Returns false with run->error set on failure; call
 * overlap_job_close in either case. */
bool overlap_job_open(struct overlap_job *job, struct lab_run *run, const struct overlap_workload *workload);
void overlap_job_close(struct overlap_job *job);

/* Prepares a point: chunk size, kernels and graph. Returns false with run->error set on failure. */
bool overlap_job_prepare(struct overlap_job *job, const struct overlap_point *point);

/* Callbacks of struct lab_work; the context is the job. The first queues the whole job once. */
bool overlap_job_enqueue(void *context);
bool overlap_job_poison(void *context);

/* The stream in which the job begins and ends. */
struct lab_stream *overlap_job_origin(const struct overlap_job *job);

/* Compares the output on the host with the expected one. */
bool overlap_job_check(struct overlap_job *job, struct lab_comparison *comparison);

/* Bytes of chunk `index` of the prepared point. */
size_t overlap_chunk_bytes(const struct overlap_job *job, size_t index);

/* Queues one operation of a chunk on a stream: the host-to-device copy of one input, the kernel, or the device-to-host
 * copy. */
bool overlap_enqueue_up(struct overlap_job *job, size_t chunk, size_t input, struct lab_stream *stream);
bool overlap_enqueue_kernel(struct overlap_job *job, size_t chunk, struct lab_stream *stream);
bool overlap_enqueue_down(struct overlap_job *job, size_t chunk, struct lab_stream *stream);

/* One operation of the prepared point. */
struct overlap_operation {
    enum lab_engine engine;
    size_t chunk, input; /* input: of a copy in */
    size_t stream;       /* index */
    bool event_after;    /* an event is recorded after it */
};

/* Visits the operations in the order of issue. Stops and returns false as soon as `visit` returns false. */
size_t overlap_operation_count(const struct overlap_job *job);
bool overlap_each_operation(struct overlap_job *job,
                            bool (*visit)(struct overlap_job *job, const struct overlap_operation *operation,
                                          void *context),
                            void *context);

#endif
