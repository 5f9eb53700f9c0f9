/* A timeline in the Trace Event format, which Perfetto and chrome://tracing open. Pure.
 *
 * Spans with the same axes are one traced variant, and two processes of the trace: one whose threads are the streams
 * (lanes), one whose threads are the engines (kinds). In a thread no two events overlap, as the format demands: where an
 * engine did several things at once (a device that runs kernels side by side), it gets a thread for each.
 */
#ifndef LAB_TIMELINE_TRACE_H
#define LAB_TIMELINE_TRACE_H

#include <jansson.h>

/* {"traceEvents":[…],"displayTimeUnit":"ns"} from an array of spans as /timeline shows them. A new reference, NULL when
 * out of memory. */
json_t *lab_timeline_trace(const json_t *spans);

#endif
