/* kernels/measure/measure.c on a fake device with scripted times: the test sets the time that each operation takes, so that
 * every reason to stop and every kind of invalid sample can be produced.
 */
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
#include <unistd.h>

#include <cmocka.h>

/* --- the fake device ---------------------------------------------------------------------------------------------- */

struct lab_stream {
    double time; /* the simulated time at which the work enqueued so far ends, in seconds */
    size_t queued;
};

struct lab_event {
    double time;
};

struct lab_latch {
    bool closed;
};

/* The script of the fake device, and counts of what happened. */
static struct script {
    struct lab_device device;
    struct lab_stream work_streams[2], background;
    double operation_s, load_s; /* simulated time of one operation, and of one repetition of the background load */
    unsigned sleep_us;          /* real time that each enqueue takes */
    double spread;              /* operations take this share of their time more and less, alternately */
    bool latch_times_out;
    size_t fail_after; /* number of enqueues until one fails; 0: none fails */
    bool verify_wrong;
    atomic_bool cancel;
    size_t cancel_after; /* number of enqueues until the run is cancelled; 0: it is not cancelled */

    size_t enqueued, loaded, poisoned, verified, latched, queued_most;
    bool poisoned_since; /* the destination was poisoned since the last verification */
    struct lab_latch latch;
    int unreleased; /* number of streams, events and latches that have not been released */
} script;

static struct lab_stream *stream_create(struct lab_device *device)
{
    (void)device;
    script.unreleased++;
    return calloc(1, sizeof(struct lab_stream));
}

static void stream_release(struct lab_device *device, struct lab_stream *stream)
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

static void event_release(struct lab_device *device, struct lab_event *event)
{
    (void)device;
    script.unreleased -= event != NULL;
    free(event);
}

static bool event_record(struct lab_device *device, struct lab_event *event, struct lab_stream *stream)
{
    (void)device;
    event->time = stream->time;
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

static void latch_release(struct lab_device *device, struct lab_latch *latch)
{
    (void)device;
    script.unreleased -= latch != NULL;
}

static bool latch_close(struct lab_device *device, struct lab_latch *latch, struct lab_stream *stream, double timeout_s)
{
    (void)device;
    (void)stream;
    assert_true(timeout_s > 0);
    assert_true(script.enqueued > 0); /* the work has run once before a latch is closed */
    latch->closed = true;
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
    (void)latch;
    *timed_out = script.latch_times_out;
    return true;
}

static const struct lab_runtime scripted = {
    .name = "scripted",
    .stream_create = stream_create,
    .stream_release = stream_release,
    .stream_synchronize = stream_synchronize,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_release = event_release,
    .event_record = event_record,
    .event_elapsed = event_elapsed,
    .latch_create = latch_create,
    .latch_release = latch_release,
    .latch_close = latch_close,
    .latch_open = latch_open,
    .latch_timed_out = latch_timed_out,
};

/* --- the work ----------------------------------------------------------------------------------------------------- */

static bool enqueue(void *context)
{
    (void)context;
    double factor = 1 + (script.enqueued % 2 == 0 ? script.spread : -script.spread);
    script.enqueued++;
    if (script.sleep_us > 0)
        usleep(script.sleep_us);
    if (script.fail_after != 0 && script.enqueued > script.fail_after)
        return lab_error_set(&script.device.error, "launch-failed", "", "as the script says");
    if (script.cancel_after != 0 && script.enqueued > script.cancel_after)
        atomic_store(&script.cancel, true);
    for (size_t i = 0; i < 2; i++) {
        script.work_streams[i].time += script.operation_s * factor;
        script.work_streams[i].queued++;
    }
    return true;
}

static bool load(void *context)
{
    (void)context;
    script.loaded++;
    script.background.time += script.load_s;
    return true;
}

static bool poison(void *context)
{
    (void)context;
    script.poisoned++;
    script.poisoned_since = true;
    return true;
}

static bool verify(void *context, uint64_t *wrong)
{
    (void)context;
    script.verified++;
    *wrong = script.verify_wrong ? 3 : 0;
    return true;
}

/* --- one run ------------------------------------------------------------------------------------------------------ */

struct fixture {
    struct lab_run run;
    struct lab_parameters *parameters;
    struct lab_measurer *measurer;
    struct lab_work work;
};

static const struct lab_lane lanes[] = {{&script.device, &script.work_streams[0]},
                                        {&script.device, &script.work_streams[1]}};

static void open_fixture(struct fixture *f, const char *parameters)
{
    struct lab_errors errors = {0};
    json_t *given = json_loads(parameters, 0, NULL);
    script = (struct script){.operation_s = 10e-6, .load_s = 10e-6, .device.runtime = &scripted};
    *f = (struct fixture){0};
    f->parameters = lab_parameters_parse(lab_experiment_find("transfer"), given, &errors);
    assert_non_null(f->parameters);
    json_decref(given);
    f->run = (struct lab_run){
        .parameters = f->parameters, .device_count = 1, .devices = {&script.device}, .cancel = &script.cancel};
    f->measurer = lab_measurer_create(&f->run, 1);
    assert_non_null(f->measurer);
    f->work = (struct lab_work){.timing = LAB_TIME_LATCHED,
                                .lane_count = 1,
                                .lanes = lanes,
                                .operations = 1,
                                .enqueue = enqueue,
                                .poison = poison,
                                .verify = verify};
}

static void close_fixture(struct fixture *f)
{
    lab_measurer_release(f->measurer);
    lab_parameters_free(f->parameters);
    assert_int_equal(script.unreleased, 0);
}

/* --- the tests ---------------------------------------------------------------------------------------------------- */

static void steady_work_converges_at_min_samples(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "converged");
    assert_int_equal(outcome.count, 10);
    assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12);
    assert_true(outcome.verified_known && outcome.verified);
    /* 11 repetitions of 10 us: 100 us, and 10 % more */
    assert_int_equal(script.queued_most, 11);
    close_fixture(&f);
}

