/* A trace as the spans of a timeline (core/result_members.h). Lanes are the host's threads with their calls, the
 * streams, and the NVTX ranges of threads. The kind of a span names the engine: of a copy its direction. */
#ifndef LAB_TRACE_TIMELINE_H
#define LAB_TRACE_TIMELINE_H

#include "trace/read.h"

#include <jansson.h>

enum { LAB_TRACE_LABEL_SIZE = 112 };

/* The texts and details of a span belong to the caller of `visit`, until `visit` returns. */
struct lab_trace_span {
    const char *lane, *kind;
    char label[LAB_TRACE_LABEL_SIZE];
    int64_t start_ns, end_ns; /* since the start of the program */
    /* What else is known, by the names of the table in README.md. */
    json_t *details;
};

/* Calls `visit` for each span of a finished trace. Calls within another call of their thread are part of that one and
 * have no span. Returns false when out of memory. */
bool lab_trace_timeline(const struct lab_trace *trace, void (*visit)(void *context, const struct lab_trace_span *span),
                        void *context);

#endif
