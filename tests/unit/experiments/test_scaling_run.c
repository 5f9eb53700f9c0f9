/* kernels/experiments/multi_gpu/scaling: metrics computed from times, and what whole runs on one to three devices
 * report, skip, count as wrong and trace.
 */
#include "experiments/multi_gpu/scaling/job.h"
#include "support/plan_harness.h"
#include "support/test.h"
#include "support/three_devices.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

AROUND_EACH_TEST(.setup = open_devices, .teardown = close_devices)

/* --- collected reports -------------------------------------------------------------------------------------------- */

struct found {
    char metric[16], phase[8];
    int64_t device_count, device;
    double median;
    size_t samples;
    bool skipped, verified;
    uint64_t wrong;
};

enum { FOUND_MAX = 512 };

static struct found found[FOUND_MAX];
static size_t found_count, warnings, notes, progress_done, progress_total, cancel_at;

struct seen_span {
    char lane[16], kind[16];
    int64_t device_count;
};

static struct seen_span spans[FOUND_MAX];
static size_t span_count;

static const struct lab_coordinate *axis_of(const struct lab_axes *axes, const char *name)
{
    for (size_t i = 0; i < axes->count; i++)
        if (strcmp(axes->items[i].axis, name) == 0)
            return &axes->items[i];
    return NULL;
}

static void take_measurement(void *context, const struct lab_measurement *m)
{
    (void)context;
    const struct lab_coordinate *device = axis_of(&m->axes, "device"), *phase = axis_of(&m->axes, "phase");
    assert_true(found_count < FOUND_MAX);
    struct found *f = &found[found_count++];
    *f = (struct found){.device_count = axis_of(&m->axes, "device_count")->number,
                        .device = device != NULL ? device->number : 0,
                        .median = m->summary.median,
                        .samples = m->sample_count,
                        .skipped = m->skipped != NULL,
                        .verified = m->verified_known && m->verified,
                        .wrong = m->wrong};
    snprintf(f->metric, sizeof f->metric, "%s", m->metric);
    snprintf(f->phase, sizeof f->phase, "%s", phase != NULL ? phase->text : "");
}

static void take_span(void *context, const struct lab_span *span)
{
    (void)context;
    assert_true(span->start_ns >= 0 && span->end_ns >= span->start_ns && strlen(span->label) > 0);
    assert_true(span_count < FOUND_MAX);
    struct seen_span *seen = &spans[span_count++];
    seen->device_count = axis_of(span->axes, "device_count")->number;
    snprintf(seen->lane, sizeof seen->lane, "%s", span->lane);
    snprintf(seen->kind, sizeof seen->kind, "%s", span->kind);
}

static void take_progress(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    (void)label;
    progress_done = done;
    progress_total = total;
    if (cancel_at > 0 && done == cancel_at)
        atomic_store(&cancel, true);
}

static void take_warning(void *context, const char *text)
{
    (void)context;
    assert_true(strlen(text) > 0);
    warnings++;
}

static void take_note(void *context, const char *text)
{
    (void)context;
    assert_true(strlen(text) > 0);
    notes++;
}

static const struct lab_sink sink = {.measurement = take_measurement,
                                     .span = take_span,
                                     .progress = take_progress,
                                     .warning = take_warning,
                                     .note = take_note};

static void reset(void)
{
    found_count = span_count = warnings = notes = cancel_at = 0;
    atomic_store(&cancel, false);
}

/* Counts the measurements of a metric on `device_count` devices; stores the last of them in *last. */
static size_t find(const char *metric, int64_t device_count, const struct found **last)
{
    size_t count = 0;
    for (size_t i = 0; i < found_count; i++)
        if (strcmp(found[i].metric, metric) == 0 && found[i].device_count == device_count) {
            count++;
            if (last != NULL)
                *last = &found[i];
        }
    return count;
}

