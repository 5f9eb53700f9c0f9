/* A request for a run: checked as a whole against the experiments' tables and this machine's devices, and turned into
 * what the store keeps.
 */
#ifndef LAB_SUBMISSION_H
#define LAB_SUBMISSION_H

#include "devices.h"
#include "experiment/experiment.h"
#include "experiment/parameters.h"
#include "store.h"

/* A request that was found good, its defaults filled in. */
struct lab_submission {
    const struct lab_experiment *experiment;
    json_t *devices; /* array of ids */
    struct lab_parameters *parameters;
    json_t *tags;        /* array of strings */
    const char *note;    /* of the request, which must stay */
    double time_limit_s; /* 0: none */
};

/* Fills `submission` from a request body of POST /runs. False with everything that is wrong in *errors. To be released
 * either way. */
bool lab_submission_check(struct lab_submission *submission, const json_t *request, struct lab_devices *devices,
                          struct lab_errors *errors);
void lab_submission_release(struct lab_submission *submission);

/* Stores it as the queued run `id` (lab_store_add_run). With `key`, `request` is what another request with the same key
 * is compared with: its canonical text, so that no two different requests pass for the same. */
enum lab_store_result lab_submission_store(const struct lab_submission *submission, struct lab_store *store,
                                           const char *id, const char *host, const char *key, const json_t *request,
                                           char existing[LAB_RUN_ID_SIZE]);

#endif
