/* What a trace lacks, in sentences. */
#ifndef LAB_TRACE_MISSING_H
#define LAB_TRACE_MISSING_H

#include "trace/read.h"

/* How the program ended. */
struct lab_trace_ending {
    int signal;    /* that ended it; 0: it exited */
    int64_t at_ns; /* ns since 1970; 0: not known */
};

/* Calls `sentence` for each thing that is missing from a finished trace, and for each note of the tracer. */
void lab_trace_missing(const struct lab_trace *trace, struct lab_trace_ending ending,
                       void (*sentence)(void *context, const char *text), void *context);

#endif
