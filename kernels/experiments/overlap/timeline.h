/* The traced attempt of a run: runs each point once more and reports its spans.
 */
#ifndef LAB_OVERLAP_TIMELINE_H
#define LAB_OVERLAP_TIMELINE_H

#include "job.h"

/* Traces one job of the prepared point and reports its spans. If the device has no tracer, warns and sets *refused
 * instead. Returns false with run->error set on failure. */
bool overlap_trace(struct overlap_job *job, const struct overlap_point *point, bool *refused);

#endif
