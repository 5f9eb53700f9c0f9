/* Reports the metrics of a point.
 */
#ifndef LAB_PEER_TRANSPOSE_REPORT_H
#define LAB_PEER_TRANSPOSE_REPORT_H

#include "peer_transpose.h"

#include "measure/measure.h"

/* Adds the axes of a point. Its measurements and its spans have the same axes. */
void transpose_point_axes(struct lab_axes *axes, const struct transpose_point *point);

/* Reports the metrics of a point. *all_to_all_s is the median time of TRANSPOSE_ALL_TO_ALL, which a point of that
 * variant sets; while it is NAN, share_of_all_to_all is not reported. Returns false with run->error set when out of
 * memory. */
bool transpose_report_outcome(struct lab_run *run, const struct transpose_point *point,
                              const struct lab_outcome *outcome, double *all_to_all_s);
void transpose_report_skipped(struct lab_run *run, const struct transpose_point *point, const char *reason);

#endif
