/* The timeline of a program: what an execution needs for its tracing, and what becomes of the records. */
#ifndef LAB_PROGRAM_TRACING_H
#define LAB_PROGRAM_TRACING_H

#include "counting.h"

#include "measure/run.h"
#include "trace/tracer.h"

/* Finds the tracer for the devices of a run. Returns false where nothing is recorded: without a CUDA device, or, with a
 * note, without the tracer. */
bool program_tracer_find(struct lab_tracer *tracer, const struct lab_run *run);

/* Reports the records of an execution as spans and findings of the run. `signal`: that ended the program, 0: it exited;
 * `ended_ns`: when, in ns since 1970. */
void program_trace_report(const struct lab_run *run, const char *records, size_t size, int signal, int64_t ended_ns);

/* Adds the records of an execution as a pass; as program_counting_add. What the first one lacks becomes notes. */
bool program_trace_count(struct program_counting *counting, const struct lab_run *run, const char *records, size_t size,
                         struct lab_error *error);

#endif
