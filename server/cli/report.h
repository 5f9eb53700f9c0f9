/* What a command prints of runs, for people: the table of one run, and the one table and verdict of several.
 */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include "command.h"

#include <jansson.h>
#include <stdio.h>

/* How many measurements of a run were verified and so on. */
struct lab_tally {
    size_t measurements, verified, wrong, skipped;
};

struct lab_tally lab_report_tally(const json_t *run);

/* What a final run means to a script: OK, FAILED (also for a point that did not verify) or CANCELLED. */
enum lab_exit_code lab_report_end(const json_t *run);

/* Seconds between start and finish as the run says them; 0 when it did not start. */
double lab_report_seconds(const json_t *run);

/* The tables of a run and what became of it. `experiment` is its description, `devices` the document of all devices;
 * both may be NULL. */
void lab_report_run(FILE *out, const json_t *run, const json_t *experiment, const json_t *devices);

/* The verdict over one run as a sentence. */
void lab_report_verdict(FILE *out, const json_t *run);

#endif
