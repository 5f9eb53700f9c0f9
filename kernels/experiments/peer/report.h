/* Reports the metrics of a point.
 */
#ifndef LAB_PEER_REPORT_H
#define LAB_PEER_REPORT_H

#include "peer.h"

#include "measure/measure.h"

/* Reports the metrics of a point of which `copies` copies were measured together. Returns false with run->error set
 * when out of memory. */
bool peer_report_outcome(struct lab_run *run, const struct peer_point *point, size_t copies,
                         const struct lab_outcome *outcome);
void peer_report_skipped(struct lab_run *run, const struct peer_point *point, const char *reason);

#endif
