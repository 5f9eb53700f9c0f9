/* Shared by the tests of kernels/measure/measure.c: a device whose operations take scripted times on a simulated clock, so
 * that every reason to stop and every kind of invalid sample can be produced at any speed of the machine.
 */
#ifndef LAB_TEST_MEASURE_HARNESS_H
#define LAB_TEST_MEASURE_HARNESS_H

#include "experiment/parameters.h"
#include "measure/measure.h"
#include "measure/sampling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
static struct script {
    struct lab_device device;
    struct lab_stream work_streams[STREAMS], baseline_stream, background;
    double now_s, slept_s;          /* the simulated clock, and the part of its time that was slept */
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

static inline void record(char what)
{
    if (script.logged < LOG_MAX - 1)
        script.log[script.logged++] = what;
}

/* --- the simulated clock, which replaces kernels/measure/clock.c -------------------------------------------------- */

double lab_now_s(void)
{
    return script.now_s;
}

void lab_sleep_s(double seconds)
{
    script.now_s += fmax(seconds, 0);
    script.slept_s += fmax(seconds, 0);
}

/* The earliest time at which work that is enqueued now can start. Behind a latch this is the time of closing it, so that
 * the work has no gaps. */
static inline double earliest_start(const struct lab_stream *stream)
{
    return fmax(stream->time, script.latch.closed ? script.latch.closed_at : script.now_s);
}

static inline void run_for(struct lab_stream *stream, double seconds)
{
    stream->time = earliest_start(stream) + seconds;
    stream->queued++;
}

/* --- the device --------------------------------------------------------------------------------------------------- */

static struct lab_stream *stream_create(struct lab_device *device)
{
    (void)device;
    script.unreleased++;
    return calloc(1, sizeof(struct lab_stream));
}

static void stream_free(struct lab_device *device, struct lab_stream *stream)
{
    (void)device;
    script.unreleased -= stream != NULL;
    free(stream);
}

static bool stream_synchronize(struct lab_device *device, struct lab_stream *stream)
{
    (void)device;
    assert_false(script.latch.closed); /* waiting behind a closed latch would deadlock */
    if (stream->queued > script.queued_most)
        script.queued_most = stream->queued;
    stream->queued = 0;
    script.now_s = fmax(script.now_s, stream->time);
    return true;
}

static bool stream_wait(struct lab_device *device, struct lab_stream *stream, struct lab_event *event)
{
    (void)device;
    stream->time = fmax(stream->time, event->time);
    return true;
}

static struct lab_event *event_create(struct lab_device *device)
{
    (void)device;
    script.unreleased++;
    return calloc(1, sizeof(struct lab_event));
}

static void event_free(struct lab_device *device, struct lab_event *event)
{
    (void)device;
    script.unreleased -= event != NULL;
    free(event);
}

static bool event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream)
{
    (void)device;
    event->time = earliest_start(stream);
    return true;
}

static bool event_synchronize(struct lab_device *device, struct lab_event *event)
{
    (void)device;
    script.now_s = fmax(script.now_s, event->time);
    return true;
}

static bool event_query(struct lab_device *device, struct lab_event *event, bool *passed)
{
    (void)device;
    *passed = event->time <= script.now_s;
    return true;
}

static bool event_elapsed(struct lab_device *device, struct lab_event *start, struct lab_event *stop, double *seconds)
{
    (void)device;
    *seconds = stop->time - start->time;
    return true;
}

static struct lab_latch *latch_create(struct lab_device *device)
{
    (void)device;
    script.unreleased++;
    return &script.latch;
}

static void latch_free(struct lab_device *device, struct lab_latch *latch)
{
    (void)device;
    script.unreleased -= latch != NULL;
}

static bool latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream, double timeout_s)
{
    (void)device;
    (void)stream;
    assert_true(timeout_s > 0);
    assert_true(script.enqueued + script.baseline_enqueued > 0); /* the work has run once before a latch is closed */
    script.behind_latch = 0;
    *latch = (struct lab_latch){true, false, script.now_s, timeout_s};
    script.latched++;
    return true;
}

static void latch_open(struct lab_device *device, struct lab_latch *latch)
{
    (void)device;
    latch->closed = false;
}

static bool latch_timed_out(struct lab_device *device, struct lab_latch *latch, bool *timed_out)
{
    (void)device;
    *timed_out = script.latch_times_out || latch->timed_out;
    return true;
}

static struct lab_plan *prepare(struct lab_device *device, const struct lab_operation *operation)
{
    if (operation->kind != LAB_OPERATION_FLUSH || script.cannot_flush) {
        lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "the caches cannot be flushed");
        return NULL;
    }
    script.unreleased++;
    return (struct lab_plan *)&script;
}

static void plan_free(struct lab_device *device, struct lab_plan *plan)
{
    (void)device;
    script.unreleased -= plan != NULL;
}

