/* kernels/measure/counting.c: the hardware counters of a point, read in passes after its samples (METHOD.md 22). */
#include "descriptor/experiment.h"
#include "support/measure_harness.h"
#include "support/test.h"

/* The counters of the device, and the notes of the run. */
static struct counting {
    size_t passes;
    const char *refuses_to_prepare, *refuses_to_count; /* why; NULL: it does not */
    size_t prepared, counted;
    char notes[4][LAB_DETAIL_MAX];
    size_t note_count;
} counting;

static bool refuse(struct lab_device *device, const char *why)
{
    return why == NULL || lab_error_set(&device->error, LAB_ERROR_UNSUPPORTED, "", "%s", why);
}

static bool prepare_counters(struct lab_device *device, size_t *passes)
{
    counting.prepared++;
    simulated.now_s += 0.75;
    *passes = counting.passes;
    return refuse(device, counting.refuses_to_prepare);
}

static bool count(struct lab_device *device, const struct lab_counted_work *work, struct lab_hardware_counts *counts)
{
    record('(');
    for (size_t i = 0; i < counting.passes; i++)
        if (!work->prepare(work->context) || !work->run(work->context))
            return false;
    record(')');
    counting.counted++;
    for (size_t i = 0; i < LAB_HARDWARE_COUNTER_COUNT; i++)
        counts->items[i] = (struct lab_hardware_count){.value = (double)i, .metric = "unit__what.sum"};
    return refuse(device, counting.refuses_to_count);
}

static void keep_note(void *context, const char *text)
{
    (void)context;
    assert_true(counting.note_count < 4);
    snprintf(counting.notes[counting.note_count++], LAB_DETAIL_MAX, "%s", text);
}

/* Opens a run of an experiment with the parameter `counters`, on a device that counts in 12 passes. */
static void open_counting(struct fixture *f, const char *parameters, const char *side)
{
    static const struct lab_runtime_counters table = {.prepare = prepare_counters, .count = count};
    static struct lab_runtime runtime;
    struct lab_errors errors = {0};
    json_t *given = json_loads(parameters, 0, NULL);
    open_fixture(f, "{}");
    lab_measurer_free(f->measurer);
    lab_parameters_free(f->parameters);
    f->run.parameters = f->parameters = lab_parameters_parse(lab_experiment_find("coalescing"), given, &errors);
    assert_non_null(f->parameters);
    json_decref(given);
    runtime = scripted;
    runtime.counters = &table;
    script.device.runtime = &runtime;
    counting.passes = 12;
    f->run.side = side;
    f->run.sink.note = keep_note;
    f->measurer = lab_measurer_create(&f->run, 1);
    assert_non_null(f->measurer);
}

#define SAMPLES "\"max_samples\": 4, \"settle_s\": 0"
#define COUNTED SAMPLES

TEST(the_work_runs_once_in_each_pass_after_the_samples_and_before_the_check)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_counting(&f, "{" COUNTED "}", NULL);
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(outcome.counted);
    assert_float_equal(outcome.counts.items[LAB_HARDWARE_CYCLES].value, LAB_HARDWARE_CYCLES, 0);
    assert_int_equal(outcome.count, 4);
    assert_true(outcome.verified_known && outcome.verified);
    const char *counted = strchr(script.log, '(');
    assert_non_null(counted);
    assert_memory_equal(counted, "(wwwwwwwwwwww)vpwv", 18);
    assert_int_equal(counting.note_count, 0);
    close_fixture(&f);
}

TEST(what_prepares_a_sample_is_not_counted)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_counting(&f, "{" COUNTED "}", NULL);
    f.work.cold = true;
    f.work.before_sample = before_sample;
    counting.passes = 2;
    lab_measurer_free(f.measurer);
    f.measurer = lab_measurer_create(&f.run, 1);
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_memory_equal(strchr(script.log, '('), "(hfwhfw)", 8);
    close_fixture(&f);
}

TEST(switched_off_nothing_is_prepared)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_counting(&f, "{\"counters\": false, " SAMPLES "}", NULL);
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_false(outcome.counted);
    assert_int_equal(counting.prepared, 0);
    assert_int_equal(counting.note_count, 0);
    close_fixture(&f);
}

/* The samples, their number and the verification are the same as without counters. */
static void expect_note(struct fixture *f, const char *text)
{
    struct lab_outcome outcome;
    for (size_t i = 0; i < 2; i++) {
        assert_true(lab_measure(f->measurer, &f->work, &outcome));
        assert_false(outcome.counted);
        assert_int_equal(outcome.count, 4);
        assert_true(outcome.verified_known && outcome.verified);
    }
    assert_int_equal(f->run.error.code, LAB_ERROR_NONE);
    assert_int_equal(script.device.error.code, LAB_ERROR_NONE);
    assert_int_equal(counting.note_count, text != NULL);
    if (text != NULL)
        assert_string_equal(counting.notes[0], text);
}

