/* A person's own kernel in a request for a run (the member "kernel"): an edited source of the experiment, or the kernel
 * that the experiment `kernel` measures. */
#ifndef LAB_OWN_KERNEL_H
#define LAB_OWN_KERNEL_H

#include "core/errors.h"
#include "descriptor/experiment.h"

#include <jansson.h>
#include <stdbool.h>

/* The step of the source that a kernel edits, within the text of the kernel; NULL if it edits none or is none. */
const char *lab_own_kernel_step(const json_t *kernel);

/* Whether the worker of the kernel runs under compute-sanitizer. */
bool lab_own_kernel_sanitizes(const json_t *kernel);

/* Whether a side of a run executes what a person wrote for the host: a whole program, or the check of a kernel.
 * `experiment` may be NULL, `kernel` NULL or null. */
bool lab_side_is_program(const struct lab_experiment *experiment, const json_t *kernel);

/* Checks a kernel, whose types the table of the request's fields has checked, for `experiment`. Returns false with
 * errors added, whose pointers begin with "/kernel". */
bool lab_own_kernel_check(const json_t *kernel, const struct lab_experiment *experiment, struct lab_errors *errors);

/* What is checked, stored and measured of a kernel of a request, a new reference: with the version of its expressions,
 * the newest if none is given, and the sizes of an edited source as numbers ("1K" is 1024). */
json_t *lab_own_kernel_resolve(const json_t *kernel);

/* Checks that a device can run the kernel with the launch that the request gives. Returns false with errors added. */
bool lab_own_kernel_check_device(const json_t *kernel, const struct lab_device_facts *device,
                                 struct lab_errors *errors);

/* Whether an entry is the instance of a template or in a namespace: the compiler has to know it. */
bool lab_own_kernel_is_expression(const char *entry);

/* The kernel of a compiled source that a request means by `entry`, of the compiler's list [{name}]: the one of this
 * name, or the only one whose name C++ has made of it ("_Z3addPfi" of "add"); NULL: the only one of the source. NULL if
 * there is none. Borrowed from the list. */
const char *lab_own_kernel_entry(const json_t *kernels, const char *entry);

/* The parameters of a request that has the kernel: those that are given, and unless they choose the steps, only the
 * step that the kernel edits. A new reference. */
json_t *lab_own_kernel_parameters(const json_t *kernel, const struct lab_experiment *experiment, const json_t *given);

#endif
