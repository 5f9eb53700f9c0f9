/* What `gpulab run` was asked to do, and the two ways of doing it.
 */
#ifndef LAB_RUN_OPTIONS_H
#define LAB_RUN_OPTIONS_H

#include "session.h"

struct lab_run_options {
    struct lab_config config;
    struct lab_texts set, devices, tags;
    const char *note;
    double time_limit_s; /* 0: none */
    bool quick, no_save, json;
};

/* What running needs, opened once. */
struct lab_run_context {
    const struct lab_run_options *options;
    struct lab_session *session;
    int signals;         /* lab_signals_open */
    json_t *experiments; /* {"experiments":[…]} */
    json_t *devices;     /* {"devices":[…]} */
};

/* The body of a POST /runs for that experiment; NULL with errors. A new reference. */
json_t *lab_run_request(const struct lab_run_context *context, const char *experiment, struct lab_errors *errors);

/* Submits a request and follows the run; LAB_EXIT_OK and the final run in *run, a new reference, whatever became of it;
 * or why there is none, which has been said. Takes the run out of the store again when it is not to be saved. */
enum lab_exit_code lab_run_perform(const struct lab_run_context *context, const json_t *request, json_t **run);

/* `gpulab run all`: every experiment, one table, one verdict (run_all.c). */
enum lab_exit_code lab_run_all(const struct lab_run_context *context);

#endif
