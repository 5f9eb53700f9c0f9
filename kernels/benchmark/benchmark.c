/* Runs a benchmark: prepares the workload of a point as a case of the loop. */
#include "benchmark/benchmark.h"

#include "benchmark/copies.h"
#include "benchmark/kernels.h"
#include "benchmark/loop.h"
#include "experiment/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_benchmark_state {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_benchmark *benchmark;
    struct lab_lane lanes[LAB_COPIES_MAX]; /* kernels run on the first one */
    struct lab_kernels kernels;
    struct lab_copies copies;
    struct lab_buffers buffers;
    struct lab_fitting fitting;
    struct lab_workload workload;    /* of the current point */
    const struct lab_metric *metric; /* its main metric */
};

/* --- open and close ----------------------------------------------------------------------------------------------- */

static bool fail(struct lab_benchmark_state *s)
{
    s->run->error = s->device->error;
    return false;
}

static bool create_streams(struct lab_benchmark_state *s)
{
    for (size_t i = 0; i < LAB_COPIES_MAX; i++) {
        struct lab_stream *stream = s->device->runtime->stream_create(s->device);
        s->lanes[i] = (struct lab_lane){s->device, stream};
        s->copies.streams[i] = stream;
        if (stream == NULL)
            return false;
    }
    s->buffers.stream = s->lanes[0].stream;
    return true;
}

struct lab_benchmark_state *lab_benchmark_open(struct lab_run *run, const struct lab_benchmark *benchmark)
{
    struct lab_benchmark_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        lab_error_set(&run->error, "out-of-memory", "", "out of memory for the state of a benchmark");
        return NULL;
    }
    s->run = run;
    s->device = s->copies.device = s->buffers.device = run->devices[0];
    s->benchmark = benchmark;
    s->buffers.seed = (uint64_t)lab_parameter_integer(run->parameters, "seed");
    if (create_streams(s) && lab_kernels_open(&s->kernels, s->device, benchmark->image)) {
        s->buffers.module = s->kernels.module;
        return s;
    }
    fail(s);
    lab_benchmark_close(s);
    return NULL;
}

void lab_benchmark_close(struct lab_benchmark_state *s)
{
    if (s == NULL)
        return;
    lab_buffers_release(&s->buffers);
    lab_kernels_close(&s->kernels);
    for (size_t i = 0; i < LAB_COPIES_MAX; i++)
        s->device->runtime->stream_release(s->device, s->lanes[i].stream);
    free(s);
}

/* --- the work of a point ------------------------------------------------------------------------------------------ */

static bool enqueue_kernel(void *context)
{
    struct lab_benchmark_state *s = context;
    return lab_kernels_enqueue(&s->kernels, s->lanes[0].stream);
}

static bool enqueue_copies(void *context)
{
    return lab_copies_enqueue(&((struct lab_benchmark_state *)context)->copies);
}

static bool enqueue_background(void *context)
{
    return lab_copies_enqueue_background(&((struct lab_benchmark_state *)context)->copies);
}

static bool poison(void *context)
{
    return lab_buffers_poison(&((struct lab_benchmark_state *)context)->buffers);
}

static bool verify_kernel(void *context, uint64_t *wrong)
{
    struct lab_benchmark_state *s = context;
    return lab_kernels_check(&s->kernels, s->lanes[0].stream, wrong);
}

static bool verify_copies(void *context, uint64_t *wrong)
{
    return lab_copies_check(&((struct lab_benchmark_state *)context)->copies, wrong);
}

static struct lab_work kernel_work(struct lab_benchmark_state *s)
{
    return (struct lab_work){.timing = LAB_TIME_LATCHED,
                             .lane_count = 1,
                             .lanes = s->lanes,
                             .operations = s->workload.step_count,
                             .compute = true,
                             .context = s,
                             .enqueue = enqueue_kernel,
                             .poison = poison,
                             .verify = s->workload.check.kernel != NULL ? verify_kernel : NULL,
                             .accumulates = s->workload.check.accumulates};
}

static struct lab_work copies_work(struct lab_benchmark_state *s)
{
    size_t measured = lab_copies_measured(&s->workload);
    return (struct lab_work){.timing = lab_copies_timing(&s->workload),
                             .lane_count = measured,
                             .lanes = s->lanes,
                             .operations = measured,
                             .context = s,
                             .enqueue = enqueue_copies,
                             .poison = poison,
                             .verify = verify_copies,
                             .background = s->workload.background ? s->lanes[1].stream : NULL,
                             .load = s->workload.background ? enqueue_background : NULL};
}

