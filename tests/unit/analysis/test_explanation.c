/* server/analysis/explanation.c, limit.c, beside.c and predictions.c: what is said of a point. */
#include "analysis/explanation.h"
#include "support/test.h"

#include "core/json_members.h"

#include <stdio.h>
#include <string.h>

/* --- a run -------------------------------------------------------------------------------------------------------- */

/* A run of the measurements of a list, on a GPU with 1000 MHz, and a L2 cache of 1 MB. */
#define RUN(measurements)                                                                                              \
    "{\"id\":\"r\",\"experiment\":\"e\",\"contended\":false,\"parameters\":{},\"environment\":{\"devices\":[{"         \
    "\"backend\":\"cuda\",\"properties\":{\"clock_hz\":1e9,\"l2_bytes\":1000000}}]},\"measurements\":[" measurements   \
    "]}"
#define MEASUREMENT(axes, metric, unit, median, more)                                                                  \
    "{\"axes\":{" axes "},\"metric\":\"" metric "\",\"unit\":\"" unit "\",\"n\":9,\"median\":" median                  \
    ",\"q1\":" median ",\"q3\":" median                                                                                \
    ",\"stop_reason\":\"converged\",\"verified\":true,\"skipped\":null,\"side\":null,\"counters\":null,"               \
    "\"peak\":null,\"cache\":null,\"conditions\":null" more "}"
#define FIGURE(axes, metric, unit, median)                                                                             \
    "{\"axes\":{" axes "},\"metric\":\"" metric "\",\"unit\":\"" unit "\",\"n\":1,\"median\":" median                  \
    ",\"stop_reason\":null,\"skipped\":null,\"side\":null,\"counters\":null}"
#define COUNTERS(list) ",\"counters\":[" list "]"
#define COUNTER(name, value) "{\"name\":\"" name "\",\"value\":" value ",\"unit\":\"1\",\"metric\":\"m\"}"
#define PEAK(value, what) ",\"peak\":{\"value\":" value ",\"what\":\"" what "\"}"

static const char experiment_text[] =
    "{\"axes\":[{\"name\":\"bytes\",\"unit\":\"B\"},{\"name\":\"step\",\"unit\":null}],\"views\":[{\"metric\":\"counted_ways\","
    "\"x\":\"ways\",\"predicted\":true}],\"parameters\":{\"properties\":{\"counters\":{},\"step\":{},\"min_bytes\":{},"
    "\"max_bytes\":{}}},\"metrics\":["
    "{\"name\":\"bandwidth\",\"title\":\"Bandwidth\",\"unit\":\"GB/s\",\"better\":\"higher\",\"formula\":\"\"},"
    "{\"name\":\"time\",\"title\":\"Time\",\"unit\":\"s\",\"better\":\"lower\",\"formula\":\"\"},"
    "{\"name\":\"latency\",\"title\":\"Latency\",\"unit\":\"s\",\"better\":\"lower\",\"formula\":\"time of a load\"},"
    "{\"name\":\"error\",\"title\":\"Error\",\"unit\":\"1\",\"better\":\"lower\",\"formula\":\"\"},"
    "{\"name\":\"ways\",\"title\":\"Ways\",\"unit\":\"1\",\"better\":null,\"formula\":\"\"},"
    "{\"name\":\"counted_ways\",\"title\":\"Counted ways\",\"unit\":\"1\",\"better\":null,\"formula\":\"\"},"
    "{\"name\":\"predicted_time\",\"title\":\"Predicted time\",\"unit\":\"s\",\"better\":null,\"formula\":\"computed, not "
    "measured: rounds * cycles\"}]}";

static json_t *run, *experiment, *explanation;

static void forget(void)
{
    json_decref(explanation);
    json_decref(experiment);
    json_decref(run);
    run = experiment = explanation = NULL;
}

static int teardown(void **state)
{
    (void)state;
    forget();
    return 0;
}
AROUND_EACH_TEST(.teardown = teardown)

/* Explains measurement number `position` of a run, in place of the one before. */
static void explain(const char *text, size_t position)
{
    json_t *none = json_array();
    struct lab_point_facts point;
    forget();
    run = json_loads(text, 0, NULL);
    experiment = json_loads(experiment_text, 0, NULL);
    assert_non_null(run);
    assert_non_null(experiment);
    assert_true(lab_point_facts_init(&point, run, experiment, position));
    explanation = lab_explanation(&point, &(const struct lab_explanation_peers){none, none});
    assert_non_null(explanation);
    lab_point_facts_release(&point);
    json_decref(none);
}

static const char *text_at(const char *object, const char *member)
{
    const char *text = json_string_value(json_object_get(json_object_get(explanation, object), member));
    return text != NULL ? text : "";
}

