/* The buffers and copies of one point, and the callbacks with which lab_measure times and verifies them.
 */
#ifndef LAB_TRANSFER_JOB_H
#define LAB_TRANSFER_JOB_H

#include "measure/measure.h"
#include "transfer.h"

/* The copy in one direction. */
struct transfer_copy {
    enum lab_direction direction;
    enum transfer_pattern pattern;
    size_t piece_bytes; /* size of each small copy of TRANSFER_PIECES */
    struct lab_stream *stream;
    enum lab_memory source_kind, destination_kind; /* kinds of memory of `source` and `destination` */
    struct lab_region source, destination;
    uint64_t seed;         /* of the test pattern in the source */
    struct lab_plan *plan; /* the copy kernel; NULL if a copy engine copies */
};

/* A source and a destination on host and device; buffers that are not needed stay NULL. */
struct transfer_buffers {
    enum lab_memory host_kind;
    size_t bytes;                 /* size of each buffer; 0 if none is allocated */
    char refusal[LAB_DETAIL_MAX]; /* why this kind of host memory is not available; "" if it is */
    void *host_source, *host_destination, *device_source, *device_destination;
};

struct transfer_job {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_stream *streams[2]; /* the streams of copies[0] and copies[1] */
    struct lab_lane lanes[2];      /* the device with each of the two streams */
    struct transfer_buffers buffers;
    struct transfer_point point;
    size_t copy_count; /* 2 if copies also run in the other direction, else 1; 0 before transfer_job_begin */
    struct transfer_copy copies[2];
};

/* Creates the streams. Returns false with run->error set on failure; call transfer_job_close in either case. */
bool transfer_job_open(struct transfer_job *job, struct lab_run *run);
void transfer_job_close(struct transfer_job *job);

/* Allocates buffers for job->point, unless the allocated ones suffice. If the device does not support the kind of host
 * memory, returns true and writes the reason to job->buffers.refusal. Returns false with run->error set on failure. */
bool transfer_job_use_buffers(struct transfer_job *job);

/* Sets up the copies of job->point and fills their sources. Returns false with run->error set on failure; call
 * transfer_job_end in either case. */
bool transfer_job_begin(struct transfer_job *job);
void transfer_job_end(struct transfer_job *job);

/* The work of job->point for lab_measure; refers to the job. */
struct lab_work transfer_job_work(struct transfer_job *job);

#endif
