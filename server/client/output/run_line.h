/* The parts of a run that are shown in one line: in lists of runs, and at the end of a run that is watched. */
#ifndef LAB_RUN_LINE_H
#define LAB_RUN_LINE_H

#include "table.h"

#include "core/format.h"

#include <jansson.h>

/* Adds the columns id, age, experiment, device, status and result. */
void lab_run_columns(struct lab_table *table);
/* Adds a row with the run, a document as in lists. `shortened`: how many characters of the id are shown. */
void lab_run_row(struct lab_table *table, const json_t *run, size_t shortened);

/* How many characters of the ids are shown in a list of runs: on a terminal, as many as tell them apart; elsewhere
 * all. */
size_t lab_shown_id_length(const json_t *runs);

/* How long ago the run was created: "3 min". */
const char *lab_run_age(const json_t *run, char text[LAB_FORMAT_SIZE]);
/* The names of the run's devices, equal ones as "8 x NVIDIA H200". The caller frees the text; NULL when out of
 * memory. */
char *lab_run_devices(const json_t *run);
/* What came out: the first headline ("4213 GB/s Read"), the place in the queue, the progress, or the error. The caller
 * frees the text; NULL when out of memory. */
char *lab_run_result(const json_t *run);
enum lab_style lab_status_style(const char *status);

#endif
