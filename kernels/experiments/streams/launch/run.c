/* The ways to launch kernels and to wait for them: the work of each variant, and the time of the calls alone. */
#include "launch.h"

#include "benchmark/benchmark.h"
#include "benchmark/loop.h"
#include "benchmark/series.h"
#include "measure/clock.h"

#include <stdio.h>

enum { CALLS = 256 }; /* that a sample of enqueue_time has at least */

struct launch {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_benchmark_state *kernels; /* the kernel, its counter and the check of the counter */
    struct lab_event *event;
    /* of the current point */
    struct lab_work kernel; /* one launch */
    struct lab_stream *stream;
    size_t launches; /* of a repetition of the variants stream and graph */
    struct lab_graph *graph;
    double polls, polled; /* event queries so far, and the launches after which they were made */
    double enqueue_time[LAB_SERIES_MAX];
};

// region launch
static bool launch(struct launch *l)
{
    return l->kernel.enqueue(l->kernel.context);
}
// end

// region synchronize
static bool synchronize(struct launch *l)
{
    return l->runtime->stream_synchronize(l->device, l->stream);
}
// end

static bool record(struct launch *l)
{
    return l->runtime->event_record(l->device, l->event, l->stream);
}

/* --- one operation of the variants that wait after each ----------------------------------------------------------- */

// region event
static bool wait_for_event(struct launch *l)
{
    return record(l) && l->runtime->event_synchronize(l->device, l->event);
}
// end

// region launch-synchronize
static bool launch_and_synchronize(struct launch *l)
{
    return launch(l) && synchronize(l);
}
// end

// region launch-event
static bool launch_and_wait(struct launch *l)
{
    return launch(l) && wait_for_event(l);
}
// end

// region launch-poll
static bool launch_and_poll(struct launch *l)
{
    bool passed = false;
    if (!launch(l) || !record(l))
        return false;
    for (l->polled++; l->runtime->event_query(l->device, l->event, &passed); l->polls++)
        if (passed)
            return true;
    return false;
}
// end

/* --- repetitions -------------------------------------------------------------------------------------------------- */

static bool repeat(struct launch *l, bool (*operation)(struct launch *l), size_t times)
{
    for (size_t i = 0; i < times; i++)
        if (!operation(l))
            return false;
    return true;
}

/* The stream is synchronised once more at the end of each repetition, as after all work that is timed by the host's
 * clock. */
static bool repeat_synchronize(void *context)
{
    return repeat(context, synchronize, LAUNCH_OPERATIONS - 1);
}

static bool repeat_event(void *context)
{
    return repeat(context, wait_for_event, LAUNCH_OPERATIONS);
}

static bool repeat_launch_synchronize(void *context)
{
    struct launch *l = context;
    return repeat(l, launch_and_synchronize, LAUNCH_OPERATIONS - 1) && launch(l);
}

static bool repeat_launch_event(void *context)
{
    return repeat(context, launch_and_wait, LAUNCH_OPERATIONS);
}

static bool repeat_launch_poll(void *context)
{
    return repeat(context, launch_and_poll, LAUNCH_OPERATIONS);
}

// region stream
static bool launch_all(void *context)
{
    struct launch *l = context;
    return repeat(l, launch, l->launches);
}
// end

// region graph
static bool launch_graph(void *context)
{
    struct launch *l = context;
    return l->runtime->graph->launch(l->device, l->graph, l->stream);
}

/* Records the launches as a graph. A failed recording is ended too, with the error of the launch. */
static bool record_graph(struct launch *l, const struct lab_runtime_graph *graph)
{
    if (!graph->begin(l->device, l->stream))
        return false;
    bool recorded = launch_all(l);
    struct lab_error error = l->device->error;
    l->graph = graph->end(l->device, l->stream);
    if (!recorded)
        l->device->error = error;
    return recorded && l->graph != NULL;
}
// end

static bool poison(void *context)
{
    const struct launch *l = context;
    return l->kernel.poison(l->kernel.context);
}

static bool verify(void *context, uint64_t *wrong)
{
    const struct launch *l = context;
    return l->kernel.verify(l->kernel.context, wrong);
}

/* --- the case of a point ------------------------------------------------------------------------------------------ */