static bool enqueue_flush(struct lab_device *device, struct lab_plan *plan, struct lab_stream *stream)
{
    (void)device;
    assert_ptr_equal(plan, &script);
    record('f');
    run_for(stream, script.flush_s);
    return true;
}

static const struct lab_runtime scripted = {
    .name = "scripted",
    .stream_create = stream_create,
    .stream_free = stream_free,
    .stream_synchronize = stream_synchronize,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_free = event_free,
    .event_record = event_record,
    .event_synchronize = event_synchronize,
    .event_query = event_query,
    .event_elapsed = event_elapsed,
    .latch_create = latch_create,
    .latch_free = latch_free,
    .latch_close = latch_close,
    .latch_open = latch_open,
    .latch_timed_out = latch_timed_out,
    .prepare = prepare,
    .plan_free = plan_free,
    .enqueue = enqueue_flush,
};

static inline void count_behind_latch(void)
{
    script.behind_latch += script.latch.closed;
    if (script.behind_latch > script.behind_latch_most)
        script.behind_latch_most = script.behind_latch;
}

/* --- the work and its baseline ------------------------------------------------------------------------------------ */

static inline bool enqueue(void *context)
{
    (void)context;
    double factor = 1 + (script.enqueued % 2 == 0 ? script.spread : -script.spread);
    double seconds = script.operation_time != NULL ? script.operation_time() : script.operation_s;
    record('w');
    script.enqueued++;
    count_behind_latch();
    script.now_s += script.enqueue_s;
    if (script.blocks && script.latch.closed && !script.latch.timed_out) {
        script.now_s += script.latch.timeout_s;
        script.latch.timed_out = true;
    }
    if (script.fail_after != 0 && script.enqueued > script.fail_after)
        return lab_error_set(&script.device.error, LAB_ERROR_CUDA_ERROR, "", "as the script says");
    if (script.cancel_after != 0 && script.enqueued > script.cancel_after)
        atomic_store(&script.cancel, true);
    for (size_t i = 0; i < STREAMS; i++)
        run_for(&script.work_streams[i], seconds * factor);
    return true;
}

static inline bool enqueue_baseline(void *context)
{
    (void)context;
    record('b');
    script.baseline_enqueued++;
    run_for(&script.baseline_stream, script.baseline_s);
    return true;
}

static inline bool load(void *context)
{
    (void)context;
    script.loaded++;
    count_behind_latch();
    run_for(&script.background, script.load_s);
    return true;
}

static inline bool before_sample(void *context)
{
    (void)context;
    record('h');
    run_for(&script.work_streams[0], 1e-3);
    return true;
}

static inline bool poison(void *context)
{
    (void)context;
    record('p');
    script.poisoned++;
    script.now_s += script.poison_s;
    return true;
}

static inline bool verify(void *context, uint64_t *wrong)
{
    (void)context;
    record('v');
    script.verified++;
    script.now_s += script.verify_s;
    *wrong = script.verify_wrong ? 3 : 0;
    return true;
}

/* --- one run ------------------------------------------------------------------------------------------------------ */

struct fixture {
    struct lab_run run;
    struct lab_parameters *parameters;
    struct lab_measurer *measurer;
    struct lab_work work, baseline; /* `work` has no baseline until a test sets work.baseline */
};

static const struct lab_lane lanes[] = {{&script.device, &script.work_streams[0]},
                                        {&script.device, &script.work_streams[1]}};
static const struct lab_lane baseline_lane = {&script.device, &script.baseline_stream};

/* Opens a run of `points` points with the parameters of a request. */
static inline void open_points(struct fixture *f, const char *parameters, size_t points)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(parameters, 0, NULL);
    memset(&script, 0, sizeof script);
    script.operation_s = script.load_s = 10e-6;
    script.baseline_s = 20e-6;
    script.device.runtime = &scripted;
    *f = (struct fixture){0};
    f->parameters = lab_parameters_parse(lab_experiment_find("transfer"), given, &errors);
    assert_non_null(f->parameters);
    json_decref(given);
    f->run = (struct lab_run){
        .parameters = f->parameters, .device_count = 1, .devices = {&script.device}, .cancel = &script.cancel};
    f->measurer = lab_measurer_create(&f->run, points);
    assert_non_null(f->measurer);
    f->work = (struct lab_work){.timing = LAB_TIME_LATCHED,
                                .lane_count = 1,
                                .lanes = lanes,
                                .operations = 1,
                                .enqueue = enqueue,
                                .poison = poison,
                                .verify = verify};
    f->baseline = (struct lab_work){.timing = LAB_TIME_LATCHED,
                                    .lane_count = 1,
                                    .lanes = &baseline_lane,
                                    .operations = 1,
                                    .enqueue = enqueue_baseline};
}

static inline void open_fixture(struct fixture *f, const char *parameters)
{
    open_points(f, parameters, 1);
}

static inline void close_fixture(struct fixture *f)
{
    lab_measurer_free(f->measurer);
    lab_parameters_free(f->parameters);
    assert_int_equal(script.unreleased, 0);
}

#endif
