/* An experiment explained on a terminal: what it shows, its parameters, axes and metrics, all from its description.
 */
#ifndef LAB_EXPLAIN_H
#define LAB_EXPLAIN_H

#include <jansson.h>
#include <stdio.h>

/* `experiment` is its description as the API shows it. */
void lab_explain_experiment(FILE *out, const json_t *experiment);

/* Its parameters alone: name, type, default, bounds, choices, what each does. */
void lab_explain_parameters(FILE *out, const json_t *experiment);

#endif
