/* What is reported of peer's points.
 */
#ifndef LAB_PEER_REPORT_H
#define LAB_PEER_REPORT_H

#include "peer.h"

#include "measure/measure.h"

/* The figures of a point whose `copies` copies were measured together. False with run->error when out of memory. */
bool peer_report_outcome(struct lab_run *run, const struct peer_point *point, size_t copies,
                         const struct lab_outcome *outcome);
void peer_report_skipped(struct lab_run *run, const struct peer_point *point, const char *reason);

#endif
