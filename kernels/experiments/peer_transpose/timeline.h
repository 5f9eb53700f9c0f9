/* The traced pass: each variant once more, for its timeline alone.
 */
#ifndef LAB_PEER_TRANSPOSE_TIMELINE_H
#define LAB_PEER_TRANSPOSE_TIMELINE_H

#include "job.h"

/* Traces one job of the point that the board is ready for and sends its spans: for each device a lane of its kernels
 * and one of each copy stream. Devices without a tracer are told as a warning, once (*refused). False with
 * run->error set. */
bool transpose_trace(struct transpose_setup *setup, const struct transpose_point *point, bool *refused);

#endif
