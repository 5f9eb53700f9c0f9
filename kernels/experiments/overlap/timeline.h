/* The timeline of a point: runs its job while the device is traced, and reports the spans of all operations. Used only
 * by the traced attempt of a run.
 */
#ifndef LAB_OVERLAP_TIMELINE_H
#define LAB_OVERLAP_TIMELINE_H

#include "job.h"

/* Traces one job of the prepared point and reports its spans. If the device has no tracer, warns and sets *refused
 * instead. Returns false with run->error set on failure. */
bool overlap_trace(struct overlap_job *job, const struct overlap_point *point, bool *refused);

#endif
