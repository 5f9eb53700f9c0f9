/* kernels/descriptor/results.c: what a measurement, a span and a field can be. The members of an import are in
 * tests/api/import.test.mjs. */
#include "descriptor/results.h"
#include "support/test.h"

#include <stdint.h>
#include <string.h>

/* A measurement of transfer that is possible, with the members of a JSON text in place of its own. */
static json_t *measurement_with(const char *members)
{
    json_t *measurement = json_loads(
        "{\"axes\": {}, \"metric\": \"bandwidth\", \"unit\": \"GB/s\", \"n\": 3, \"median\": 2, \"q1\": 1.5,"
        "\"q3\": 2.5, \"min\": 1, \"max\": 3, \"mean\": 2, \"stdev\": 1, \"noise\": 0.5,"
        "\"verified\": true, \"wrong\": 0}",
        0, NULL);
    json_t *changes = json_loads(members, 0, NULL);
    assert_non_null(changes);
    json_object_update_new(measurement, changes);
    return measurement;
}

static bool is_possible(const char *members, size_t samples, struct lab_error *error)
{
    json_t *measurement = measurement_with(members);
    bool possible = lab_measurement_check(lab_experiment_find("transfer"), measurement, samples, error);
    json_decref(measurement);
    return possible;
}

TEST(a_measurement_that_was_taken_is_possible)
{
    static const char *const members[] = {
        "{}",
        "{\"n\": 1, \"median\": 2, \"q1\": 2, \"q3\": 2, \"min\": 2, \"max\": 2, \"mean\": 2, \"stdev\": 0, \"noise\": 0}",
        "{\"stdev\": null}",
        "{\"verified\": false, \"wrong\": 7}",
        "{\"mean\": 3.0000000001}", /* rounding */
        "{\"metric\": \"new\", \"unit\": \"of another version\"}",
        "{\"metric\": \"deviation\", \"unit\": \"1\", \"min\": -5}",
        "{\"n\": 0, \"median\": null, \"q1\": null, \"q3\": null, \"min\": null, \"max\": null, \"mean\": null,"
        " \"stdev\": null, \"noise\": null, \"verified\": null, \"wrong\": null, \"skipped\": \"no memory\"}",
    };
    struct lab_error error;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!is_possible(members[i], 0, &error))
            fail_msg("%s: %s", members[i], error.detail);
    assert_true(is_possible("{}", 3, &error));
}

TEST(what_cannot_be_measured_is_refused_with_the_member)
{
    static const struct {
        const char *members, *detail;
    } cases[] = {
        {"{\"n\": 0}", "'median' is 2; it must be null, because 'n' is 0."},
        {"{\"q1\": 2.2}", "'median' is 2; it must not be less than 'q1', 2.2."},
        {"{\"min\": -1}", "'min' is -1; it must not be negative."},
        {"{\"metric\": \"speedup\", \"unit\": \"1\", \"min\": -1}", "'min' is -1; it must not be negative."},
        {"{\"mean\": 4}", "'mean' is 4; it must be from 'min' to 'max'."},
        {"{\"noise\": -1}", "'noise' is -1; it must not be negative."},
        {"{\"unit\": \"MB/s\"}", "'unit' is 'MB/s'; the unit of 'bandwidth' of transfer is 'GB/s'."},
        {"{\"wrong\": 1}", "'wrong' is 1; it must be 0, because 'verified' is not false."},
        {"{\"skipped\": \"no memory\"}", "'n' is 3; it must be 0, because 'skipped' says why nothing was measured."},
        {"{\"median\": \"2\"}", "'median' must be a number or null, not \"2\"."},
    };
    struct lab_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(is_possible(cases[i].members, 0, &error));
        assert_string_equal(error.detail, cases[i].detail);
    }
    assert_false(is_possible("{}", 2, &error));
    assert_string_equal(error.detail, "'n' is 3; it must be the number of samples, 2.");
}

TEST(samples_are_within_their_summary)
{
    json_t *measurement = measurement_with("{}"), *good = json_pack("[f, n, f]", 1.0, 3.0),
           *bad = json_pack("[f]", 3.5), *text = json_pack("[s]", "1");
    struct lab_error error;
    assert_true(lab_samples_check(measurement, good, &error));
    assert_true(lab_samples_check(measurement, NULL, &error));
    assert_false(lab_samples_check(measurement, bad, &error));
    assert_string_equal(error.detail, "A sample is 3.5; it must be from 'min', 1, to 'max', 3.");
    assert_false(lab_samples_check(measurement, text, &error));
    json_decref(text);
    json_decref(bad);
    json_decref(good);
    json_decref(measurement);
}

TEST(a_span_ends_after_its_start)
{
    struct lab_error error;
    for (int end = 4; end <= 5; end++) {
        json_t *span = json_pack("{s:s, s:s, s:s, s:{}, s:i, s:i}", "lane", "a", "kind", "compute", "label", "x",
                                 "axes", "start_ns", 5, "end_ns", end);
        assert_int_equal(lab_span_check(span, &error), end >= 5);
        json_object_del(span, "label");
        assert_false(lab_span_check(span, &error));
        assert_non_null(strstr(error.detail, "'label' is missing"));
        json_decref(span);
    }
}

TEST(a_field_has_the_values_of_its_rows_and_columns)
{
    static const struct {
        const char *values;
        int rows;
        bool possible;
    } cases[] = {{"AACAPw==", 1, true},
                 {"AACAPw==", 2, false},
                 {"AACA", 1, false},
                 {"AAC*Pw==", 1, false},
                 {"AACAPw==", 0, false}};
    struct lab_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *field = json_pack("{s:s, s:i, s:i, s:s, s:{}}", "name", "f", "rows", cases[i].rows, "columns", 1,
                                  "values", cases[i].values, "axes");
        assert_int_equal(lab_field_check(field, &error), cases[i].possible);
        json_decref(field);
    }
}