static double median_of(const char *metric, int64_t device_count)
{
    const struct found *last = NULL;
    assert_int_equal(find(metric, device_count, &last), 1);
    return last->median;
}

static void expect_near(double value, double wanted)
{
    if (!(fabs(value - wanted) < 1e-12))
        fail_msg("%.17g is not %.17g", value, wanted);
}

TEST(imbalance_compares_the_longest_busy_time_with_the_mean)
{
    const double even[][SCALING_PHASES] = {{1, 1, 1}, {1, 1, 1}};
    const double uneven[][SCALING_PHASES] = {{1, 2, 3}, {2, 3, 5}}; /* busy times 6 and 10, mean 8 */
    expect_near(scaling_imbalance(even, 2), 0);
    expect_near(scaling_imbalance(uneven, 2), 0.25);
}

TEST(weak_scaling_counts_the_work_of_all_devices)
{
    struct lab_point point = {.values = {[SCALING_AXIS_DEVICE_COUNT] = 4}};
    expect_near(scaling_speedup_factor(&point), 1);
    point.values[SCALING_AXIS_MODE] = SCALING_WEAK;
    expect_near(scaling_speedup_factor(&point), 4);
}

/* --- whole runs --------------------------------------------------------------------------------------------------- */

/* Runs the experiment on all devices with a small time budget; returns what run() returned. */
static bool run_whole(const char *text, bool tracing, struct lab_run *result)
{
    struct lab_parameters *parameters = parse("scaling", text);
    struct lab_run run = run_of(parameters);
    run.sink = sink;
    run.tracing = tracing;
    bool good = parameters->experiment->run(&run);
    lab_parameters_free(parameters);
    run.parameters = NULL;
    *result = run;
    return good;
}

#define SMALL "\"bytes\": 100000, \"min_samples\": 2, \"max_samples\": 3, \"settle_s\": 0, \"time_budget_s\": 600"

static void expect_every_device_count(const char *text)
{
    struct lab_run run;
    reset();
    if (!run_whole(text, false, &run))
        fail_msg("%s", run.error.detail);
    assert_false(run.any_wrong);
    assert_int_equal(progress_done, 3);
    assert_int_equal(progress_total, 3);
    for (int64_t count = 1; count <= DEVICES; count++) {
        const struct found *time = NULL;
        assert_int_equal(find("time", count, &time), 1);
        assert_true(time->verified && time->wrong == 0 && time->samples >= 2 && time->median > 0);
        const struct found *speedup = NULL;
        assert_int_equal(find("speedup", count, &speedup), 1);
        assert_int_equal(speedup->samples, count > 1 ? time->samples : 0); /* one device is its own baseline */
        expect_near(median_of("efficiency", count), speedup->median / (double)count);
        assert_int_equal(find("phase_time", count, NULL), 3 * (size_t)count);
        assert_int_equal(find("imbalance", count, NULL), count > 1);
    }
    for (size_t i = 0; i < found_count; i++)
        assert_true(strcmp(found[i].metric, "phase_time") != 0 || (found[i].samples >= 3 && found[i].median > 0));
}

TEST(a_run_reports_every_number_of_devices)
{
    expect_every_device_count(
        "{\"kernel\": \"average\", \"scaling\": \"weak\", \"variant\": \"thread-per-device\", " SMALL "}");
    expect_every_device_count("{\"kernel\": \"pairs\", \"scaling\": \"strong\", \"weight\": 99, " SMALL "}");
}

/* Does not copy the last result of each part back. */
static bool copy_too_few_results(struct lab_device *device, struct lab_stream *stream, void *destination,
                                 const void *source, size_t bytes, enum lab_direction direction)
{
    return lab_host_runtime.copy(device, stream, destination, source, direction == LAB_D2H ? bytes - 4 : bytes,
                                 direction);
}

