/* Declarations shared by the files of `gpulab run`: the command's options, its context, and what it does with
 * experiments.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "client_command.h"
#include "run_request.h"

struct lab_run_options {
    struct lab_request_options request;
    /* What differs in the base; all empty: no comparison. The files are those of an own kernel or a program. */
    struct lab_texts compare_with, compare_files, compare_devices;
    const char *edit; /* STEP=FILE; NULL: no source is edited */
    bool no_save, dry_run;
};

/* Options of `gpulab run`, and of the commands that run code of their own. */
#define LAB_COMPARE_DEVICE_OPTION                                                                                      \
    {                                                                                                                  \
        .name = "--compare-device", .value = "ID",                                                                     \
        .help =                                                                                                        \
            "Compare with a run on this device, measured alternately with this one: its id or its number. Can be "     \
            "repeated.",                                                                                               \
        .accepts = {.count = LAB_LIST}, .offset = offsetof(struct lab_run_options, compare_devices)                    \
    }
#define LAB_NO_SAVE_OPTION                                                                                             \
    {                                                                                                                  \
        .name = "--no-save",                                                                                           \
        .help =                                                                                                        \
            "Do not keep the run: use a temporary database or, if a lab serves the database, delete the run at "       \
            "its end.",                                                                                                \
        .accepts = {.type = LAB_TYPE_BOOLEAN}, .offset = offsetof(struct lab_run_options, no_save)                     \
    }
/* All options of a command that runs an own kernel or a program, but those of the request. */
extern const struct lab_option lab_own_code_options[];

struct lab_run_context {
    const struct lab_run_options *options;
    struct lab_context *lab;
    json_t *experiments; /* {"subjects":[…], "experiments":[summary]} */
    json_t *devices;     /* {"devices":[…]} */
    json_t *kernel;      /* the own kernel of the request; NULL: none */
    json_t *program;     /* the whole program of the request; NULL: none */
    /* Called with the finished run before it may be deleted; returns the exit code of a run that has that of its own.
     * NULL: nothing is called. */
    enum lab_exit_code (*ended)(const struct lab_run_context *context, const json_t *run, enum lab_exit_code code);
    const void *ended_context; /* for `ended` */
    json_t *base;              /* what of these differs in the base, as members of compare_with; NULL: nothing */
};

/* The body of POST /runs for an experiment, with the command's options, a new reference. Returns NULL with errors on
 * failure. */
json_t *lab_run_request(const struct lab_run_context *context, const json_t *experiment, struct lab_errors *errors);

/* Runs an experiment with the command's options: submits the run and follows it to its end. Returns LAB_EXIT_OK with
 * the finished run in *run, a new reference, whether the run succeeded or not. On failure prints the errors and returns
 * another exit code with *run NULL. */
enum lab_exit_code lab_run_experiment(const struct lab_run_context *context, const json_t *experiment, json_t **run);

/* Deletes the run with --no-save, unless the lab is temporary; prints the errors of a failure. To be called when
 * nothing more is asked about it. */
void lab_run_discard(const struct lab_run_context *context, const json_t *run);

/* Runs an experiment that no list has: reads the experiment and the devices from the lab, prints the run and discards
 * it. Returns the exit code of the run. */
enum lab_exit_code lab_run_unlisted(struct lab_run_context *context, const char *name);

/* Returns LAB_EXIT_OK if an experiment of a subject can be run. Otherwise writes the reason why it is left out, too few
 * devices or no such preset, and returns the exit code for a command that runs nothing because of it. */
enum lab_exit_code lab_run_left_out(const struct lab_run_context *context, const json_t *experiment, char *reason,
                                    size_t size);

/* `gpulab run all`, `gpulab run SUBJECT`: runs the experiments, a list; prints one table and one summary. */
enum lab_exit_code lab_run_all(const struct lab_run_context *context, const json_t *experiments);

/* `gpulab run … --dry-run`: prints what the run of an experiment would take; for a subject or all, a list, also which
 * of them would be left out. */
enum lab_exit_code lab_plan_one(const struct lab_run_context *context, const json_t *experiment);
enum lab_exit_code lab_plan_all(const struct lab_run_context *context, const json_t *experiments);

#endif
