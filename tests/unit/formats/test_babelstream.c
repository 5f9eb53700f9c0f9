/* kernels/formats/babelstream.c. babelstream-omp.csv and babelstream-5-triad.csv were written by BabelStream, on a
 * CPU. */
#include "support/result_file.h"
#include "support/test.h"

#include <math.h>

#define COPY "{\"function\": \"Copy\", \"elements\": 33554432, \"element_bytes\": 8}"

TEST(functions_become_measurements)
{
    struct lab_result_file file = result_file_of_corpus("babelstream", "babelstream.csv");
    const struct lab_result_figures *time = &result_find(&file, "time", COPY)->figures;
    check_samples(&file, "bandwidth", COPY, "GB/s", 1500);
    assert_int_equal(time->n, 99); /* BabelStream leaves the first of 100 out */
    assert_float_equal(time->min, 0.000357, 0);
    assert_float_equal(time->max, 0.000372, 0);
    assert_float_equal(time->mean, 0.000361, 0);
    assert_true(isnan(time->median));
    assert_int_equal(file.count, 4 * 2);
    lab_result_file_release(&file);
}

TEST(files_of_the_tool_are_read)
{
    static const char dot[] = "{\"function\": \"Dot\", \"elements\": 65536, \"element_bytes\": 8}",
                      triad[] = "{\"function\": \"Triad\", \"elements\": 65536, \"element_bytes\": 8}";
    struct lab_result_file file = result_file_of_corpus("babelstream", "babelstream-omp.csv");
    assert_int_equal(file.count, 5 * 2);
    check_samples(&file, "bandwidth", dot, "GB/s", 58908.8 / 1e3);
    assert_float_equal(result_find(&file, "time", dot)->figures.mean, 1.98728e-05, 0);
    lab_result_file_release(&file);
    file = result_file_of_corpus("babelstream", "babelstream-5-triad.csv"); /* three headers, one without rows */
    assert_int_equal(file.count, 3 * 2);
    check_samples(&file, "bandwidth", triad, "GB/s", 0.24445);
    check_samples(&file, "time", triad, "s", 0.0321716);
    lab_result_file_release(&file);
}

TEST(phases_before_the_functions_are_read)
{
    static const char axes[] = "{\"function\": \"Init\", \"elements\": 33554432, \"element_bytes\": 8}";
    struct lab_result_file file = result_file_of_corpus("babelstream", "babelstream.csv");
    check_samples(&file, "bandwidth", axes, "GB/s", 250);
    check_samples(&file, "time", axes, "s", 0.0032);
    lab_result_file_release(&file);
}

TEST(the_device_is_in_the_lines_above)
{
    static const char *const names[] = {"babelstream.csv", "babelstream-6.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct lab_result_file file = result_file_of_corpus("babelstream", names[i]);
        assert_int_equal(json_array_size(file.devices), 1);
        assert_string_equal(json_string_value(json_array_get(file.devices, 0)), "Device A");
        lab_result_file_release(&file);
    }
}

TEST(the_name_of_the_column_is_the_unit)
{
    static const struct {
        const char *column;
        double bandwidth;
    } cases[] = {
        {"max_mbytes_per_sec", 0.5}, {"max_mibytes_per_sec", 0.524288},
        {"gbytes_per_sec", 500},     {"gibytes_per_sec", 536.870912},
        {"max_MB_per_sec", 0.5},     {"max_MiB_per_sec", 0.524288},
        {"max_GB_per_sec", 500},     {"max_GiB_per_sec", 536.870912},
        {"max_TB_per_sec", 500000},  {"max_TiB_per_sec", 549755.813888},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "function,num_times,n_elements,sizeof,%s,runtime\nTriad,2,64,4,500,0.25\n",
                 cases[i].column);
        struct lab_result_file file = result_file_of("babelstream", text);
        check_samples(&file, "bandwidth", "{\"function\": \"Triad\", \"elements\": 64, \"element_bytes\": 4}", "GB/s",
                      cases[i].bandwidth);
        lab_result_file_release(&file);
    }
}

TEST(damage_is_named)
{
    static const char name[] = "babelstream.csv";
    result_check_damaged("babelstream", name, "1500000", "fast", "wrong-type", "",
                         "Line 8: 'max_mbytes_per_sec' must be a finite number, not \"fast\".");
    result_check_damaged("babelstream", name, "0.000372", "inf", "wrong-type", "",
                         "Line 8: 'max_runtime' must be a finite number, not \"inf\".");
    result_check_damaged(
        "babelstream", name, "0.000372", "0.0003", "contradiction", "",
        "Line 8: The largest value of 'time' is 0.0003; it must not be less than the smallest value, 0.000357.");
    result_check_damaged("babelstream", name, ",0.0005,0.000497", "", "incomplete", "",
                         "Line 9: The line has 6 values; it must have one for each of the 8 columns.");
    result_check_damaged("babelstream", name, "num_times", "times", "unknown-value", "",
                         "Line 7: BabelStream has no column 'times'.");
    result_check_damaged("babelstream", name, "avg_runtime", "min_runtime", "duplicate", "",
                         "Line 7: The columns 'min_runtime' and 'min_runtime' must not both be there.");
    result_check_damaged(
        "babelstream", name, "Triad", "Copy", "duplicate", "",
        "Line 9: 'time' is there before, at the same axes; figures without samples must be there once.");
}