static void assert_limit(const char *basis, const char *text)
{
    assert_string_equal(text_at("limit", "basis"), basis);
    assert_string_equal(text_at("limit", "text"), text);
}

/* --- what limits a point ------------------------------------------------------------------------------------------ */

TEST(a_skipped_and_a_wrong_point_have_no_limit)
{
    explain(
        "{\"id\":\"r\",\"experiment\":\"e\",\"measurements\":[{\"axes\":{},\"metric\":\"time\",\"unit\":\"s\",\"skipped\":\"no "
        "peer\",\"median\":null,\"stop_reason\":null}]}",
        0);
    assert_limit("not-measured", "The point was not measured: no peer.");
    explain(RUN(MEASUREMENT("", "time", "s", "1", ",\"verified\":false")), 0);
    assert_limit("not-measured", "The results of the point are wrong, so its values say nothing.");
}

TEST(a_fixed_time_is_found_from_the_nearest_size)
{
#define TIMES(small, large)                                                                                            \
    RUN(MEASUREMENT("\"bytes\":1000", "time", "s", small, "") "," MEASUREMENT(                                         \
        "\"bytes\":4000", "time", "s", large, "") "," MEASUREMENT("\"bytes\":64000", "time", "s", "1", ""))
    explain(TIMES("10e-6", "13e-6"), 0);
    assert_limit("fixed-time",
                 "The limit is a fixed time, which does not depend on the size: 9.000 us of 10.00 us would "
                 "remain for no bytes, because 3.906 KiB take 13.00 us.");
    explain(TIMES("10e-6", "30e-6"), 0);
    assert_string_equal(text_at("limit", "basis"), "unknown");
}

TEST(the_unit_that_is_used_most_limits)
{
#define COUNTED(dram, l2, issue, stall)                                                                                      \
    RUN(MEASUREMENT(                                                                                                         \
        "", "time", "s", "1e-3",                                                                                             \
        COUNTERS(                                                                                                            \
            COUNTER("time", "2e-3") "," COUNTER("dram_utilization", dram) "," COUNTER("dram_read_bytes", "2e9") "," COUNTER( \
                "dram_written_bytes",                                                                                        \
                "0") "," COUNTER("l2_utilization",                                                                           \
                                 l2) "," COUNTER("issue_utilization",                                                        \
                                                 issue) "," COUNTER("stall_selected",                                        \
                                                                    "1") "," COUNTER("stall_long_scoreboard",                \
                                                                                     stall))))
    explain(COUNTED("0.45", "0.2", "0.1", "9"), 0); /* the samples take half of the time while counting */
    assert_limit("counters",
                 "The limit is device memory, which moves 1.863 GiB in 1.000 ms (2.000 TB/s), used to 90.0 %.");
    assert_true(json_is_null(json_object_get(explanation, "more")));
    explain(COUNTED("0.1", "0.1", "0.7", "9"), 0);
    assert_limit("counters",
                 "Nearest to its limit is the issue slots, used to 70.0 %, and a warp is waiting for global memory "
                 "in 9.000 of the 10.00 cycles from one of its instructions to the next.");
    explain(COUNTED("0.1", "0.15", "0.1", "7"), 0);
    assert_limit(
        "counters",
        "No counted unit is near its limit, so it is probably latency: the unit that is used most, the L2 cache, is used to 30.0 "
        "%; a warp is waiting for global memory in 7.000 of the 8.000 cycles from one of its instructions to the next.");
}

TEST(a_peak_limits_at_the_clock_of_the_multiprocessors)
{
    explain(RUN(MEASUREMENT("", "bandwidth", "GB/s", "90", PEAK("100", "device memory"))), 0);
    assert_limit("peak", "The limit is device memory: it reaches 90.0 % of its peak of 100.0 GB/s.");
    explain(RUN(MEASUREMENT("", "bandwidth", "GB/s", "70",
                            PEAK("100", "fp32 cores") ",\"conditions\":{\"sm_clock_mhz\":800}")),
            0);
    assert_limit("peak",
                 "The limit is fp32 cores: it reaches 70.0 % of its peak of 100.0 GB/s, and 87.5 % of that at the "
                 "clock of 800 MHz.");
    explain(RUN(MEASUREMENT("\"bytes\":1000000", "bandwidth", "GB/s", "90",
                            PEAK("100", "device memory") ",\"cache\":\"warm\"")),
            0);
    assert_limit("unknown",
                 "It reaches 90.0 % of its peak of 100.0 GB/s (device memory). What limits it is not known without "
                 "hardware counters; arrays of this size may be in the L2 cache, whose peak is not known.");
}

