/* The timeline of a point: runs its job while the device is traced, and reports the spans of all operations. Used only
 * by the traced attempt of a run.
 */
#ifndef LAB_SCALING_TIMELINE_H
#define LAB_SCALING_TIMELINE_H

#include "job.h"

/* Traces one job and reports its spans, one lane per device. If the devices have no tracer, warns and sets *refused
 * instead. Returns false with run->error set on failure. */
bool scaling_trace(struct scaling_job *job, const struct scaling_point *point, bool *refused);

#endif
