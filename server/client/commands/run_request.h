/* The options that describe a run, and the body of POST /runs that they make: `gpulab run` and `gpulab sweep` have
 * them. */
#ifndef LAB_RUN_REQUEST_H
#define LAB_RUN_REQUEST_H

#include "cli/options.h"

#include <jansson.h>

struct lab_request_options {
    struct lab_texts set, devices, nodes, tags;
    const char *preset;       /* NULL for none */
    const char *note;         /* NULL for none */
    const char *priority;     /* NULL for the lab's default */
    const char *secret_until; /* NULL: the run is no secret */
    double time_limit_s;      /* 0: the lab's default */
    bool quick;
};

extern const struct lab_option lab_request_options_table[]; /* fills a struct lab_request_options */

/* Makes --quick the preset "quick". Returns false with errors when both --quick and --preset are given. */
bool lab_request_options_complete(struct lab_request_options *options, struct lab_errors *errors);

/* Whether the experiment has the preset that the options name, if any. */
bool lab_request_has_preset(const struct lab_request_options *options, const json_t *experiment);
/* Writes the names of an experiment's presets, separated by commas. */
void lab_request_list_presets(char *text, size_t size, const json_t *experiment);

/* Makes the body of POST /runs, a new reference. `experiment` and `devices` are documents of the API. Returns NULL with
 * errors on failure. */
json_t *lab_request_create(const struct lab_request_options *options, const json_t *experiment, const json_t *devices,
                           struct lab_errors *errors);

/* The id of the device that `word` names by id or index. A word that is neither is returned, and the lab rejects it. */
const char *lab_request_device(const json_t *devices, const char *word);

#endif
