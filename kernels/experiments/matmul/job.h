/* One matrix product: its matrices, its exact result for verification, and the callbacks with which lab_measure times
 * and verifies a step.
 */
#ifndef LAB_MATMUL_JOB_H
#define LAB_MATMUL_JOB_H

#include "matmul.h"

struct matmul_job {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_stream *stream;
    uint64_t seed;
    size_t a_bytes, b_bytes, c_bytes, expected_bytes; /* sizes of the allocations a, b, c and `expected` */
    void *a, *b, *c;                                  /* device memory */
    int32_t *expected;                                /* device memory: the exact product */
    struct matmul_problem problem;
    bool expected_valid;   /* `expected` holds the product of the problem's sizes */
    struct lab_plan *plan; /* the kernel of the prepared step; NULL if no step is prepared */
    /* calls of matmul_job_poison since the step was prepared: the first call fills the inputs that are timed, later
     * calls those that are verified */
    size_t poison_calls;
};

/* Creates the stream. Returns false with run->error set on failure; call matmul_job_close in either case. */
bool matmul_job_open(struct matmul_job *job, struct lab_run *run);
void matmul_job_close(struct matmul_job *job);

/* Allocates the matrices of a problem and computes its exact product on the device in integer arithmetic. Samples of
 * that product are checked against dot products in double precision on the CPU (matmul_checked_stride). Returns false
 * with run->error set on failure. */
bool matmul_job_set(struct matmul_job *job, const struct matmul_problem *problem);

/* The stride between the elements of the exact product that the CPU checks: elements 0, stride, 2 * stride and so on,
 * counted row by row. It is 1 for small products. */
size_t matmul_checked_stride(const struct matmul_problem *problem);

/* Prepares job->plan for a step and releases the previous one. Returns false with device->error set on failure, code
 * "unsupported" if the device does not support the step. */
bool matmul_job_prepare(struct matmul_job *job, enum lab_gemm_step step);

/* Callbacks of struct lab_work; the context is the job. `poison` overwrites C and fills the inputs: with normally
 * distributed numbers on the first call after matmul_job_prepare, with small integers on later calls. `verify` checks
 * that every element of C is a finite number after the first call, and compares every element with the exact product
 * after later calls. */
bool matmul_job_enqueue(void *context);
bool matmul_job_poison(void *context);
bool matmul_job_verify(void *context, uint64_t *wrong);

#endif
