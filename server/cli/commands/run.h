/* Declarations shared by the files of `gpulab run`: the command's options, its context, and what it does with experiments.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "client_command.h"
#include "run_request.h"

struct lab_run_options {
    struct lab_request_options request;
    struct lab_texts compare_with, compare_devices; /* what differs in the base; both empty: no comparison */
    const char *edit;                               /* STEP=FILE; NULL: no source is edited */
    bool no_save, dry_run;
};

struct lab_run_context {
    const struct lab_run_options *options;
    struct lab_context *lab;
    json_t *experiments; /* {"subjects":[…], "experiments":[summary]} */
    json_t *devices;     /* {"devices":[…]} */
    json_t *kernel;      /* the own kernel of the request; NULL: none */
};

/* The body of POST /runs for an experiment, with the command's options, a new reference. Returns NULL with errors on
 * failure. */
json_t *lab_run_request(const struct lab_run_context *context, const json_t *experiment, struct lab_errors *errors);

/* Runs an experiment with the command's options: submits the run, follows it to its end and, with --no-save, deletes
 * it. Returns LAB_EXIT_OK with the finished run in *run, a new reference, whether the run succeeded or not. On failure
 * prints the errors and returns another exit code with *run NULL. */
enum lab_exit_code lab_run_experiment(const struct lab_run_context *context, const json_t *experiment, json_t **run);

/* The same, and prints the run. Returns the exit code of the run. */
enum lab_exit_code lab_run_one(const struct lab_run_context *context, const json_t *experiment);

/* `gpulab run all`, `gpulab run SUBJECT`: runs the experiments, a list; prints one table and one summary. */
enum lab_exit_code lab_run_all(const struct lab_run_context *context, const json_t *experiments);

/* `gpulab run … --dry-run`: prints what the runs of the experiments, a list, would take. */
enum lab_exit_code lab_run_plan(const struct lab_run_context *context, const json_t *experiments);

#endif
