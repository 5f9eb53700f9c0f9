/* Reads a whole run from the store: what GET /runs/{id} returns and `gpulab run --json` prints.
 */
#ifndef LAB_RUN_READ_H
#define LAB_RUN_READ_H

#include "jobs/jobs.h"
#include "store.h"

#include <jansson.h>
#include <stdbool.h>

/* The run with its measurements, but not their samples. `live` may be NULL. A new reference; NULL with the reason in
 * *result, which is LAB_STORE_FAILED when out of memory. */
json_t *lab_read_run(struct lab_store *store, const struct lab_live_state *live, const char *id,
                     enum lab_store_result *result);

/* The run's measurements as an array, with their samples if `samples`. The rest as above. */
json_t *lab_read_measurements(struct lab_store *store, const char *id, bool samples, enum lab_store_result *result);

#endif
