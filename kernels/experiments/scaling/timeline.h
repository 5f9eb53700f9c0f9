/* The traced attempt of a run: runs each point once more and reports its spans.
 */
#ifndef LAB_SCALING_TIMELINE_H
#define LAB_SCALING_TIMELINE_H

#include "job.h"

/* Traces one job and reports its spans, one lane per device. If the devices have no tracer, warns and sets *refused
 * instead. Returns false with run->error set on failure. */
bool scaling_trace(struct scaling_job *job, const struct scaling_point *point, bool *refused);

#endif
