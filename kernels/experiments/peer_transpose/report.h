/* What is reported of peer-transpose's points.
 */
#ifndef LAB_PEER_TRANSPOSE_REPORT_H
#define LAB_PEER_TRANSPOSE_REPORT_H

#include "peer_transpose.h"

#include "measure/measure.h"

/* The axes of a point's measurements, by which its spans are told apart too. */
void transpose_point_axes(struct lab_axes *axes, const struct transpose_point *point);

/* The figures of a point. The median of TRANSPOSE_ALL_TO_ALL goes to *all_to_all_s, against which those of the
 * variants are held where it is known (not NAN). False with run->error when out of memory. */
bool transpose_report_outcome(struct lab_run *run, const struct transpose_point *point,
                              const struct lab_outcome *outcome, double *all_to_all_s);
void transpose_report_skipped(struct lab_run *run, const struct transpose_point *point, const char *reason);

#endif