static void short_work_queues_at_most_256_operations_behind_a_latch(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.operation_s = 10e-9;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.queued_most, 256);
    close_fixture(&f);
}

static void long_work_is_not_repeated_within_a_sample(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.operation_s = 5e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.queued_most, 1);
    assert_true(fabs(outcome.samples[0] - 5e-3) < 1e-12);
    close_fixture(&f);
}

static void constant_noise_stops_as_noise_stable(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.operation_s = 1e-3; /* one repetition per sample, so that the spread is visible */
    script.spread = 0.1;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "noise-stable");
    assert_int_equal(outcome.count, 10 + 64 - 1); /* the first of 64 estimates comes with the tenth sample */
    close_fixture(&f);
}

static void the_sample_limit_and_the_budget_end_a_point(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 30}");
    script.operation_s = 1e-3;
    script.spread = 0.1;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "sample-limit");
    assert_int_equal(outcome.count, 30);
    close_fixture(&f);

    open_fixture(&f, "{\"max_noise\": 0, \"time_budget_s\": 0.01}");
    script.sleep_us = 1000;
    f.work.timing = LAB_TIME_HOST_CLOCK; /* real time passes */
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "timed-out");
    assert_int_equal(outcome.count, 10);
    assert_true(outcome.samples[9] > 1e-3);
    close_fixture(&f);
}

static void poison_comes_before_timing_and_before_the_last_repetition(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_int_equal(script.poisoned, 2);
    assert_int_equal(script.verified, 2);
    close_fixture(&f);
}

static void a_wrong_result_is_reported_and_marks_the_run(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.verify_wrong = true;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(outcome.verified_known);
    assert_false(outcome.verified);
    assert_int_equal(outcome.wrong, 3);
    assert_true(f.run.any_wrong);
    close_fixture(&f);
}

static void a_point_whose_latch_times_out_is_abandoned(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    script.latch_times_out = true;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(outcome.unmeasurable);
    assert_int_equal(outcome.count, 0);
    assert_false(f.run.any_wrong);
    assert_in_range(script.latched, 20, 40);
    close_fixture(&f);
}

