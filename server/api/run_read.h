/* A run as a whole, read from the store: what GET /runs/{id} answers and what `gpulab run --json` prints.
 */
#ifndef LAB_RUN_READ_H
#define LAB_RUN_READ_H

#include "jobs/jobs.h"
#include "store.h"

#include <jansson.h>
#include <stdbool.h>

/* The run with its measurements, without their samples. `live` may be NULL. A new reference; NULL with *result, also
 * when out of memory (LAB_STORE_FAILED). */
json_t *lab_read_run(struct lab_store *store, const struct lab_live *live, const char *id,
                     enum lab_store_result *result);

/* Its measurements as an array. As above. */
json_t *lab_read_measurements(struct lab_store *store, const char *id, bool samples, enum lab_store_result *result);

#endif
