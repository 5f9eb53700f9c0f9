/* Prints what was found on a machine. */
#ifndef LAB_CLIENT_FINDINGS_H
#define LAB_CLIENT_FINDINGS_H

#include <jansson.h>
#include <stdio.h>

/* `examination` is the document of GET /doctor. */
void lab_findings_print(FILE *out, const json_t *examination);

#endif