/* --- the case of a point ------------------------------------------------------------------------------------------ */

static bool counts_bytes(const struct lab_metric *metric)
{
    return metric->counter == LAB_COUNT_BYTES || metric->counter == LAB_COUNT_AGGREGATE_BYTES;
}

static const struct lab_metric *main_metric(const struct lab_experiment *experiment,
                                            const struct lab_workload *workload)
{
    for (const struct lab_metric *m = experiment->metrics; m->name != NULL; m++)
        if (workload->counts[m->counter] > 0)
            return m;
    return experiment->metrics;
}

/* Work on buffers that fit in the last-level cache is not compared with the peak of the memory (METHOD.md 7). */
static void set_memory_peak(const struct lab_benchmark_state *s, struct lab_case *c)
{
    const struct lab_device_facts *facts = &s->device->facts;
    size_t bytes = lab_workload_bytes(&s->workload, true);
    if (facts->l2_bytes != LAB_UNKNOWN && bytes <= (size_t)facts->l2_bytes)
        lab_loop_warn_of_cache(s->run, s->device, bytes);
    else
        c->peak = (struct lab_peak){facts->memory_peak_bytes_per_s / 1e9, "device memory"};
}

static void set_peak(const struct lab_benchmark_state *s, struct lab_case *c)
{
    if (s->workload.peak.what != NULL)
        c->peak = s->workload.peak;
    else if (counts_bytes(s->metric) && c->host_memory)
        c->peak = lab_link_peak(&s->device->facts, lab_copies_measured(&s->workload) == 2, c->peak_text);
    else if (counts_bytes(s->metric))
        set_memory_peak(s, c);
}

/* Describes the point, and sets all that its workload determines without the device. */
static void describe(struct lab_benchmark_state *s, const struct lab_point *point, struct lab_case *c)
{
    s->workload = (struct lab_workload){0};
    s->benchmark->describe(s->run->parameters, &s->device->facts, point, &s->workload);
    s->metric = main_metric(s->run->experiment, &s->workload);
    c->metric = s->metric->name;
    c->host_memory = lab_workload_bytes(&s->workload, false) > 0;
    memcpy(c->counts, s->workload.counts, sizeof c->counts);
    snprintf(c->skipped, sizeof c->skipped, "%s",
             s->workload.step_count > 0 && s->kernels.module == NULL ? s->kernels.refusal : s->workload.skipped);
}

static bool prepare(struct lab_benchmark_state *s)
{
    return lab_buffers_prepare(&s->buffers, &s->workload) &&
           (s->workload.step_count > 0 ? lab_kernels_begin(&s->kernels, &s->buffers)
                                       : lab_copies_begin(&s->copies, &s->buffers));
}

bool lab_benchmark_begin(struct lab_benchmark_state *s, const struct lab_point *point, struct lab_case *c)
{
    describe(s, point, c);
    if (c->skipped[0] != '\0')
        return true;
    if (!prepare(s))
        return fail(s);
    set_peak(s, c);
    c->kernel = s->kernels.record.name != NULL ? &s->kernels.record : NULL;
    c->work = s->workload.step_count > 0 ? kernel_work(s) : copies_work(s);
    return true;
}

void lab_benchmark_end(struct lab_benchmark_state *s)
{
    lab_kernels_end(&s->kernels);
    lab_copies_end(&s->copies);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct lab_benchmark_state *s = context;
    lab_fitting_begin(&s->fitting, point);
    return lab_benchmark_begin(s, point, c);
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct lab_benchmark_state *s = context;
    const struct lab_report figures = {.run = report->run, .point = report->point};
    if (s->workload.check.error != NULL && report->outcome->verified_known &&
        !lab_report_value(&figures, s->workload.check.error, s->kernels.error))
        return false;
    for (size_t i = 0; i < s->workload.figure_count; i++)
        if (!lab_report_value(&figures, s->workload.figures[i].metric, s->workload.figures[i].value))
            return false;
    return lab_fitting_add(&s->fitting, report, c->counts[s->metric->counter]);
}

static void end(void *context)
{
    lab_benchmark_end(context);
}

bool lab_benchmark_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end};
    struct lab_benchmark_state *s = lab_benchmark_open(run, run->experiment->benchmark);
    if (s == NULL)
        return false;
    s->fitting = lab_fitting_create(run, run->experiment->benchmark->fit);
    bool good = lab_loop_run(run, &loop, s);
    if (good)
        lab_fitting_end(&s->fitting);
    lab_fitting_release(&s->fitting);
    lab_benchmark_close(s);
    return good;
}
