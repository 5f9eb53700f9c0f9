/* kernels/descriptor/headline.c: the headlines of a run are its results at the points that the experiment declares. */
#include "descriptor/headline.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lab_metric metrics[] = {{LAB_METRIC("share", "Share of the copy", "1", "made up")}, {0}};

/* Creates the headlines of an experiment that has one. The result is released by `ends_with`. */
static struct lab_headlines *of(const struct lab_headline *headline)
{
    static struct lab_headline declared[2];
    static struct lab_experiment experiment;
    declared[0] = *headline;
    experiment = (struct lab_experiment){.name = "test", .metrics = metrics, .headlines = declared};
    return lab_headlines_create(&experiment);
}

/* Considers a measurement of a metric; `axes` and `more` are JSON members: "\"n\": 1". */
static void consider(struct lab_headlines *headlines, const char *metric, double median, const char *axes,
                     const char *more)
{
    char text[256];
    snprintf(text, sizeof text, "{\"metric\": \"%s\", \"unit\": \"GB/s\", \"median\": %g, \"axes\": {%s}%s%s}", metric,
             median, axes, more[0] != '\0' ? ", " : "", more);
    json_t *measurement = json_loads(text, 0, NULL);
    assert_non_null(measurement);
    lab_headlines_consider(headlines, measurement);
    json_decref(measurement);
}

/* Asserts that the headlines are this JSON, with double quotes written as single ones. */
static void are(const struct lab_headlines *headlines, const char *wanted)
{
    char *text = strdup(wanted);
    for (char *quote = text; (quote = strchr(quote, '\'')) != NULL;)
        *quote = '"';
    json_t *list = lab_headlines_so_far(headlines), *expected = json_loads(text, 0, NULL);
    assert_non_null(expected);
    if (!json_equal(list, expected))
        fail_msg("%s, expected %s", json_dumps(list, JSON_COMPACT), text);
    json_decref(list);
    json_decref(expected);
    free(text);
}

static void ends_with(struct lab_headlines *headlines, double wanted)
{
    json_t *list = lab_headlines_so_far(headlines);
    assert_int_equal(json_array_size(list), 1);
    assert_true(json_number_value(json_object_get(json_array_get(list, 0), "value")) == wanted);
    json_decref(list);
    lab_headlines_free(headlines);
}

TEST(the_best_of_what_is_left_open_is_taken)
{
    struct lab_headlines *read = of(&(struct lab_headline){
        LAB_HEADLINE("Read", "bandwidth"), .at = {{"variant", "read"}, {"wide", "true"}, {"ways", "32"}}});
    are(read, "[]");
    consider(read, "bandwidth", 10, "\"variant\": \"read\", \"wide\": true, \"ways\": 32, \"step\": \"a\"", "");
    consider(read, "bandwidth", 30, "\"variant\": \"read\", \"wide\": true, \"ways\": 32, \"step\": \"b\"", "");
    consider(read, "bandwidth", 20, "\"variant\": \"read\", \"wide\": true, \"ways\": 32, \"step\": \"c\"", "");
    consider(read, "bandwidth", 99, "\"variant\": \"read\", \"wide\": false, \"ways\": 32", "");
    consider(read, "bandwidth", 99, "\"variant\": \"read\", \"wide\": true, \"ways\": 3", "");
    consider(read, "bandwidth", 99, "\"variant\": \"write\", \"wide\": true, \"ways\": 32", "");
    consider(read, "bandwidth", 99, "", "");
    are(read,
        "[{'title': 'Read', 'metric': 'bandwidth', 'unit': 'GB/s', 'value': 30.0, 'lowest': false, 'share': null,"
        "'axes': {'variant': 'read', 'wide': true, 'ways': 32, 'step': 'b'}}]");
    lab_headlines_free(read);
}