/* The work of a variant that is timed by the host's clock, with one wait at the end of a repetition. */
static struct lab_work host_work(struct launch *l, bool (*enqueue)(void *context))
{
    return (struct lab_work){.timing = LAB_TIME_HOST_CLOCK,
                             .lane_count = 1,
                             .lanes = l->kernel.lanes,
                             .context = l,
                             .enqueue = enqueue,
                             .poison = poison,
                             .verify = verify,
                             .accumulates = true,
                             .cacheless = true};
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    static bool (*const repetitions[])(void *context) = {
        [LAUNCH_SYNCHRONIZE] = repeat_synchronize,
        [LAUNCH_EVENT] = repeat_event,
        [LAUNCH_LAUNCH_SYNCHRONIZE] = repeat_launch_synchronize,
        [LAUNCH_LAUNCH_EVENT] = repeat_launch_event,
        [LAUNCH_LAUNCH_POLL] = repeat_launch_poll,
        [LAUNCH_STREAM] = launch_all,
        [LAUNCH_GRAPH] = launch_graph,
    };
    struct launch *l = context;
    int64_t variant = point->values[LAUNCH_AXIS_VARIANT];
    if (!lab_benchmark_begin(l->kernels, point, c))
        return false;
    if (c->skipped[0] != '\0')
        return true;
    l->kernel = c->work;
    l->stream = c->work.lanes[0].stream;
    l->launches = (size_t)c->counts[LAB_COUNT_STEPS];
    l->polls = l->polled = 0;
    c->work.compute = false;
    c->work.cacheless = true;
    if (variant != LAUNCH_QUEUED)
        c->work = host_work(l, repetitions[variant]);
    if (variant != LAUNCH_GRAPH)
        return true;
    if (l->runtime->graph != NULL)
        return lab_run_forward_error(l->run, l->device, record_graph(l, l->runtime->graph));
    snprintf(c->skipped, sizeof c->skipped, "this device's runtime does not support graphs");
    return true;
}

static void end(void *context)
{
    struct launch *l = context;
    if (l->graph != NULL)
        l->runtime->graph->free(l->device, l->graph);
    l->graph = NULL;
    lab_benchmark_end(l->kernels);
}

/* --- the time of the calls ---------------------------------------------------------------------------------------- */

static bool time_calls(struct launch *l, double *seconds)
{
    size_t repetitions = (CALLS + l->launches - 1) / l->launches;
    *seconds = 0;
    for (size_t i = 0; i < repetitions; i++) {
        double start = lab_now_s();
        if (!(l->graph != NULL ? launch_graph(l) : launch_all(l)))
            return false;
        *seconds += lab_now_s() - start;
        if (!synchronize(l))
            return false;
    }
    *seconds /= (double)(repetitions * l->launches);
    return true;
}

static bool take_calls(void *context, size_t index)
{
    struct launch *l = context;
    return lab_run_forward_error(l->run, l->device, time_calls(l, &l->enqueue_time[index]));
}

static bool report_calls(struct launch *l, const struct lab_case *c, const struct lab_report *report)
{
    struct lab_series series;
    if (!lab_series_take(l->run, c->measurer, take_calls, l, &series))
        return false;
    if (series.skipped == NULL)
        return lab_report_samples(report, "enqueue_time", l->enqueue_time, series.count, series.stop_reason);
    lab_report_skipped(report, "enqueue_time", series.skipped);
    return true;
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct launch *l = context;
    const struct lab_report besides = {.run = report->run, .point = report->point};
    int64_t variant = report->point->values[LAUNCH_AXIS_VARIANT];
    if (variant == LAUNCH_STREAM || variant == LAUNCH_GRAPH)
        return report_calls(l, c, &besides);
    return variant != LAUNCH_LAUNCH_POLL || lab_report_value(&besides, "polls", l->polls / l->polled);
}

static bool renew(void *context)
{
    lab_benchmark_renew(((struct launch *)context)->kernels);
    return true;
}

bool launch_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end, .renew = renew};
    struct lab_device *device = run->devices[0];
    struct launch l = {.run = run, .device = device, .runtime = device->runtime};
    l.kernels = lab_benchmark_open(run, run->devices[0], run->experiment->benchmark);
    if (l.kernels == NULL)
        return false;
    l.event = l.runtime->event_create(device);
    bool good = lab_run_forward_error(run, device, l.event != NULL) && lab_loop_run(run, &loop, &l);
    l.runtime->event_free(device, l.event);
    lab_benchmark_close(l.kernels);
    return good;
}
