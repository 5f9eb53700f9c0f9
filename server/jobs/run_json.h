/* Runs and measurements as API.md shows them, made from the store's rows. The event stream and the API both use these,
 * so that a run looks the same wherever it is read. All functions return a new reference, NULL when out of memory.
 * Figures that do not exist are null. May be called from any thread.
 */
#ifndef LAB_RUN_JSON_H
#define LAB_RUN_JSON_H

#include "jobs.h"

#include <jansson.h>

/* RFC 3339 in UTC with microseconds ("2025-01-31T12:00:00.000001Z") and its NUL; the microseconds are always there. */
enum { LAB_TIME_SIZE = 28 };

/* Writes `at`, microseconds since 1970, as text; "" for LAB_NO_TIME. */
void lab_time_text(int64_t at, char text[LAB_TIME_SIZE]);
/* The same as a JSON string; null for LAB_NO_TIME. */
json_t *lab_time_json(int64_t at);
/* Now, in the store's microseconds since 1970. */
int64_t lab_time_now(void);

/* A run as lists and `run.updated` show it: {id, revision, experiment, status, devices, host, parameters, tags, note,
 * pinned, time_limit_s, created_at, started_at, finished_at, queue_position, progress, contended, measurement_count,
 * wrong_count, warnings, error}. `live` may be NULL: then queue_position and progress are null. */
json_t *lab_run_summary_json(const struct lab_run_row *run, const struct lab_live *live);

/* The whole run: the summary, `environment` and `measurements`. `measurements` is an array that the call takes over;
 * NULL stands for an empty one. */
json_t *lab_run_json(const struct lab_run_row *run, const struct lab_live *live, json_t *measurements);

/* A measurement as API.md shows it; `samples` is there only when the row carries samples. */
json_t *lab_measurement_row_json(const struct lab_measurement_row *row);

#endif
