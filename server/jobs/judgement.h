/* The verdict on an own kernel by a second process (METHOD.md 23): the worker that measures the kernel gets nothing of
 * what is expected, and writes outputs to a file; when its process has ended, another worker, which gets everything but
 * the kernel, judges them.
 */
#ifndef LAB_JUDGEMENT_H
#define LAB_JUDGEMENT_H

#include "run_attempt.h"

#include <stdio.h>

struct lab_judgement {
    FILE *file;        /* of the outputs; it has no name, so that nothing of it is left; NULL: the run is not judged */
    char path[48];     /* by which the workers open it, as long as it is open here */
    json_t *reference; /* the kernel as the worker that judges gets it */
};

/* What the worker that judges has said. */
struct lab_verdicts {
    json_t *list;  /* [{axes, wrong}]; NULL: nothing */
    json_t *texts; /* of those with wrong elements, which the first is; NULL: none */
    size_t wrong;  /* points with wrong elements */
};

/* Whether something other than the kernel's own source says what its outputs must be. */
bool lab_judgement_possible(const json_t *kernel);

/* Divides the compiled kernel of a run that is judged: request->kernel becomes what the worker gets that measures it,
 * and request->outputs the path. Does nothing for other runs. False with *problem set and nothing to close. */
bool lab_judgement_open(struct lab_judgement *judgement, const struct lab_node *node, struct lab_run_request *request,
                        json_t **problem);
void lab_judgement_close(struct lab_judgement *judgement);

/* Has the outputs judged by a worker that is started for that and ends then, until the time `until` by lab_clock_now.
 * *error: why there is not a verdict on all. On the runner's thread. Call lab_verdicts_release in either case. */
void lab_judgement_execute(const struct lab_judgement *judgement, struct lab_node *node,
                           const struct lab_run_request *request, double until, struct lab_verdicts *verdicts,
                           struct lab_error *error);
void lab_verdicts_release(struct lab_verdicts *verdicts);

#endif
