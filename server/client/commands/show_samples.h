/* gpulab show ID --samples POINT. */
#ifndef LAB_SHOW_SAMPLES_H
#define LAB_SHOW_SAMPLES_H

#include "client_command.h"

#include <jansson.h>

/* Prints the samples of the point of a run, a document of GET /runs/{id}, that `point` names: AXIS=VALUE, several
 * separated by commas. Prints errors itself; returns an exit code. */
enum lab_exit_code lab_show_samples(struct lab_context *context, const json_t *run, const char *point);

#endif
