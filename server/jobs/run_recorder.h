/* What a worker tells of a run, on its way to the store and the event stream. */
#ifndef LAB_RUN_RECORDER_H
#define LAB_RUN_RECORDER_H

#include "jobs.h"

/* Takes the events of one run, on one thread: of the pass that measures, then, after lab_run_recorder_trace, of the one that
 * traces. */
struct lab_run_recorder {
    const char *run;
    struct lab_store *store;
    struct lab_events *events;
    void (*progress)(void *context, size_t done, size_t total, const char *label); /* for those who ask about the run */
    void (*unreadable)(void *context);                                             /* called once: stop the worker */
    void *context;

    double progress_published_at;
    bool tracing; /* the events are those of the traced pass */
    size_t measurements, spans, traced_spans, warnings;
    json_t *said; /* the warnings so far, as names: both passes may say the same */
    bool broken;  /* the worker sent what cannot be kept; `broken_detail` says what */
    char broken_detail[160];
    bool finished; /* the three below are from its last words */
    enum lab_status status;
    bool contended;
    json_t *error; /* an object, or NULL */
};

/* Handles one event; `recorder` is a struct lab_run_recorder. Fits lab_worker_listener. */
void lab_run_recorder_event(void *recorder, const char *name, const json_t *event);
/* A warning that belongs to the result; one that was said before is not said again. */
void lab_run_recorder_warn(struct lab_run_recorder *recorder, const char *text);

/* Another worker begins the pass again: the last words of the one before are forgotten. */
void lab_run_recorder_restart(struct lab_run_recorder *recorder);

/* From now on the events are those of the traced pass: only spans, warnings, progress (as "tracing") and its end are
 * taken. Tells at once that it begins. */
void lab_run_recorder_trace(struct lab_run_recorder *recorder);

void lab_run_recorder_release(struct lab_run_recorder *recorder);

#endif
