/* gpulab's side of a comparison with a plain loop. */
#include "plain_side.h"

#include "cuda/cuda.h"
#include "descriptor/parameters.h"
#include "measure/clock.h"
#include "measure/statistics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const atomic_bool never;

_Noreturn void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    exit(2);
}

void must(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        fail(what, cudaGetErrorString(status));
}

void must_lab(const struct lab_device *device, bool good, const char *what)
{
    if (!good)
        fail(what, device->error.detail);
}

double median(const double *values, size_t count)
{
    struct lab_summary summary;
    if (!lab_summarise(values, count, &summary))
        fail("median", "out of memory");
    return summary.median;
}

/* The mean time of `once` in about `window_s`. */
static struct lab_running_statistics window(void (*once)(const void *context), const void *context, double window_s)
{
    struct lab_running_statistics times = {0};
    for (double end_s = lab_now_s() + window_s; lab_now_s() < end_s;) {
        double start_s = lab_now_s();
        once(context);
        lab_running_statistics_add(&times, lab_now_s() - start_s);
    }
    return times;
}

void settle(void (*once)(const void *context), const void *context, double settle_s)
{
    double end_s = lab_now_s() + 10 * settle_s;
    struct lab_running_statistics before = window(once, context, settle_s / 2), now;
    do {
        now = window(once, context, settle_s / 2);
        if (lab_means_agree(&before, &now, 0.01))
            return;
        before = now;
    } while (lab_now_s() < end_s);
}

bool lab_side_open(struct plain_side *side)
{
    struct lab_error error = {0};
    const struct lab_runtime_options options = {0};
    *side = (struct plain_side){.runtime = &lab_cuda_runtime};
    if (!side->runtime->start(&options, &error)) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, error.detail);
        return false;
    }
    side->device = side->runtime->open(0, &error);
    if (side->device == NULL)
        fail("open", error.detail);
    side->stream = side->runtime->stream_create(side->device);
    must_lab(side->device, side->stream != NULL, "stream");
    return true;
}

void lab_side_prepare(struct plain_side *side, const char *experiment, size_t points, size_t samples, double settle_s)
{
    struct lab_errors errors = {0};
    json_t *given = json_pack("{s:I, s:I, s:f, s:f}", "min_samples", (json_int_t)samples, "max_samples",
                              (json_int_t)samples, "settle_s", settle_s, "time_budget_s", 3600.0);
    side->parameters = lab_parameters_parse(lab_experiment_find(experiment), given, &errors);
    json_decref(given);
    if (side->parameters == NULL)
        fail("parameters", errors.items[0].detail);
    side->run = (struct lab_run){.parameters = side->parameters,
                                 .device_count = 1,
                                 .devices = {side->device},
                                 .numa_node = LAB_UNKNOWN,
                                 .cancel = &never};
    side->measurer = lab_measurer_create(&side->run, points);
    if (side->measurer == NULL)
        fail("measurer", side->run.error.detail);
}

void lab_side_close(struct plain_side *side)
{
    if (side->measurer != NULL)
        lab_measurer_free(side->measurer);
    lab_parameters_free(side->parameters);
    side->runtime->stream_free(side->device, side->stream);
    side->runtime->close(side->device);
    side->runtime->stop();
}

void lab_side_perform(struct plain_side *side, struct lab_plan *plan, const char *what)
{
    must_lab(side->device,
             plan != NULL && side->runtime->enqueue(side->device, plan, side->stream) &&
                 side->runtime->stream_synchronize(side->device, side->stream),
             what);
    side->runtime->plan_free(side->device, plan);
}

void *lab_side_allocate(struct plain_side *side, size_t bytes)
{
    void *memory = NULL;
    must_lab(side->device, side->runtime->allocate(side->device, LAB_MEMORY_DEVICE, bytes, &memory), "memory");
    return memory;
}

double lab_side_time(struct plain_side *side, const struct lab_work *work)
{
    struct lab_outcome outcome;
    struct lab_work sustained = *work;
    sustained.sustained =
        true; /* otherwise a pause would precede each sample of an experiment that has the parameter load */
    if (!lab_measure(side->measurer, &sustained, &outcome))
        fail("measuring", side->run.error.detail);
    if (outcome.unmeasurable != NULL)
        fail("measuring", outcome.unmeasurable);
    return median(outcome.samples, outcome.count);
}
