/* Shared by the tests of kernels/measure/measure.c: a device whose operations take scripted times on a simulated clock,
 * so that every reason to stop and every kind of invalid sample can be produced at any speed of the machine.
 */
#ifndef LAB_MEASURE_HARNESS_H
#define LAB_MEASURE_HARNESS_H

#include "descriptor/parameters.h"
#include "measure/measure.h"
#include "measure/sampling.h"
#include "support/simulated_clock.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 2, LOG_MAX = 1 << 20 };

struct lab_stream {
    double time; /* the simulated time at which the work enqueued so far ends, in seconds */
    size_t queued;
};

struct lab_event {
    double time;
};

struct lab_latch {
    bool closed, timed_out;
    double closed_at, timeout_s;
};

/* The script of the device, and a record of what happened. */
extern struct script {
    struct lab_device device;
    struct lab_stream work_streams[STREAMS], baseline_stream, background;
    double operation_s, baseline_s; /* time of one operation of the work, and of its baseline */
    double load_s;                  /* time of one repetition of the background load */
    double (*operation_time)(void); /* replaces operation_s if it is not NULL */
    double enqueue_s;               /* time that the host needs for each enqueue */
    double poison_s, verify_s;      /* times that the host needs for these callbacks */
    double spread;                  /* operations take this share of their time more and less, alternately */
    bool latch_times_out, blocks;   /* every latch times out; enqueueing the work waits for a closed latch */
    size_t fail_after;              /* number of enqueues until one fails; 0: none fails */
    bool verify_wrong;
    double flush_s; /* time of flushing a device's cache */
    bool cannot_flush;
    atomic_bool cancel;
    size_t cancel_after; /* number of enqueues until the run is cancelled; 0: it is not cancelled */

    size_t behind_latch, behind_latch_most; /* calls of enqueue and load while a latch was closed */
    size_t enqueued, baseline_enqueued, loaded, poisoned, verified, latched, queued_most;
    struct lab_latch latch;
    int unreleased; /* number of streams, events and latches that have not been released */
    size_t logged;
    char log[LOG_MAX]; /* what happened, in order, a letter for each: w work, b baseline, p poison, v verify,
                         * h before_sample, f flush */
} script;

void record(char what);

void run_for(struct lab_stream *stream, double seconds);

/* --- the device --------------------------------------------------------------------------------------------------- */

bool stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event);

extern const struct lab_runtime scripted;

/* --- the work and its baseline ------------------------------------------------------------------------------------ */

bool enqueue(void *context);
bool enqueue_baseline(void *context);
bool load(void *context);
bool before_sample(void *context);
bool poison(void *context);
bool verify(void *context, uint64_t *wrong);

/* --- one run ------------------------------------------------------------------------------------------------------ */

struct fixture {
    struct lab_run run;
    struct lab_parameters *parameters;
    struct lab_measurer *measurer;
    struct lab_work work, baseline; /* `work` has no baseline until a test sets work.baseline */
};

extern const struct lab_lane lanes[];
extern const struct lab_lane baseline_lane;

/* Opens a run of `points` points with the parameters of a request. */
void open_points(struct fixture *f, const char *parameters, size_t points);
void open_fixture(struct fixture *f, const char *parameters);
void close_fixture(struct fixture *f);

#endif