TEST(lowest_and_worst_turn_what_is_taken)
{
    static const struct {
        bool lowest, worst;
        double wanted;
    } cases[] = {{false, false, 3}, {true, false, 1}, {false, true, 1}, {true, true, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_headlines *headlines = of(
            &(struct lab_headline){LAB_HEADLINE("Any", "latency"), .lowest = cases[i].lowest, .worst = cases[i].worst});
        consider(headlines, "latency", 2, "\"device\": \"a\"", "");
        consider(headlines, "latency", 1, "\"device\": \"b\"", "");
        consider(headlines, "latency", 3, "\"device\": \"c\"", "");
        ends_with(headlines, cases[i].wanted);
    }
}

TEST(sizes_come_before_values_and_the_first_size_before_the_next)
{
    struct lab_headlines *headlines =
        of(&(struct lab_headline){LAB_HEADLINE("Any", "bandwidth"), .except = {"step", "library"},
                                  .largest = {"devices", "n"}, .smallest = {"width"}});
    consider(headlines, "bandwidth", 80, "\"devices\": 1, \"n\": 64, \"width\": 1", "");
    consider(headlines, "bandwidth", 70, "\"n\": 512, \"width\": 1", "");
    consider(headlines, "bandwidth", 60, "\"devices\": 4, \"n\": 16, \"width\": 1", "");
    consider(headlines, "bandwidth", 50, "\"devices\": 4, \"n\": 32, \"width\": 8", "");
    consider(headlines, "bandwidth", 40, "\"devices\": 4, \"n\": 32, \"width\": 4, \"step\": \"a\"", "");
    consider(headlines, "bandwidth", 45, "\"devices\": 4, \"n\": 32, \"width\": 4, \"step\": \"b\"", "");
    consider(headlines, "bandwidth", 90, "\"devices\": 4, \"n\": 32, \"width\": 4, \"step\": \"library\"", "");
    consider(headlines, "bandwidth", 50, "\"devices\": 4, \"n\": 32, \"width\": 8", "");
    ends_with(headlines, 45);
}

TEST(a_share_is_that_of_the_same_point)
{
    struct lab_headlines *headlines =
        of(&(struct lab_headline){LAB_HEADLINE("Sum", "bandwidth"), .largest = {"n"}, .share = "share"});
    consider(headlines, "share", 1.5, "\"n\": 1", "");
    consider(headlines, "share", 1.04, "\"n\": 2", "");
    consider(headlines, "bandwidth", 9, "\"n\": 1", "");
    consider(headlines, "bandwidth", 8, "\"n\": 2", "\"peak\": {\"value\": 16, \"what\": \"limit\"}");
    are(headlines,
        "[{'title': 'Sum', 'metric': 'bandwidth', 'unit': 'GB/s', 'value': 8.0, 'axes': {'n': 2}, 'lowest': false,"
        "'share': {'title': 'Share of the copy', 'value': 1.04}}]");
    consider(headlines, "bandwidth", 7, "\"n\": 3", "");
    are(headlines,
        "[{'title': 'Sum', 'metric': 'bandwidth', 'unit': 'GB/s', 'value': 7.0, 'axes': {'n': 3}, 'lowest': false,"
        "'share': null}]");
    lab_headlines_free(headlines);
}

TEST(without_a_share_of_its_own_a_headline_has_that_of_the_peak)
{
    struct lab_headlines *headlines = of(&(struct lab_headline){LAB_HEADLINE("Copy", "bandwidth")});
    consider(headlines, "bandwidth", 8, "", "\"peak\": {\"value\": 16, \"what\": \"PCIe gen5 x16\"}");
    are(headlines,
        "[{'title': 'Copy', 'metric': 'bandwidth', 'unit': 'GB/s', 'value': 8.0, 'axes': {}, 'lowest': false,"
        "'share': {'title': 'Share of PCIe gen5 x16', 'value': 0.5}}]");
    lab_headlines_free(headlines);
}

TEST(bursts_count_only_without_sustained_figures)
{
    struct lab_headlines *headlines = of(&(struct lab_headline){LAB_HEADLINE("Any", "throughput"), .largest = {"n"}});
    consider(headlines, "throughput", 9, "\"load\": \"burst\", \"n\": 8", "");
    consider(headlines, "throughput", 4, "\"load\": \"sustained\", \"n\": 4", "");
    consider(headlines, "throughput", 8, "\"load\": \"burst\", \"n\": 8", "");
    consider(headlines, "throughput", 5, "\"load\": \"sustained\", \"n\": 4", "");
    ends_with(headlines, 5);
}

TEST(measurements_without_a_right_result_do_not_count)
{
    static const char *const rejected[] = {"\"skipped\": \"too large\"", "\"verified\": false", "\"side\": \"base\""};
    struct lab_headlines *headlines = of(&(struct lab_headline){LAB_HEADLINE("Any", "latency"), .lowest = true});
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++)
        consider(headlines, "latency", 1, "", rejected[i]);
    consider(headlines, "time", 1, "", "");
    json_t *unknown = json_pack("{s:s, s:s, s:n, s:{}}", "metric", "latency", "unit", "s", "median", "axes");
    lab_headlines_consider(headlines, unknown);
    json_decref(unknown);
    are(headlines, "[]");
    lab_headlines_free(headlines);
}
