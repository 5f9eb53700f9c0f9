/* Reports the metrics of a point.
 */
#ifndef LAB_COLLECTIVES_REPORT_H
#define LAB_COLLECTIVES_REPORT_H

#include "collectives.h"
#include "measure/measure.h"

/* Reports all metrics of a point. Returns false with run->error set when out of memory. */
bool collectives_report_outcome(struct lab_run *run, const struct collectives_point *point,
                                const struct lab_outcome *outcome);
void collectives_report_skipped(struct lab_run *run, const struct collectives_point *point, const char *reason);

#endif
