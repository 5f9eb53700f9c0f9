/* kernels/formats/nvbench.c. */
#include "support/result_file.h"
#include "support/test.h"

#include <math.h>

static const char scale[] = "{\"benchmark\": \"scale\", \"T\": \"F32\", \"Elements\": 1048576, \"Ratio\": 0.5}";

TEST(figures_of_the_samples_become_one_measurement)
{
    struct lab_result_file file = result_file_of_corpus("nvbench", "nvbench.json");
    const struct lab_result_figures *figures = &result_find(&file, "gpu_time", scale)->figures;
    assert_int_equal(figures->n, 500);
    assert_float_equal(figures->min, 1.1e-05, 0);
    assert_float_equal(figures->q1, 1.2e-05, 0);
    assert_float_equal(figures->median, 1.24e-05, 0);
    assert_float_equal(figures->q3, 1.3e-05, 0);
    assert_float_equal(figures->max, 1.9e-05, 0);
    assert_float_equal(figures->mean, 1.25e-05, 0);
    assert_float_equal(figures->stdev, 5e-07, 0);
    assert_int_equal(result_find(&file, "batch_gpu_time", scale)->figures.n, 600);
    lab_result_file_release(&file);
}

TEST(a_mean_alone_stands_for_its_samples)
{
    struct lab_result_file file = result_file_of_corpus("nvbench", "nvbench.json");
    const struct lab_result_figures *figures = &result_find(&file, "cpu_time", scale)->figures;
    assert_true(isnan(figures->median));
    assert_float_equal(lab_result_figures_value(figures), 2.5e-05, 0);
    lab_result_file_release(&file);
}

TEST(other_summaries_are_single_figures)
{
    struct lab_result_file file = result_file_of_corpus("nvbench", "nvbench.json");
    check_samples(&file, "bandwidth", scale, "GB/s", 671);
    check_samples(&file, "item_rate", scale, "G/s", 84);
    check_samples(&file, "share_of_peak", scale, "1", 0.2);
    check_samples(&file, "gmem/reads/Input", scale, "B", 4194304);
    check_samples(&file, "passes", scale, "1", 3);
    assert_int_equal(file.count, 3 + 5 + 2); /* no numbers of samples, no walltime */
    lab_result_file_release(&file);
}

TEST(devices_are_an_axis_where_a_benchmark_has_several)
{
    struct lab_result_file file = result_file_of_corpus("nvbench", "nvbench.json");
    assert_float_equal(result_find(&file, "cpu_time", "{\"benchmark\": \"both\", \"device\": 0}")->figures.mean, 0.001,
                       0);
    assert_float_equal(result_find(&file, "cpu_time", "{\"benchmark\": \"both\", \"device\": 1}")->figures.mean, 0.002,
                       0);
    assert_int_equal(json_array_size(file.devices), 2);
    assert_string_equal(json_string_value(json_array_get(file.devices, 1)), "Device B");
    assert_string_equal(file.version, "0.2.0");
    lab_result_file_release(&file);
}

TEST(a_standard_deviation_that_is_not_available_is_unknown)
{
    struct lab_result_file file = result_file_of_corpus("nvbench", "nvbench.json");
    const struct lab_result_figures *figures =
        &result_find(&file, "cpu_time", "{\"benchmark\": \"both\", \"device\": 0}")->figures;
    assert_true(isnan(figures->stdev));
    assert_int_equal(figures->n, 3);
    lab_result_file_release(&file);
}

TEST(a_mean_that_is_not_available_is_noted)
{
    struct lab_result_file file = result_file_of(
        "nvbench",
        "{\"devices\": [], \"benchmarks\": [{\"name\": \"b\", \"states\": [{\"name\": \"n=1\", \"axis_values\": null, \"summaries\": ["
        "{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\", \"type\": \"float64\", \"value\": \"nan\"}]}]}]}]}");
    assert_int_equal(file.count, 0);
    result_check_note(&file, "b [n=1]: nv/cold/time/gpu/mean is nan: not available.");
    lab_result_file_release(&file);
}

TEST(skipped_states_and_files_of_samples_are_noted)
{
    struct lab_result_file file = result_file_of_corpus("nvbench", "nvbench.json");
    assert_int_equal(file.note_count, 2);
    result_check_note(&file, "scale [Device=0 T=F64 Elements=2^20 Ratio=0.5]: skipped: no double precision");
    result_check_note(&file, "The samples are in other files (--jsonbin), which are not read.");
    lab_result_file_release(&file);
}

TEST(damage_is_named)
{
    static const char name[] = "nvbench.json", summaries[] = "/benchmarks/0/states/0/summaries";
    result_check_damaged("nvbench", name, "\"1.24e-05\"", "\"1e999\"", "wrong-type",
                         "/benchmarks/0/states/0/summaries/9",
                         "The value of 'nv/cold/time/gpu/median' must be a finite number, not \"1e999\".");
    result_check_damaged("nvbench", name, "\"1.24e-05\"", "\"fast\"", "wrong-type",
                         "/benchmarks/0/states/0/summaries/9",
                         "The value of 'nv/cold/time/gpu/median' must be a finite number, not \"fast\".");
    result_check_damaged("nvbench", name, "\"1.24e-05\"", "1.24e-05", "wrong-type",
                         "/benchmarks/0/states/0/summaries/9/data/0/value", "'value' must be a string, not 1.24e-05.");
    result_check_damaged("nvbench", name, "\"1.24e-05\"", "\"1e-05\"", "contradiction", summaries,
                         "The median of 'gpu_time' is 1e-05; it must not be less than the first quartile, 1.2e-05.");
    result_check_damaged("nvbench", name, "\"5e-07\"", "\"-5e-07\"", "out-of-bounds", summaries,
                         "'gpu_time' is -5e-07 s; it must not be negative.");
    result_check_damaged("nvbench", name, "\"type\": \"int64\", \"value\": \"1048576\"",
                         "\"type\": \"int\", \"value\": \"1048576\"", "unknown-value",
                         "/benchmarks/0/states/0/axis_values/1/type",
                         "'type' must be int64, float64 or string, not \"int\".");
    result_check_damaged("nvbench", name, "\"device\": 1,", "\"device\": 0,", "duplicate",
                         "/benchmarks/1/states/1/summaries",
                         "'cpu_time' is there before, at the same axes; figures without samples must be there once.");
}