static void a_sample_lasts_sample_s(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_samples\": 1}");
    f.work.timing = LAB_TIME_EVENTS;
    f.work.sample_s = 0.002;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12); /* per repetition */
    /* at least 200 repetitions of 10 us in the sample */
    assert_true(script.queued_most >= 200);
    close_fixture(&f);
}

static void work_runs_for_settle_s_before_the_first_sample(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    size_t enqueued[2];
    for (int settle = 0; settle < 2; settle++) {
        open_fixture(&f, "{\"max_samples\": 1}");
        script.sleep_us = 100;
        f.work.settle_s = settle * 0.05;
        double start_s = lab_now_s();
        assert_true(lab_measure(f.measurer, &f.work, &outcome));
        assert_true(lab_now_s() - start_s >= f.work.settle_s);
        assert_int_equal(outcome.count, 1);
        enqueued[settle] = script.enqueued;
        close_fixture(&f);
    }
    assert_true(enqueued[1] > enqueued[0]);
}

static void two_lanes_end_when_the_later_one_ends(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    f.work.lane_count = 2;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(fabs(outcome.samples[0] - 10e-6) < 1e-12);
    close_fixture(&f);
}

static void a_sample_counts_only_if_the_load_outlasts_the_work(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{}");
    f.work.background = &script.background;
    f.work.load = load;
    script.load_s = 2e-6; /* five times as fast as the work: the load ratio must grow beyond the 3 it starts with */
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(script.loaded > 5 * script.enqueued);
    close_fixture(&f);

    open_fixture(&f, "{}");
    f.work.background = &script.background;
    f.work.load = load;
    script.load_s = 1e-9;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(outcome.unmeasurable);
    assert_int_equal(outcome.count, 0);
    assert_false(f.run.any_wrong);
    close_fixture(&f);
}

static void a_failing_device_ends_the_run_with_its_error(void **state)
{
    (void)state;
    for (size_t after = 1; after < 60; after += 7) {
        struct fixture f;
        struct lab_outcome outcome;
        open_fixture(&f, "{}");
        script.fail_after = after;
        assert_false(lab_measure(f.measurer, &f.work, &outcome));
        assert_string_equal(f.run.error.code, "launch-failed");
        assert_false(script.latch.closed); /* nothing is left waiting */
        close_fixture(&f);
    }
}

static void cancelling_keeps_the_samples(void **state)
{
    (void)state;
    struct fixture f;
    struct lab_outcome outcome;
    open_fixture(&f, "{\"max_noise\": 0}");
    script.operation_s = 1e-3;
    script.cancel_after = 8;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(outcome.stop_reason, "cancelled");
    assert_in_range(outcome.count, 1, 8);
    close_fixture(&f);

    open_fixture(&f, "{}");
    atomic_store(&script.cancel, true);
    assert_false(lab_measure(f.measurer, &f.work, &outcome));
    assert_string_equal(f.run.error.code, "cancelled");
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_work_converges_at_min_samples),
        cmocka_unit_test(short_work_queues_at_most_256_operations_behind_a_latch),
        cmocka_unit_test(long_work_is_not_repeated_within_a_sample),
        cmocka_unit_test(constant_noise_stops_as_noise_stable),
        cmocka_unit_test(the_sample_limit_and_the_budget_end_a_point),
        cmocka_unit_test(poison_comes_before_timing_and_before_the_last_repetition),
        cmocka_unit_test(a_wrong_result_is_reported_and_marks_the_run),
        cmocka_unit_test(a_point_whose_latch_times_out_is_abandoned),
        cmocka_unit_test(a_sample_lasts_sample_s),
        cmocka_unit_test(work_runs_for_settle_s_before_the_first_sample),
        cmocka_unit_test(two_lanes_end_when_the_later_one_ends),
        cmocka_unit_test(a_sample_counts_only_if_the_load_outlasts_the_work),
        cmocka_unit_test(a_failing_device_ends_the_run_with_its_error),
        cmocka_unit_test(cancelling_keeps_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
