/* Declarations shared by the files of `gpulab run`: the command's options, its context, and the function that runs one
 * experiment.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "lab/session.h"

struct lab_run_options {
    struct lab_config config;
    struct lab_texts set, devices, tags;
    const char *preset; /* "quick" with --quick; NULL for none */
    const char *note;
    double time_limit_s; /* 0: no limit */
    bool quick, no_save, json;
};

struct lab_run_context {
    const struct lab_run_options *options;
    struct lab_session session;
    int signals;         /* descriptor from lab_signals_open */
    json_t *experiments; /* {"subjects":[…], "experiments":[…]} */
    json_t *devices;     /* {"devices":[…]} */
};

/* Whether the experiment has the preset that the command's options name, if any. */
bool lab_run_has_preset(const struct lab_run_options *options, const json_t *experiment);

/* Writes the names of an experiment's presets, separated by commas. */
void lab_run_list_presets(char *text, size_t size, const json_t *experiment);

/* Runs an experiment with the command's options: submits the run, follows it to its end and, with --no-save, deletes
 * it. Returns LAB_EXIT_OK with the finished run in *run, a new reference, whether the run succeeded or not. On failure
 * prints the errors and returns another exit code with *run NULL. */
enum lab_exit_code lab_run_experiment(const struct lab_run_context *context, const char *name, json_t **run);

/* `gpulab run all`, `gpulab run SUBJECT`: runs every experiment, or those of a subject; prints one table and one summary.
 * `subject` is NULL for all. */
enum lab_exit_code lab_run_all(const struct lab_run_context *context, const char *subject);

#endif