TEST(a_run_counts_wrong_results)
{
    struct lab_run run;
    changed = lab_host_runtime;
    changed.copy = copy_too_few_results;
    use_runtime(&changed);
    reset();
    bool good = run_whole("{\"kernel\": \"average\", \"scaling\": \"strong\", " SMALL "}", false, &run);
    use_runtime(&lab_host_runtime);
    assert_true(good);
    assert_true(run.any_wrong);
    for (int64_t count = 1; count <= DEVICES; count++) {
        const struct found *time = NULL;
        assert_int_equal(find("time", count, &time), 1);
        assert_false(time->verified);
        assert_int_equal(time->wrong, count);
    }
}

static struct lab_kernel *find_no_pairs(struct lab_device *device, struct lab_module *module, const char *name)
{
    if (strcmp(name, "pairs") != 0)
        return lab_host_runtime.module->kernel(device, module, name);
    lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "this device knows no pairs");
    return NULL;
}

TEST(points_with_an_unsupported_kernel_are_skipped)
{
    struct lab_run run;
    struct lab_runtime_module modules = *lab_host_runtime.module;
    modules.kernel = find_no_pairs;
    changed = lab_host_runtime;
    changed.module = &modules;
    use_runtime(&changed);
    for (int weight = 0; weight <= 5; weight += 5) {
        char text[256];
        snprintf(text, sizeof text, "{\"scaling\": \"strong\", \"weight\": %d, " SMALL "}", weight);
        reset();
        bool good = run_whole(text, false, &run);
        if (!good)
            fail_msg("%s", run.error.detail);
        for (int64_t count = 1; count <= DEVICES; count++)
            assert_int_equal(find("time", count, NULL), 2);
        size_t skipped = 0;
        for (size_t i = 0; i < found_count; i++)
            skipped += found[i].skipped;
        assert_int_equal(skipped, 3);
        assert_int_equal(find("speedup", 1, NULL), 1);
    }
    use_runtime(&lab_host_runtime);
}

TEST(a_run_ends_when_it_is_cancelled)
{
    struct lab_run run;
    for (size_t at = 0; at <= 2; at++) {
        reset();
        if (at == 0)
            atomic_store(&cancel, true);
        cancel_at = at;
        assert_false(
            run_whole("{\"kernel\": \"average\", \"scaling\": [\"strong\", \"weak\"], " SMALL "}", false, &run));
        assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
        for (int64_t count = 1; count <= DEVICES; count++)
            assert_int_equal(find("time", count, NULL), count <= (int64_t)at);
    }
    /* a traced run is cancelled as well */
    reset();
    atomic_store(&cancel, true);
    assert_false(run_whole("{\"kernel\": \"average\", " SMALL "}", true, &run));
    assert_int_equal(run.error.code, LAB_ERROR_CANCELLED);
    assert_int_equal(span_count, 0);
    reset();
}

TEST(a_traced_run_has_a_lane_for_each_device)
{
    struct lab_run run;
    reset();
    if (!run_whole("{\"kernel\": \"average\", \"scaling\": \"weak\", " SMALL "}", true, &run))
        fail_msg("%s", run.error.detail);
    assert_int_equal(found_count, 0);
    assert_int_equal(warnings, 0);
    for (int64_t count = 1; count <= DEVICES; count++)
        for (int64_t device = 1; device <= count; device++) {
            char lane[16];
            size_t ups = 0, kernels = 0, downs = 0;
            snprintf(lane, sizeof lane, "device %d", (int)device);
            for (size_t i = 0; i < span_count; i++)
                if (spans[i].device_count == count && strcmp(spans[i].lane, lane) == 0) {
                    ups += strcmp(spans[i].kind, "copy-up") == 0;
                    kernels += strcmp(spans[i].kind, "compute") == 0;
                    downs += strcmp(spans[i].kind, "copy-down") == 0;
                }
            assert_int_equal(ups, 2);
            assert_int_equal(kernels, 1);
            assert_int_equal(downs, 1);
        }
    assert_int_equal(span_count, (1 + 2 + 3) * 4);
}
