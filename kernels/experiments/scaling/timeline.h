/* The traced pass: a job of each point once more, for its timeline alone.
 */
#ifndef LAB_SCALING_TIMELINE_H
#define LAB_SCALING_TIMELINE_H

#include "job.h"

/* Traces one job and sends its spans, each device a lane. Devices without a tracer are told as a warning, once
 * (*refused). False with run->error set. */
bool scaling_trace(struct scaling_job *job, const struct scaling_point *point, bool *refused);

#endif
