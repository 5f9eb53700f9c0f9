/* Prints the explanation of a point. */
#ifndef LAB_CLIENT_EXPLANATION_H
#define LAB_CLIENT_EXPLANATION_H

#include <jansson.h>
#include <stdio.h>

/* `explanation` is the document of GET /runs/{id}/points/{position}/explanation, `experiment` the JSON object of its
 * experiment, which may be NULL. */
void lab_explanation_print(FILE *out, const json_t *explanation, const json_t *experiment);

#endif
