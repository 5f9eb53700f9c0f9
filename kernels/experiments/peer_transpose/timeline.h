/* The timeline of a point: runs its job while the devices are traced, and reports the spans of all operations. Used
 * only by the traced attempt of a run.
 */
#ifndef LAB_PEER_TRANSPOSE_TIMELINE_H
#define LAB_PEER_TRANSPOSE_TIMELINE_H

#include "job.h"

/* Traces one job of the prepared point and reports its spans: for each device one lane for its kernels and one for each
 * copy stream. If the devices have no tracer, warns and sets *refused instead. Returns false with run->error set on
 * failure. */
bool transpose_trace(struct transpose_setup *setup, const struct transpose_point *point, bool *refused);

#endif
