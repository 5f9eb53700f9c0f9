/* Records a run's events: checks what the worker sends, stores it and publishes it in the event stream. */
#ifndef LAB_RUN_RECORDER_H
#define LAB_RUN_RECORDER_H

#include "devices.h"
#include "jobs.h"

/* Receives the events of one run on one thread: first those of the attempts that measure, then, after
 * lab_run_recorder_begin_trace, those of the attempt that traces. Starts with the first ten members set and the rest
 * 0. */
struct lab_run_recorder {
    const char *run;                         /* its id */
    struct lab_event_subject about;          /* what its events say that they are about */
    const struct lab_experiment *experiment; /* NULL: this build does not have it */
    struct lab_store *store;
    struct lab_events *events;
    struct lab_devices *devices;
    struct lab_jobs_counters *counters;
    void (*on_progress)(void *context, size_t done, size_t total, const char *label);
    void (*on_invalid)(void *context); /* called once, when the worker has sent invalid data: it must be stopped */
    void *context;
    bool withholds; /* measurements are neither stored nor published before lab_run_recorder_judge */

    json_t *withheld;                                 /* these measurements; NULL: none */
    double progress_published_at;                     /* time of the last event run.progress, by lab_clock_now */
    bool tracing;                                     /* the events are those of the attempt that traces */
    size_t measurements, spans, fields, traced_spans; /* received so far; traced_spans: while tracing */
    size_t results;                                   /* measurements that were not skipped */
    size_t output_bytes;                              /* of what a program has printed */
    char skip_reason[LAB_DETAIL_MAX / 2];             /* of the first that was */
    json_t *warnings, *notes;        /* the texts so far, as member names, to drop repeated ones; NULL: none */
    struct lab_headlines *headlines; /* NULL: there are no measurements, or the experiment is unknown */
    json_t *environment;             /* as last stored; NULL before `started` */
    bool invalid;                    /* the worker sent data that cannot be stored */
    char invalid_detail[200];        /* why, as "it sent …" */

    json_t *calibrated; /* of the last `finished` that had it: an object, for the attempt that traces; NULL: none */

    bool finished; /* `finished` was received; it has set the members below */
    enum lab_status status;
    bool contended, lost; /* lost: a device no longer answers as it should */
    json_t *error;        /* a problem, or NULL */
};

/* Handles one event. `recorder` is a struct lab_run_recorder; it is a void pointer because lab_worker_listener.event
 * has one. */
void lab_run_recorder_event(void *recorder, const char *name, const json_t *event);

/* Adds a warning to the run. A text that was added before is not added again. */
void lab_run_recorder_warn(struct lab_run_recorder *recorder, const char *text);

/* As lab_run_recorder_warn, for a note. */
void lab_run_recorder_note(struct lab_run_recorder *recorder, const char *text);

/* Discards the `finished` of an attempt, because another attempt follows. */
void lab_run_recorder_restart(struct lab_run_recorder *recorder);

/* Switches to the attempt that traces: from now on only spans, warnings, notes, progress (with the label "tracing") and
 * `finished` are accepted, because that attempt measures nothing. Reports the new progress at once. */
void lab_run_recorder_begin_trace(struct lab_run_recorder *recorder);

/* Stores and publishes the measurements that were withheld. Those of a point with a verdict, [{axes, wrong}], are
 * verified or wrong; NULL: there are none. Returns the number of those that are neither, although they were
 * measured. */
size_t lab_run_recorder_judge(struct lab_run_recorder *recorder, const json_t *verdicts);

/* Stores the headlines of the measurements so far. */
void lab_run_recorder_store_headlines(struct lab_run_recorder *recorder);
void lab_run_recorder_release(struct lab_run_recorder *recorder);

#endif
