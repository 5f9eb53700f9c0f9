/* Traces the work of a point and reports what the devices' engines executed as spans (METHOD.md 17). */
#ifndef LAB_TIMELINE_H
#define LAB_TIMELINE_H

#include "measure/run.h"

/* The texts of a span. */
struct lab_span_text {
    char lane[64];   /* the row of the timeline: "stream 1"; spans of one lane do not overlap */
    char label[112]; /* "chunk 3 · 4 MiB" */
};

/* The work to trace. */
struct lab_timeline {
    void *context;
    size_t lane_count;
    const struct lab_lane *lanes; /* the streams whose work is recorded */
    /* Executes the work once and waits for it. Returns false with the error of the first lane's device set. */
    bool (*execute)(void *context);
    /* Writes the texts of a record; `number` counts the records of the same lane and kind before it. */
    void (*describe)(void *context, const struct lab_trace_record *record, size_t number, struct lab_span_text *text);
};

enum lab_timeline_result {
    LAB_TIMELINE_TRACED,
    LAB_TIMELINE_REFUSED, /* there is no tracer; a note says why */
    LAB_TIMELINE_FAILED   /* run->error is set */
};

/* Executes the work twice and traces the second time, because the first launches in a process are slower. */
enum lab_timeline_result lab_timeline_trace(struct lab_run *run, const struct lab_point *point,
                                            const struct lab_timeline *timeline);

#endif
