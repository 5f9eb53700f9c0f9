/* One product of matrices as it is timed and verified: its memory, its inputs, and the exact result that every step is
 * held against.
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
    size_t a_bytes, b_bytes, c_bytes, expected_bytes; /* that the memory below holds */
    void *a, *b, *c;
    int32_t *expected;
    struct matmul_problem problem;
    bool expected_valid; /* `expected` holds the product of the group's sizes */
    struct lab_plan *plan;
    size_t poison_calls; /* of the plan; the first is of the timed inputs, later ones are of those that are verified */
};

/* False with run->error set; to be closed all the same. */
bool matmul_job_open(struct matmul_job *job, struct lab_run *run);
void matmul_job_close(struct matmul_job *job);

/* Makes memory ready for a problem, and its exact product: in integer arithmetic on the device, held in its turn against
 * dot products in double on the CPU (matmul_checked_stride). False with run->error set. */
bool matmul_job_set(struct matmul_job *job, const struct matmul_problem *problem);

/* Which elements of the exact product the CPU checks: 0, stride, 2 * stride and so on, row by row. 1 for a small product. */
size_t matmul_checked_stride(const struct matmul_problem *problem);

/* Makes a step's plan; NULL in product->plan with device->error set where it cannot be, code "unsupported" where that
 * is a reason to skip it. Releases the plan of the step before. */
bool matmul_job_prepare(struct matmul_job *job, enum lab_gemm_step step);

/* For struct lab_work; the context is the product. The first call of `poison` after a plan was made fills in normal
 * random numbers, the later ones whole numbers; `verify` looks for elements that are no numbers, or compares all with
 * the exact product. */
bool matmul_job_enqueue(void *context);
bool matmul_job_poison(void *context);
bool matmul_job_verify(void *context, uint64_t *wrong);

#endif