TEST(a_peak_is_that_of_a_named_rate_and_of_no_reading)
{
#define SLOW(peak)                                                                                                     \
    RUN(MEASUREMENT("", "time", "s", "1", "") "," MEASUREMENT("", "bandwidth", "GB/s", "40",                           \
                                                              PEAK(peak, "device memory")))
    explain(SLOW("100"), 0);
    assert_limit("unknown",
                 "The bandwidth reaches 40.0 % of its peak of 100.0 GB/s (device memory). What limits it is not known "
                 "without hardware counters.");
    explain(SLOW("1e6"), 1);
    assert_limit("unknown",
                 "It reaches less than 0.1 % of its peak of 1000 TB/s (device memory). What limits it is not known "
                 "without hardware counters.");
    explain(RUN(MEASUREMENT("", "time", "s", "1", "") "," MEASUREMENT("", "reading", "1", "5", PEAK("5", "the slot"))),
            1);
    assert_limit("peak", "The limit is the slot: it reaches 100.0 % of its peak of 5.000.");
}

TEST(a_right_prediction_of_the_time_says_the_limit)
{
#define PREDICTED(seconds)                                                                                             \
    RUN(MEASUREMENT("", "bandwidth", "GB/s", "1",                                                                      \
                    "") "," MEASUREMENT("", "time", "s", "1", "") "," FIGURE("", "predicted_time", "s", seconds))
    explain(PREDICTED("1.05"), 0);
    assert_limit("prediction",
                 "It is as predicted (Predicted time 1.050 s, measured 1.000 s), so the limit is what the "
                 "prediction counts: rounds * cycles.");
    explain(PREDICTED("0.5"), 0);
    assert_string_equal(text_at("limit", "basis"), "unknown");
    const json_t *row = json_array_get(json_object_get(explanation, "predictions"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "text")),
                        "What was measured is 2.000 times what was predicted.");
}

TEST(a_right_prediction_of_another_metric_of_the_samples_says_the_limit_too)
{
    explain(RUN(MEASUREMENT("", "bandwidth", "GB/s", "5", "") "," MEASUREMENT(
                "", "latency", "s", "1.02e-6", "") "," FIGURE("", "predicted_latency", "s", "1e-6")),
            0);
    assert_string_equal(text_at("limit", "basis"), "prediction");
}

TEST(a_single_value_has_no_limit_and_no_neighbour)
{
    explain(RUN(FIGURE("\"step\":\"a\"", "predicted_time", "s", "2") "," FIGURE("\"step\":\"b\"", "predicted_time", "s",
                                                                                "1")),
            0);
    assert_limit("not-measured", "The value was computed or read once, not sampled; what limits it cannot be said.");
    assert_true(json_is_null(json_object_get(explanation, "beside")));
}

TEST(a_kernel_of_a_program_is_limited_by_what_was_counted)
{
    explain(RUN("{\"axes\":{\"kernel\":\"scale\"},\"metric\":\"launches\",\"unit\":\"1\",\"n\":1,\"median\":3,"
                "\"stop_reason\":null,\"skipped\":null,\"side\":null" COUNTERS(
                    COUNTER("time", "2e-3") "," COUNTER("dram_utilization", "0.9")) "}"),
            0);
    assert_limit("counters", "The limit is device memory, used to 90.0 %.");
}

TEST(a_latency_is_its_own_limit)
{
    explain(RUN(MEASUREMENT("", "latency", "s", "1e-6", "")), 0);
    assert_limit("latency", "The limit is latency, which is what was measured: time of a load.");
}

/* --- the point beside it ------------------------------------------------------------------------------------------ */

TEST(the_best_point_beside_one_says_what_differs)
{
#define STEP(name, seconds, ways, error)                                                                               \
    MEASUREMENT("\"step\":\"" name "\",\"bytes\":5", "time", "s", seconds, "")                                         \
    "," FIGURE("\"step\":\"" name "\",\"bytes\":5", "ways", "1", ways) "," FIGURE("\"step\":\"" name "\",\"bytes\":5", \
                                                                                  "error", "1", error)
    explain(RUN(STEP("naive", "4", "32", "1") "," STEP("padded", "1", "1", "9") "," STEP("other", "2", "2", "1")), 0);
    assert_limit("neighbour", "With step padded it is 4.000 times as good: Ways is 1.000 there and 32.00 here.");
    const json_t *differences = json_object_get(json_object_get(explanation, "beside"), "differences");
    assert_int_equal(json_array_size(differences), 1); /* an error is a result, and no cause */
    assert_string_equal(json_string_value(json_object_get(explanation, "more")),
                        "Hardware counters would say more: gpulab run e --set counters=true --set step=naive --set "
                        "min_bytes=5 --set max_bytes=5");
    explain(RUN(STEP("naive", "4", "32", "1") "," MEASUREMENT("\"step\":\"naive\",\"bytes\":1", "time", "s", "1", "")),
            0);
    assert_true(json_is_null(json_object_get(explanation, "beside"))); /* a smaller size is less work */
}