TEST(a_device_that_cannot_count_is_noted_once)
{
    struct fixture f;
    counting.refuses_to_prepare = "only administrators may";
    open_counting(&f, "{" COUNTED "}", NULL);
    expect_note(&f, "no hardware counters: only administrators may");
    assert_int_equal(counting.counted, 0);
    close_fixture(&f);
}

TEST(a_device_that_stops_counting_is_noted_once)
{
    struct fixture f;
    counting.refuses_to_count = "another program counts";
    open_counting(&f, "{" COUNTED "}", NULL);
    expect_note(&f, "no hardware counters: another program counts");
    assert_int_equal(counting.counted, 1);
    close_fixture(&f);
}

TEST(a_runtime_without_counters_is_noted)
{
    struct fixture f;
    open_counting(&f, "{" COUNTED "}", NULL);
    lab_measurer_free(f.measurer);
    lab_parameters_free(f.parameters);
    struct lab_errors errors = {0};
    json_t *given = json_loads("{" COUNTED "}", 0, NULL);
    f.run.parameters = f.parameters = lab_parameters_parse(lab_experiment_find("coalescing"), given, &errors);
    json_decref(given);
    script.device.runtime = &scripted;
    f.measurer = lab_measurer_create(&f.run, 1);
    expect_note(&f, NULL);
    close_fixture(&f);
}

/* The sides of a comparison have the same work. Counting takes no time from their samples. */
TEST(both_sides_of_a_comparison_are_counted_once)
{
    struct fixture f;
    struct lab_outcome outcomes[LAB_SIDES];
    open_counting(&f, "{\"counters\": true}", "head");
    struct lab_run base = f.run;
    base.side = "base";
    struct lab_measurer *const measurers[] = {lab_measurer_create_beside(&base, f.measurer), f.measurer};
    const struct lab_work *const works[] = {&f.work, &f.work};
    struct lab_blocks *blocks = lab_blocks_create(measurers, outcomes);
    assert_non_null(blocks);
    do
        assert_true(lab_blocks_measure(blocks, works));
    while (!lab_blocks_complete(blocks));
    lab_blocks_free(blocks);
    assert_int_equal(counting.counted, LAB_SIDES);
    for (size_t i = 0; i < LAB_SIDES; i++) {
        assert_true(outcomes[i].counted);
        assert_int_equal(outcomes[i].block_count, 8);
    }
    lab_measurer_free(measurers[LAB_BASE]);
    close_fixture(&f);
}

TEST(work_that_fails_while_it_is_counted_fails_the_point)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_counting(&f, "{" COUNTED "}", NULL);
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    size_t before = script.enqueued;
    close_fixture(&f);
    counting = (struct counting){0};
    open_counting(&f, "{" COUNTED "}", NULL);
    script.fail_after = before - 5; /* of the passes */
    assert_false(lab_measure(f.measurer, &f.work, &outcome));
    assert_non_null(strchr(script.log, '('));
    assert_null(strchr(script.log, ')'));
    assert_int_equal(counting.note_count, 0);
    close_fixture(&f);
}

/* Neither preparing the counters nor reading them takes time from the samples. */
TEST(counting_extends_the_time_budget)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_counting(&f, "{\"time_budget_s\": 2, " COUNTED "}", NULL);
    double before_s = lab_measurer_remaining_s(f.measurer), start_s = simulated.now_s;
    script.operation_s = 1e-3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_true(outcome.counted);
    double taken_s = simulated.now_s - start_s, lost_s = before_s - lab_measurer_remaining_s(f.measurer);
    assert_float_equal(taken_s - lost_s, (double)counting.passes * 1e-3, 1e-9);
    close_fixture(&f);
}

TEST(passes_that_take_longer_than_the_rest_of_the_run_are_left_out)
{
    struct fixture f;
    struct lab_outcome outcome;
    open_counting(&f, "{\"time_budget_s\": 2, " COUNTED "}", NULL);
    script.operation_s = 0.3;
    assert_true(lab_measure(f.measurer, &f.work, &outcome));
    assert_false(outcome.counted);
    assert_int_equal(counting.note_count, 1);
    assert_non_null(strstr(counting.notes[0], "raise time_budget_s"));
    close_fixture(&f);
}
