/* Executes one run, in one or more attempts. The first attempt measures. It is repeated by a new worker if the warm
 * worker cannot serve this run, because an earlier run has fixed a setting of its process. If the run succeeded and its
 * experiment has a timeline, another attempt traces it (METHOD.md 17). The attempt that traces never changes how the
 * run ends. A run that is judged (judgement.h) is measured by a new worker, and its outputs are judged by another.
 */
#ifndef LAB_RUN_ATTEMPT_H
#define LAB_RUN_ATTEMPT_H

#include "jobs_state.h"
#include "owner.h"

#include <jansson.h>

/* The data of a run that its worker gets. */
struct lab_run_request {
    const char *id;
    char *requested_by; /* NULL: unknown */
    int64_t secret_until;
    char *experiment;
    json_t *placed;               /* the devices with their nodes, [{id, name, node}] */
    json_t *devices, *parameters; /* ids; all parameters */
    json_t *compare_with;         /* {experiment, devices (ids), parameters, kernel, program}; NULL: no comparison */
    json_t *kernel;               /* the person's own kernel; NULL: none */
    bool judged;                  /* another process judges what the kernel computes; only of an own kernel */
    bool tells_wrong;             /* the first element that is judged wrong is a warning of the run */
    const char *outputs;          /* the file of its outputs; NULL: the run is not judged, or not yet compiled */
    json_t *program;              /* the whole program; NULL: none */
    char owner[LAB_OWNER_SIZE];   /* of the program, or of the kernel's check; "": no one */
    json_t *used_devices;         /* ids of the devices of both sides */
    int64_t created_at;           /* microseconds since 1970 */
    double time_limit_s;          /* for all attempts together */
};

/* How a run ended. */
struct lab_run_result {
    enum lab_status status;
    bool contended;    /* another process used a device when the run started or ended */
    bool began;        /* a worker reported that it had begun to measure */
    bool worker_ended; /* the run failed because its worker died or had to be killed, not by a limit or on request */
    json_t *error;     /* a problem, or NULL; the caller releases it */
};

/* Compiles the own kernels of the run (compile_kernels.h), executes it with the worker that lab_warm_ensure has
 * prepared, records its events and fills *result, whose status must be LAB_STATUS_FAILED and the rest 0. If tracing
 * fails, the run gets a warning "no timeline: …" or "the timeline is incomplete: …" and is otherwise unchanged. On the
 * runner's thread. */
void lab_run_execute(struct lab_node *node, struct lab_run_request *request, struct lab_run_result *result);

#endif
