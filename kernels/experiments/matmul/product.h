/* One matrix product: its matrices, its exact result for verification, and the work with which lab_measure times and
 * verifies a step.
 */
#ifndef LAB_MATMUL_PRODUCT_H
#define LAB_MATMUL_PRODUCT_H

#include "kernels.h"
#include "matmul.h"

#include "measure/measure.h"

/* The allocations of a product: A, B, C, the result of the reference when it is the baseline of a step, and the exact
 * product (int32_t). */
enum { MATMUL_A, MATMUL_B, MATMUL_C, MATMUL_BASELINE_C, MATMUL_EXACT, MATMUL_BUFFERS };

struct matmul_product {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_stream *stream;
    struct lab_lane lane;
    uint64_t seed;
    struct matmul_buffer {
        void *address; /* device memory */
        size_t bytes;  /* size of the allocation */
    } buffers[MATMUL_BUFFERS];
    struct matmul_kernels kernels;
    struct matmul_problem problem;
    bool exact_valid;                /* MATMUL_EXACT holds the product of the problem's sizes */
    struct lab_plan *plan;           /* the kernel of the prepared step; NULL if no step is prepared */
    struct lab_kernel_record record; /* what is known of the kernel; name NULL: nothing */
    struct lab_plan *baseline_plan;  /* the reference for this problem; NULL if it has not been prepared */
    struct lab_work baseline;        /* its work */
    /* calls of `poison` since the step was prepared: the first call fills the inputs that are timed, later calls those
     * that are compared with the exact product */
    size_t poison_calls;
};

/* Creates the stream, on one of the run's devices. Returns false with run->error set; call matmul_product_close in
 * either case. */
bool matmul_product_open(struct matmul_product *product, struct lab_run *run, struct lab_device *device);
void matmul_product_close(struct matmul_product *product);

/* Frees the matrices; the next call of matmul_product_set allocates them again. */
void matmul_product_free_matrices(struct matmul_product *product);
/* Frees the exact product, too. */
void matmul_product_free_memory(struct matmul_product *product);

/* Allocates the matrices of a problem and computes its exact product on the device in integer arithmetic. Samples of
 * that product are checked against dot products in double precision on the CPU (matmul_checked_stride). Does nothing if
 * it is the problem of the previous call. Returns false with run->error set. */
bool matmul_product_set(struct matmul_product *product, const struct matmul_problem *problem);

/* The stride between the elements that are checked against dot products in double precision: elements 0, stride, 2 *
 * stride and so on, counted row by row. It is 1 for small products. */
size_t matmul_checked_stride(const struct matmul_problem *problem);

/* Prepares a step and sets *work; the reference becomes the baseline of the steps that are prepared after it for the
 * same problem. Returns false with device->error set, code "unsupported" if the device does not support the step.
 *
 * The work's `poison` overwrites C and fills the inputs: with normally distributed numbers on the first call, with
 * small integers on later calls. `verify` checks after the first call that every element of C is finite and that
 * samples of them equal dot products in double (lab_gemm_error_max), after later calls that every element equals the
 * exact product. */
bool matmul_product_prepare(struct matmul_product *product, const struct matmul_step *step, struct lab_work *work);

/* Releases the prepared step, but not the baseline. */
void matmul_product_end(struct matmul_product *product);

#endif
