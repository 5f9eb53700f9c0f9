/* The check of an own kernel by a function in C, which is built and executed in the sandbox of programs
 * (experiments/program). */
#ifndef LAB_KERNEL_HOST_CHECK_H
#define LAB_KERNEL_HOST_CHECK_H

#include "definition.h"
#include "experiments/program/execute.h"

struct kernel_check {
    struct lab_run run; /* as that of a program without devices */
    struct program_output output;
    struct program program;
    const struct kernel_definition *definition;
    char *bytes;                                   /* of the outputs of the last point */
    const unsigned char *outputs[LAB_BUFFERS_MAX]; /* in `bytes`, by the buffers with elements; NULL: not an output */
};

/* The functions return false with the error of the run set. */

/* Builds the function of a definition that has one; other definitions have nothing to build. Call kernel_check_close in
 * either case. */
bool kernel_check_open(struct kernel_check *check, struct lab_run *run, const struct kernel_definition *definition);
void kernel_check_close(struct kernel_check *check);

/* Computes what the outputs must be at a point, in the form that the kernel's buffers have. */
bool kernel_check_compute(struct kernel_check *check, struct lab_run *run, const struct lab_point *point,
                          uint64_t seed);

#endif
