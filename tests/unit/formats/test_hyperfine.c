/* kernels/formats/hyperfine.c. The files of the corpus were written by hyperfine 1.15.0. */
#include "support/result_file.h"
#include "support/test.h"

#include <math.h>

TEST(runs_are_samples)
{
    static const char first[] = "{\"command\": \"true 1\", \"n\": 1}";
    struct lab_result_file file = result_file_of_corpus("hyperfine", "hyperfine.json");
    assert_int_equal(file.count, 6);
    assert_int_equal(file.note_count, 0);
    check_samples(&file, "time", first, "s", 0.0010732950000000002, 0.000956399, 0.0008308520000000001);
    check_samples(&file, "user_time", first, "s", 0.0008899999999999998);
    check_samples(&file, "system_time", first, "s", 0);
    check_samples(&file, "time", "{\"command\": \"true 2\", \"n\": 2}", "s", 0.0008082870000000001, 0.000828051,
                  0.007978898);
    lab_result_file_release(&file);
}

TEST(failed_runs_are_a_note)
{
    struct lab_result_file file = result_file_of_corpus("hyperfine", "hyperfine-failed.json");
    result_check_note(&file, "false: 3 of 3 runs ended with an exit code other than 0.");
    assert_int_equal(result_find(&file, "time", "{\"command\": \"false\"}")->sample_count, 3);
    lab_result_file_release(&file);
}

TEST(figures_are_read_where_there_are_no_times)
{
    struct lab_result_file file = result_file_of(
        "hyperfine",
        "{\"results\": [{\"command\": \"c\", \"mean\": 2, \"stddev\": null, \"median\": 1.5, \"min\": 1, \"max\": 4,"
        "\"memory_usage_byte\": [4096, 8192], \"exit_codes\": [0, null]}]}");
    const struct lab_result_measurement *time = result_find(&file, "time", "{\"command\": \"c\"}");
    assert_int_equal(time->figures.n, 2);
    assert_float_equal(time->figures.mean, 2, 0);
    assert_float_equal(time->figures.median, 1.5, 0);
    assert_float_equal(time->figures.min, 1, 0);
    assert_float_equal(time->figures.max, 4, 0);
    assert_true(isnan(time->figures.stdev));
    check_samples(&file, "peak_memory", "{\"command\": \"c\"}", "B", 4096, 8192);
    result_check_note(&file, "c: 1 of 2 runs ended with an exit code other than 0.");
    lab_result_file_release(&file);
}

TEST(damage_is_named)
{
    result_check_damaged("hyperfine", "hyperfine.json", "0.000956399,\n        0.000", "null, 0.000", "wrong-type",
                         "/results/0/times/1", "Each of 'times' must be a number, not null.");
    result_check_damaged("hyperfine", "hyperfine.json", "\"command\": \"true 1\",", "", "missing", "/results/0/command",
                         "'command' is missing; it must be a string.");
    result_check_damaged("hyperfine", "hyperfine.json", "\"n\": \"1\"", "\"n\": []", "wrong-type", "/results/0",
                         "A value on an axis must be a text, a number, true or false.");
    result_check_damaged("hyperfine", "hyperfine.json", "true 1", "true\\n1", "bad-name", "/results/0",
                         "A text on an axis must not have control characters.");
    result_check_refused("hyperfine", "{\"results\": [{\"command\": \"c\", \"mean\": 5, \"min\": 1, \"max\": 4}]}",
                         "contradiction", "/results/0", "The mean of 'time' is 5; it must be from 1 to 4.");
    result_check_refused("hyperfine", "{\"results\": [{\"command\": \"c\", \"mean\": 2, \"min\": 3, \"max\": 1}]}",
                         "contradiction", "/results/0",
                         "The largest value of 'time' is 1; it must not be less than the smallest value, 3.");
    result_check_refused("hyperfine", "{\"results\": []}", "no-result", "", "The file has no results of hyperfine.");
}
