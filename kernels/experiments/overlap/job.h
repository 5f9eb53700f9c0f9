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

/* The arrays and streams of a workload, which all its points use, and the prepared point. */
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
    struct lab_stream *default_stream; /* NULL if the runtime has no default stream */
    /* fork: the other streams wait for it at the start; joins: the first stream waits for these at the end */
    struct lab_event *fork, *joins[OVERLAP_STREAMS_MAX];
    struct lab_event *marker; /* recorded between kernels, and after a job whose end is polled for */

    /* Set by overlap_job_prepare. */
    struct overlap_point point;
    size_t chunk_bytes;        /* size of each chunk except the last, which may be shorter */
    struct lab_plan **kernels; /* one per chunk */
    struct lab_graph *graph;   /* NULL if operations are issued one by one */
};

/* Allocates and fills the arrays and creates streams and events. Returns false with run->error set on failure; call
 * overlap_job_close in either case. */
bool overlap_job_open(struct overlap_job *job, struct lab_run *run, const struct overlap_workload *workload);
void overlap_job_close(struct overlap_job *job);

/* Prepares a point: chunk size, kernels and graph. Returns false with run->error set on failure. */
bool overlap_job_prepare(struct overlap_job *job, const struct overlap_point *point);

/* Callbacks of struct lab_work; the context is the job. overlap_job_enqueue queues the whole job once;
 * overlap_job_poison overwrites the device inputs and the host output. */
bool overlap_job_enqueue(void *context);
bool overlap_job_poison(void *context);

/* The stream in which the prepared point begins and ends: its first stream, or the default stream. */
struct lab_stream *overlap_job_origin(const struct overlap_job *job);

/* Compares the output on the host with the expected output. Returns false with the device's error set on failure. */
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
    size_t chunk, input; /* input: index of the input array that a copy in transfers */
    size_t stream;       /* index into job->streams */
    bool event_after;    /* an event is recorded after it */
};

/* The number of operations of the prepared point, and a call of `visit` for each in the order of issue. Stops and
 * returns false as soon as `visit` returns false. */
size_t overlap_operation_count(const struct overlap_job *job);
bool overlap_each_operation(struct overlap_job *job,
                            bool (*visit)(struct overlap_job *job, const struct overlap_operation *operation,
                                          void *context),
                            void *context);

#endif
