/* The traced pass: each variant once more, for its timeline alone.
 */
#ifndef LAB_OVERLAP_TIMELINE_H
#define LAB_OVERLAP_TIMELINE_H

#include "calibration.h"

/* The axes of a point's measurements, by which its spans are told apart too. */
void overlap_point_axes(struct lab_axes *axes, const struct overlap_job *job, const struct overlap_point *point);

/* Traces one job of the point that is laid out and sends its spans. A device without a tracer is told as a warning, once
 * (*refused). False with run->error set. */
bool overlap_trace(struct overlap_job *job, const struct overlap_point *point, bool *refused);

#endif