TEST(a_cause_is_said_once_and_a_bound_is_none)
{
#define CAUSES(name, seconds, ways)                                                                                    \
    MEASUREMENT("\"step\":\"" name "\"", "time", "s", seconds, "")                                                     \
    "," FIGURE("\"step\":\"" name "\"", "bound", "s", seconds) "," FIGURE(                                             \
        "\"step\":\"" name "\"", "ways", "1", ways) "," FIGURE("\"step\":\"" name "\"", "counted_ways", "1", ways)
    explain(RUN(CAUSES("slow", "4", "32") "," CAUSES("fast", "1", "1")), 0);
    assert_string_equal(text_at("beside", "text"),
                        "With step fast it is 4.000 times as good: Ways is 1.000 there and 32.00 here.");
}

TEST(other_work_is_no_neighbour)
{
#define VARIANTS(experiment, axis, first, second)                                                                      \
    "{\"id\":\"r\",\"experiment\":\"" experiment "\",\"parameters\":{},\"measurements\":[" MEASUREMENT(                \
        "\"" axis "\":\"" first "\"", "time", "s", "2", "") "," MEASUREMENT("\"" axis "\":\"" second "\"", "time",     \
                                                                            "s", "1", "") "]}"
    explain(VARIANTS("e", "variant", "slow", "fast"), 0);
    assert_string_equal(text_at("beside", "text"), "With variant fast it is 2.000 times as good.");
    explain(VARIANTS("e", "step", "slow", "copy"), 0);
    assert_true(json_is_null(json_object_get(explanation, "beside")));
    explain(VARIANTS("intrinsics", "variant", "log", "rsqrt"), 0);
    assert_true(json_is_null(json_object_get(explanation, "beside")));
    explain(VARIANTS("health", "check", "clock", "link-width"), 0);
    assert_true(json_is_null(json_object_get(explanation, "beside")));
}

TEST(what_is_above_or_below_a_bound_is_told_as_such)
{
    explain(RUN(MEASUREMENT("", "time", "s", "3", "") "," FIGURE("", "bound", "s", "2")), 0);
    const json_t *row = json_array_get(json_object_get(explanation, "predictions"), 0);
    assert_string_equal(lab_text_of(row, "text"), "What was measured is 1.500 times the bound.");
}

TEST(counters_that_differ_by_their_noise_are_not_said_to_differ_beside_a_point)
{
#define COUNTED_STEP(name, seconds, loads, barrier)                                                                    \
    MEASUREMENT("\"step\":\"" name "\"", "time", "s", seconds,                                                         \
                COUNTERS(COUNTER("load_requests", loads) "," COUNTER("stall_selected",                                 \
                                                                     "9") "," COUNTER("stall_barrier", barrier)))
    explain(RUN(COUNTED_STEP("naive", "4", "100", "0.1") "," COUNTED_STEP("tiled", "1", "50", "0.2")), 0);
    const json_t *differences = json_object_get(json_object_get(explanation, "beside"), "differences");
    assert_int_equal(json_array_size(differences), 1);
    assert_string_equal(lab_text_of(json_array_get(differences, 0), "name"), "load_requests");
}

TEST(what_was_counted_stands_beside_its_prediction)
{
    explain(RUN(MEASUREMENT("", "time", "s", "1", "") "," FIGURE("", "ways", "1", "4") "," FIGURE("", "counted_ways",
                                                                                                  "1", "5")),
            1);
    const json_t *row = json_array_get(json_object_get(explanation, "predictions"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "metric")), "ways");
    assert_true(json_is_null(json_object_get(row, "of")));
    assert_string_equal(json_string_value(json_object_get(row, "text")),
                        "What was counted is 1.250 times what was predicted.");
    assert_string_equal(json_string_value(json_object_get(explanation, "metric")),
                        "time"); /* a figure is not explained */
}

TEST(what_was_counted_without_a_prediction_stands_alone)
{
    explain(RUN(MEASUREMENT("", "time", "s", "1", "") "," FIGURE("", "counted_intensity", "FLOP/B", "0.5")), 0);
    const json_t *rows = json_object_get(explanation, "predictions"), *row = json_array_get(rows, 0);
    assert_int_equal(json_array_size(rows), 1);
    assert_string_equal(lab_text_of(row, "metric"), "counted_intensity");
    assert_true(json_is_null(json_object_get(row, "predicted")));
    assert_float_equal(lab_number_of(row, "counted"), 0.5, 0);
}
