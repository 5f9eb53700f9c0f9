/* kernels/formats/google_benchmark.c. The files of the corpus were written by Google Benchmark 1.7.1. */
#include "support/result_file.h"
#include "support/test.h"

#include <math.h>

TEST(benchmarks_become_measurements)
{
    static const char copy[] = "{\"benchmark\": \"copy\", \"bytes\": 1024}",
                      two[] = "{\"benchmark\": \"two/real_time\", \"arg1\": 2, \"arg2\": 3, \"threads\": 2}";
    struct lab_result_file file = result_file_of_corpus("google-benchmark", "google-benchmark.json");
    check_samples(&file, "time", copy, "s", 6.2428118786669318e-02 / 1e6);
    check_samples(&file, "cpu_time", copy, "s", 6.8585015960210827e-03 / 1e6);
    check_samples(&file, "bandwidth", copy, "GB/s", 1.4930374888212717e+11 / 1e9);
    check_samples(&file, "item_rate", copy, "G/s", 3.7325937220531792e+10 / 1e9);
    check_samples(&file, "time", two, "s", 2.6168137664883701e-01 / 1e9);
    check_samples(&file, "depth", two, "1", 6);
    check_samples(&file, "time", "{\"benchmark\": \"cplx\", \"arg1\": 64}", "s", 2.1535937539123708e+01 / 1e9);
    assert_int_equal(file.count, 4 + 4 + 3 * 2); /* no fit of a complexity, no failed benchmark */
    lab_result_file_release(&file);
}

TEST(the_machine_and_what_failed_are_read)
{
    struct lab_result_file file = result_file_of_corpus("google-benchmark", "google-benchmark.json");
    assert_string_equal(json_string_value(json_array_get(file.hosts, 0)), "vm");
    assert_string_equal(file.date, "2026-11-27T14:07:51+00:00");
    assert_int_equal(file.at, 1795788471000000);
    assert_int_equal(file.note_count, 2);
    result_check_note(&file, "fails: failed: no device");
    result_check_note(&file, "copy/bytes:1024: plain");
    lab_result_file_release(&file);
}

TEST(repetitions_are_samples_and_aggregates_of_them_do_not_count)
{
    static const char copy[] = "{\"benchmark\": \"copy\", \"bytes\": 1024}";
    struct lab_result_file file = result_file_of_corpus("google-benchmark", "google-benchmark-repetitions.json");
    check_samples(&file, "time", copy, "s", 1.1720775433269473e-02 / 1e6, 1.2173883322228725e-02 / 1e6,
                  4.6146463074452156e-02 / 1e6);
    assert_int_equal(result_find(&file, "bandwidth", copy)->sample_count, 3);
    assert_int_equal(file.count, 8);
    assert_int_equal(file.note_count, 2); /* of three repetitions each */
    lab_result_file_release(&file);
}

/* As version 1.5 writes them where no repetitions were asked for. */
TEST(no_repetitions_are_one)
{
    struct lab_result_file file =
        result_file_of("google-benchmark",
                       "{\"context\": {}, \"benchmarks\": [{\"name\": \"copy\", \"run_name\": \"copy\", \"run_type\": "
                       "\"iteration\", \"repetitions\": 0, \"real_time\": 2, \"time_unit\": \"ns\"}]}");
    check_samples(&file, "time", "{\"benchmark\": \"copy\"}", "s", 2e-9);
    lab_result_file_release(&file);
}

TEST(aggregates_alone_are_figures)
{
    static const char copy[] = "{\"benchmark\": \"copy\", \"bytes\": 1024}";
    struct lab_result_file file = result_file_of_corpus("google-benchmark", "google-benchmark-aggregates.json");
    const struct lab_result_measurement *time = result_find(&file, "time", copy);
    assert_int_equal(file.count, 4);
    assert_int_equal(time->sample_count, 0);
    assert_int_equal(time->figures.n, 3);
    assert_float_equal(time->figures.median, 6.58009e-09, 1e-14);
    assert_float_equal(time->figures.mean, 6.71648e-09, 1e-14);
    assert_float_equal(time->figures.stdev, 2.61523e-10, 1e-15);
    assert_true(isnan(time->figures.min) && isnan(time->figures.q1));
    assert_float_equal(lab_result_figures_value(&time->figures), time->figures.median, 0);
    lab_result_file_release(&file);
}

#define FILE_OF(ROWS) "{\"context\": {}, \"benchmarks\": [" ROWS "]}"

TEST(a_benchmark_that_skips_itself_is_a_note)
{
    struct lab_result_file file = result_file_of(
        "google-benchmark", FILE_OF("{\"name\": \"a/1\", \"skipped\": true, \"skip_message\": \"no GPU\\nhere\"}"));
    assert_int_equal(file.count, 0);
    result_check_note(&file, "a/1: skipped: no GPU here");
    lab_result_file_release(&file);
}

TEST(arguments_are_told_apart_by_their_place)
{
    struct lab_result_file file = result_file_of(
        "google-benchmark",
        FILE_OF("{\"name\": \"a/1/x\", \"real_time\": 1, \"time_unit\": \"s\"},"
                "{\"name\": \"a/x/1\", \"real_time\": 2, \"time_unit\": \"s\"},"
                "{\"name\": \"a/benchmark:3/12345678901234567890\", \"real_time\": 3, \"time_unit\": \"fortnights\"}"));
    check_samples(&file, "time", "{\"benchmark\": \"a/x\", \"arg1\": 1}", "s", 1);
    check_samples(&file, "time", "{\"benchmark\": \"a/x\", \"arg2\": 1}", "s", 2);
    check_samples(&file, "time", "{\"benchmark\": \"a\", \"axis_benchmark\": 3, \"arg2\": \"12345678901234567890\"}",
                  "fortnights", 3);
    lab_result_file_release(&file);
}

TEST(damage_is_named)
{
    static const char name[] = "google-benchmark.json";
    result_check_damaged("google-benchmark", name, "\"real_time\": 6.2428118786669318e-02", "\"real_time\": NaN",
                         "malformed-json", "/benchmarks/0/real_time", "The file must be a JSON document: ");
    result_check_damaged("google-benchmark", name, "\"real_time\": 6.2428118786669318e-02", "\"real_time\": \"fast\"",
                         "wrong-type", "/benchmarks/0/real_time", "'real_time' must be a number, not \"fast\".");
    result_check_damaged("google-benchmark", name, "\"real_time\": 6.2428118786669318e-02", "\"real_time\": -1",
                         "out-of-bounds", "/benchmarks/0", "'time' is -1 us; it must not be negative.");
}
