/* The members of an export's lines, which an import compares with those of runs that the lab has. New references; NULL
 * when out of memory. */
#ifndef LAB_EXPORT_LINE_H
#define LAB_EXPORT_LINE_H

#include "store.h"

#include <jansson.h>

/* A run as GET /runs/{id} returns it, without what belongs to this lab or follows from the measurements
 * (run_members.h), and with `estimate_s`. */
json_t *lab_export_run(const struct lab_run_row *row);
json_t *lab_export_measurement(const struct lab_measurement_row *row); /* without samples */
json_t *lab_export_span(const struct lab_span_row *row);

#endif
