/* The tracer as the worker uses it: where gpulab-trace.so is, and what a program is told by its environment. */
#ifndef LAB_TRACE_TRACER_H
#define LAB_TRACE_TRACER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct lab_tracer {
    char library[PATH_MAX]; /* gpulab-trace.so */
    /* The library of CUPTI; "": it is not in the toolkit's usual folders, so the program asks its loader. */
    char cupti[PATH_MAX];
};

/* Finds both. Returns false if gpulab-trace.so is missing (lab_program_find_own): the build had no CUPTI. */
bool lab_tracer_find(struct lab_tracer *tracer);

/* Calls `set` for each variable of the environment of a program that is to be traced (trace.h). `descriptor` is the end
 * of a pipe that the program inherits and nobody else writes; it becomes non-blocking. `limit` is in bytes. */
void lab_tracer_variables(const struct lab_tracer *tracer, int descriptor, uint64_t limit,
                          void (*set)(void *context, const char *name, const char *value), void *context);

#endif
