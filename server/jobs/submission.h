/* Checks a request for a run against the experiments' tables and this machine's devices, and stores it as a run. */
#ifndef LAB_SUBMISSION_H
#define LAB_SUBMISSION_H

#include "devices.h"
#include "experiment/experiment.h"
#include "experiment/parameters.h"
#include "store.h"

/* A checked request, with defaults filled in. */
struct lab_submission {
    const struct lab_experiment *experiment;
    json_t *devices; /* array of ids */
    struct lab_parameters *parameters;
    json_t *tags;        /* array of strings */
    const char *note;    /* points into the request, which must outlive this */
    double time_limit_s; /* 0: none */
    struct lab_estimate estimate;
};

/* Fills `submission` from a request body of POST /api/v1/runs, whose types, bounds and names lab_fields_check_body has
 * checked (server/http/field.h). False with everything else that is wrong in *errors, and for a value of a wrong type, which
 * adds none. The caller releases it in both cases. */
bool lab_submission_check(struct lab_submission *submission, const json_t *request, struct lab_devices *devices,
                          struct lab_errors *errors);
void lab_submission_release(struct lab_submission *submission);

/* Stores the submission as the queued run `id`, with the names that `known` has for its devices; `existing` and the result are those of lab_store_add_run. With an
 * idempotency `key` (NULL: none), the canonical text of `request` is stored too, and later requests with the same key are
 * compared with it. */
enum lab_store_result lab_submission_store(const struct lab_submission *submission, struct lab_store *store,
                                           struct lab_devices *known, const char *id, const char *host, const char *key,
                                           const json_t *request, char existing[LAB_RUN_ID_SIZE]);

#endif
