/* Checks a request for a run against the experiments' tables and the nodes' devices, and turns it into a row of the
 * store. */
#ifndef LAB_SUBMISSION_H
#define LAB_SUBMISSION_H

#include "descriptor/pairing.h"
#include "descriptor/parameters.h"
#include "devices.h"
#include "queue.h"
#include "rights.h"
#include "store.h"

/* What is measured: the request itself, the head, or the base that it is compared with. */
struct lab_submission_side {
    const struct lab_experiment *experiment; /* of the table, or `defined` */
    const struct lab_experiment *defined;    /* made of the own kernel (struct lab_experiment.define); NULL: none */
    json_t *devices;                         /* [{id, name, node}] */
    struct lab_parameters *parameters;
    json_t *kernel;  /* a person's own kernel as lab_own_kernel_resolve makes it; NULL: none */
    json_t *program; /* a whole program as it was given; NULL: none */
};

/* A checked request, with defaults filled in. */
struct lab_submission {
    struct lab_submission_side sides[LAB_SIDES];
    bool compares;    /* there is a base */
    json_t *tags;     /* array of strings */
    const char *note; /* points into the request, which must outlive this */
    enum lab_priority priority;
    double time_limit_s;  /* as given, or else from the plan (LAB_TIME_LIMIT_FACTOR) */
    int64_t secret_until; /* LAB_NO_TIME: the run is no secret */
    struct lab_estimate estimate;
};

/* The time limit of a run for which none is given, in planned seconds, and its least value. */
enum { LAB_TIME_LIMIT_FACTOR = 10, LAB_TIME_LIMIT_LEAST_S = 600 };

/* What a request is checked with. */
struct lab_submission_checks {
    struct lab_devices *devices;
    struct lab_submit_rights rights; /* of whoever sends the request */
};

/* Fills `submission` from a request body of POST /api/v1/runs, whose types, bounds and names lab_schema_check_members
 * has checked (core/schema.h). False with everything else that is wrong in *errors, and for a value of a wrong type,
 * which adds none. The caller releases it in both cases. */
bool lab_submission_check(struct lab_submission *submission, const json_t *request,
                          const struct lab_submission_checks *checks, struct lab_errors *errors);
void lab_submission_release(struct lab_submission *submission);

/* A submission as a run of the queue that is not stored yet. `sweep` is "" for a run that is not part of one. */
struct lab_queue_entry lab_submission_queue_entry(const struct lab_submission *submission, const char *id,
                                                  const char *sweep);

/* A submission as a row of the store, and the texts that the row points to. */
struct lab_submission_row {
    struct lab_run_row run; /* what a request decides; the caller sets id, sweep and requested_by */
    char *devices, *parameters, *compare_with, *kernel, *program, *tags;
};
/* Fills *row; false when out of memory. The submission must outlive it, and the caller releases it in both cases. */
bool lab_submission_to_row(const struct lab_submission *submission, struct lab_submission_row *row);
void lab_submission_row_release(struct lab_submission_row *row);

#endif
