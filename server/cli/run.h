/* Declarations shared by the files of `gpulab run`: the command's options, its context, and the function that runs one
 * experiment.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "session.h"

struct lab_run_options {
    struct lab_config config;
    struct lab_texts set, devices, tags;
    const char *note;
    double time_limit_s; /* 0: no limit */
    bool quick, no_save, json;
};

struct lab_run_context {
    const struct lab_run_options *options;
    struct lab_session session;
    int signals;         /* descriptor from lab_signals_open */
    json_t *experiments; /* {"experiments":[…]} */
    json_t *devices;     /* {"devices":[…]} */
};

/* Runs an experiment with the command's options: submits the run, follows it to its end and, with --no-save, deletes
 * it. Returns LAB_EXIT_OK with the finished run in *run, a new reference, whether the run succeeded or not. On failure
 * prints the errors and returns another exit code with *run NULL. */
enum lab_exit_code lab_run_experiment(const struct lab_run_context *context, const char *name, json_t **run);

/* `gpulab run all`: runs every experiment; prints one table and one summary. */
enum lab_exit_code lab_run_all(const struct lab_run_context *context);

#endif
