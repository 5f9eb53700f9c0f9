/* What `gpulab run`, `gpulab show` and `gpulab watch` print of a run. */
#ifndef LAB_PRINT_RUN_H
#define LAB_PRINT_RUN_H

#include "client_command.h"

#include <jansson.h>

/* Prints a run of the context's lab, a document of GET /runs/{id}: as it is with --json, otherwise as tables. Asks the
 * lab for the verdicts about a run that compares; if that fails, prints the error and no tables. `experiment` is that
 * of the run in the API; NULL: the lab is asked for it. `form`: that of a document (output/document.h) instead of
 * tables; NULL: tables. */
void lab_print_run(struct lab_context *context, const json_t *run, const json_t *experiment, const char *form);

#endif
