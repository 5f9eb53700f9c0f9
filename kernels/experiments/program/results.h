/* The results that a program reports: for each metric and point, the samples of all executions. */
#ifndef LAB_PROGRAM_RESULTS_H
#define LAB_PROGRAM_RESULTS_H

#include "measure/run.h"

/* Samples of a result, which are one line of the worker's protocol (LAB_LINE_MAX). */
enum { PROGRAM_SAMPLES_MAX = 100000 };

/* A list of numbers that grows: those of execution k are from ends[k - 1], or 0, up to ends[k], exclusive. */
struct program_samples {
    size_t count, executions;
    double *items;
    size_t *ends;
};

/* Adds a sample of an execution, from 0; none of an earlier one may follow. Returns false when out of memory. */
bool program_samples_add(struct program_samples *samples, size_t execution, double sample);
void program_samples_release(struct program_samples *samples);

struct program_result {
    char *metric, *unit;
    json_t *axes; /* {name: text, integer or boolean} */
    struct program_samples samples;
};

struct program_results {
    size_t count;
    struct program_result *items;
};

/* Adds the samples of an execution that are in a text of a format (formats/formats.h): the name of one. What the text
 * says besides becomes notes of the run. Returns false with *error set if it is not of the format. */
bool program_results_read(struct program_results *results, const struct lab_run *run, size_t execution,
                          const char *format, const char *text, size_t size, struct lab_error *error);
/* Sends all results of a run as measurements, with the name of the program as the axis "program" where it has one. In a
 * comparison `base` has those of run->base, each execution is a block, and a result of the base comes before that of
 * the head with the same metric and axes; what only one side has comes last. NULL: no comparison. */
void program_results_send(const struct program_results *results, const struct program_results *base,
                          const struct lab_run *run);
/* Sends a result of the lab itself, such as the elapsed time. */
void program_samples_send(const struct program_samples *samples, const struct lab_run *run, const char *metric,
                          const char *unit);
/* Sends one that could not be measured, and why. */
void program_skipped_send(const struct lab_run *run, const char *metric, const char *unit, const char *reason);
/* Sends how often a kernel was launched, with the hardware counters of all its launches. */
void program_counted_send(const struct lab_run *run, const char *kernel, size_t launches,
                          const struct lab_hardware_counts *counts);
void program_results_release(struct program_results *results);

#endif
