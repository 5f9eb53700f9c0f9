/* How a run is worked by the worker, in one pass or two: the first measures; where the experiment has a timeline, a
 * second one traces (METHOD.md 17). Only the first decides how the run ends.
 */
#ifndef LAB_RUN_ATTEMPT_H
#define LAB_RUN_ATTEMPT_H

#include "runner.h"

#include <jansson.h>

/* A run, as its worker is told of it. */
struct lab_job {
    const char *id;
    char *experiment;
    json_t *devices, *parameters;
    double time_limit_s; /* of both passes together; 0: none */
};

/* How it ended. */
struct lab_outcome {
    enum lab_status status;
    bool contended;
    json_t *error; /* a problem, or NULL; belongs to whoever asked */
};

/* Has the warm worker measure it, or a fresh one where the warm one has settled in an earlier run what this one wants
 * otherwise (problem "settled-otherwise"), and a fresh one trace it when it succeeded. A traced pass that does not come to its
 * end leaves a warning in the run, "no timeline: …", and nothing else. On the runner's thread. */
void lab_job_perform(struct lab_jobs *jobs, const struct lab_job *job, struct lab_outcome *outcome);

#endif
