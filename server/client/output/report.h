/* Prints a run as tables with a verdict, and counts its measurements. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include "document.h"

#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>

/* Numbers of a run's results: measured, of these verified as correct and wrong; and those that were skipped. */
struct lab_report_counts {
    size_t measurements, verified, wrong, skipped;
};

struct lab_report_counts lab_report_count(const json_t *run);

/* Whether a run came to its end, and every point was skipped. */
bool lab_report_lacks_result(const json_t *run);

/* The exit code for a run: LAB_EXIT_OK also while it is queued or running, LAB_EXIT_FAILED also for a wrong result and
 * for a run without a single result, LAB_EXIT_NO_DEVICE, LAB_EXIT_CANCELLED. */
enum lab_exit_code lab_report_exit_code(const json_t *run);

/* The exit code for several runs, of which those so far had `code` and the next has `next`: LAB_EXIT_FAILED if one has
 * it, else the first that is not LAB_EXIT_OK. */
enum lab_exit_code lab_report_join_exit_codes(enum lab_exit_code code, enum lab_exit_code next);

/* Seconds from the run's start to its end; 0 when it did not start. */
double lab_report_seconds(const json_t *run);

/* Prints a line that says why a run was measured on the CPU although CUDA devices are preferred, if it was. */
void lab_report_fallback(FILE *out, const json_t *run);

/* Prints the tables of a run, its notes, its warnings and its verdict. `experiment` is the JSON object of the
 * experiment in the API; it may be NULL. The tables of a run that compares are those of `comparison`, its document of
 * GET /compare; NULL: it has none. */
void lab_report_run(FILE *out, const json_t *run, const json_t *experiment, const json_t *comparison);

/* The report of a run as a document, whose cases are the run and its measurements; NULL when out of memory. The caller
 * frees the document. */
struct lab_document *lab_report_document(const json_t *run, const json_t *experiment, const json_t *comparison);

/* Prints the environment that was recorded with a run: a line for each value that is not null, with its path. */
void lab_report_environment(FILE *out, const json_t *run);

#endif
