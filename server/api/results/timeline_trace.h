/* A timeline in the Trace Event format, which Perfetto and chrome://tracing open.
 *
 * Spans with the same axes are one traced variant. The trace has two processes for each variant: in one the threads are
 * the streams (lanes), in the other the engines (kinds). The format does not allow events of one thread to overlap, so
 * a stream or engine that did several things at once (a device that runs kernels concurrently) gets several threads.
 */
#ifndef LAB_TIMELINE_TRACE_H
#define LAB_TIMELINE_TRACE_H

#include <jansson.h>

/* {"traceEvents":[…],"displayTimeUnit":"ns"} from an array of spans as in the response of /timeline. A new reference;
 * NULL when out of memory. */
json_t *lab_timeline_trace(const json_t *array);

#endif
