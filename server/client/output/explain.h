/* Prints an experiment's description: its explanation, parameters, axes and metrics. */
#ifndef LAB_EXPLAIN_H
#define LAB_EXPLAIN_H

#include <jansson.h>
#include <stdio.h>

/* Prints the whole description. `experiment` is the JSON object of an experiment in the API. */
void lab_explain_experiment(FILE *out, const json_t *experiment);

/* Prints only the parameters (name, default, type, bounds or choices, description) and the parameters that a preset
 * sets. */
void lab_explain_parameters(FILE *out, const json_t *experiment);

#endif
