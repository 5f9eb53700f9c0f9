/* server/api/results/csv.c: measurements as CSV (RFC 4180). */
#include "api/results/csv.h"
#include "support/test.h"

#include "descriptor/experiment.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void write_row(FILE *out, const json_t *measurement, json_t *columns)
{
    lab_csv_write_point(out, measurement, columns);
    lab_csv_write_summary(out, measurement);
}

static void write_samples(FILE *out, const json_t *measurement, json_t *columns)
{
    size_t index;
    json_t *sample;
    json_array_foreach(json_object_get(measurement, "samples"), index, sample)
    {
        lab_csv_write_point(out, measurement, columns);
        lab_csv_write_sample(out, index, json_is_number(sample) ? json_number_value(sample) : (double)NAN);
    }
}

/* The CSV of measurements given as JSON text; to be freed. */
static char *csv(const char *json, bool samples)
{
    char *text = NULL;
    size_t size = 0, index;
    json_t *measurements = json_loads(json, 0, NULL), *columns = json_object(), *each;
    assert_non_null(measurements);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    json_array_foreach(measurements, index, each)
    {
        assert_true(lab_csv_add_axes(columns, each));
    }
    lab_csv_write_titles(out, columns, samples);
    json_array_foreach(measurements, index, each)
    {
        (samples ? write_samples : write_row)(out, each, columns);
    }
    assert_int_equal(fclose(out), 0);
    json_decref(columns);
    json_decref(measurements);
    return text;
}

static void expect(const char *json, bool samples, const char *wanted)
{
    char *text = csv(json, samples);
    assert_string_equal(text, wanted);
    free(text);
}

#define SUMMARY                                                                                                             \
    "samples,median,q1,q3,min,max,mean,stdev,noise,stop_reason,verified,wrong,cache,numa_node,peak_value,peak_what,"        \
    "sm_clock_mhz,temperature_c,power_w,throttle,throttled_by,registers,local_bytes,shared_bytes,occupancy,skipped,rounds," \
    "outliers,fence_low,fence_high,farthest_outlier,drift,drift_low,drift_high,modes,mode_shares,counters\r\n"

TEST(no_measurements_give_only_the_header)
{
    expect("[]", false, "metric,unit,side," SUMMARY);
    expect("[]", true, "metric,unit,side,sample,value\r\n");
}

TEST(each_title_occurs_once)
{
    char *header = csv("[]", false), *rest = NULL;
    const char *titles[64];
    size_t count = 0;
    for (char *title = strtok_r(header, ",\r\n", &rest); title != NULL; title = strtok_r(NULL, ",\r\n", &rest)) {
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(title, titles[i]);
        titles[count++] = title;
        assert_true(count < sizeof titles / sizeof *titles);
    }
    assert_true(count > 3);
    free(header);
}

TEST(an_axis_of_any_measurement_is_a_column)
{
    expect(
        "[{\"metric\":\"time\",\"unit\":\"s\",\"axes\":{\"bytes\":1024,\"replay\":true},\"n\":2,\"median\":0.1,"
        "\"verified\":true,\"wrong\":0},"
        "{\"metric\":\"latency\",\"unit\":\"s\",\"axes\":{\"direction\":\"h2d\"},\"n\":0,\"skipped\":\"no \\\"such\\\", "
        "thing\"}]",
        false,
        "metric,unit,side,bytes,replay,direction," SUMMARY
        "time,s,,1024,true,,2,0.1,,,,,,,,,true,0,,,,,,,,,,,,,,,,,,,,,,,,,\r\n"
        "latency,s,,,,h2d,0,,,,,,,,,,,,,,,,,,,,,,,,,\"no \"\"such\"\", thing\",,,,,,,,,,,\r\n");
}

TEST(members_of_objects_have_columns)
{
    char *text = csv(
        "[{\"metric\":\"bandwidth\",\"unit\":\"GB/s\",\"axes\":{},\"n\":1,\"peak\":{\"value\":63.0,\"what\":\"PCIe\"},"
        "\"conditions\":{\"sm_clock_mhz\":1980,\"throttle\":[\"power-cap\",\"thermal\"],\"throttled_by\":[\"thermal\"],\"power_w\":null},"
        "\"kernel\":{\"name\":\"copy\",\"registers\":32,\"local_bytes\":0,\"shared_bytes\":4096,\"occupancy\":0.5},"
        "\"shape\":{\"outliers\":3,\"fence_low\":30,\"fence_high\":70,\"farthest_outlier\":22.5,\"drift\":-0.25,\"drift_low\":null,\"drift_high\":null,"
        "\"modes\":[54,49],\"mode_shares\":[0.75,0.25]}}]",
        false);
    assert_non_null(strstr(
        text, ",63,PCIe,1980,,,power-cap;thermal,thermal,32,0,4096,0.5,,,3,30,70,22.5,-0.25,,,54;49,0.75;0.25,\r\n"));
    free(text);
}

TEST(a_comparison_has_sides_and_rounds)
{
    char *text =
        csv("[{\"metric\":\"time\",\"unit\":\"s\",\"side\":\"head\",\"axes\":{\"n\":64},\"n\":3,"
            "\"rounds\":[0.1,2,3e-5]}]",
            false);
    assert_non_null(strstr(text, "\r\ntime,s,head,64,3,"));
    assert_non_null(strstr(text, ",0.1;2;3e-05,,,,,,,,,,\r\n"));
    free(text);
}

TEST(rounds_of_blocks_are_json_also_those_of_one_block)
{
    char *text =
        csv("[{\"metric\":\"time\",\"unit\":\"s\",\"axes\":{},\"rounds\":[[0.1,2],[3e-5,null]]},"
            "{\"metric\":\"time\",\"unit\":\"s\",\"axes\":{},\"rounds\":[[0.1,2]]},"
            "{\"metric\":\"time\",\"unit\":\"s\",\"axes\":{},\"rounds\":[[1]]}]",
            false);
    assert_non_null(strstr(text, ",\"[[0.1,2],[3e-5,null]]\","));
    assert_non_null(strstr(text, ",\"[[0.1,2]]\","));
    assert_non_null(strstr(text, ",[[1]],"));
    free(text);
}

TEST(hardware_counters_are_json)
{
    char *text =
        csv("[{\"metric\":\"time\",\"unit\":\"s\",\"axes\":{},\"counters\":"
            "[{\"name\":\"cycles\",\"value\":12.0,\"unit\":\"1\",\"metric\":\"sm__cycles.max\"}]}]",
            false);
    assert_non_null(strstr(text,
                           ",\"[{\"\"name\"\":\"\"cycles\"\",\"\"value\"\":12.0,\"\"unit\"\":\"\"1\"\","
                           "\"\"metric\"\":\"\"sm__cycles.max\"\"}]\"\r\n"));
    free(text);
}

TEST(no_text_is_a_formula)
{
    char *text = csv(
        "[{\"metric\":\"=1+1\",\"unit\":\"-x\",\"side\":\"@SUM(1)\",\"axes\":{\"+n\":\"\\t=1\",\"m\":\"\\r=1\",\"k\":-5},"
        "\"median\":-1.5,\"skipped\":\"=HYPERLINK(\\\"a\\\",b)\",\"rounds\":[-1,2],"
        "\"conditions\":{\"throttle\":[\"=a,b\",\"c\"]}}]",
        false);
    assert_non_null(strstr(text, ",'+n,m,k,"));
    assert_non_null(strstr(text, "\r\n'=1+1,'-x,'@SUM(1),'\t=1,\"'\r=1\",-5,,-1.5,"));
    assert_non_null(strstr(text, ",\"'=a,b;c\","));
    assert_non_null(strstr(text, ",\"'=HYPERLINK(\"\"a\"\",b)\",-1;2,,,,,,,,,,\r\n"));
    free(text);
}

TEST(each_sample_is_a_row)
{
    expect(
        "[{\"metric\":\"time\",\"unit\":\"s\",\"axes\":{\"n\":64},\"samples\":[1.5,null,2e-9]},"
        "{\"metric\":\"latency\",\"unit\":\"s\",\"axes\":{\"n\":64}}]",
        true,
        "metric,unit,side,n,sample,value\r\n"
        "time,s,,64,0,1.5\r\n"
        "time,s,,64,1,\r\n"
        "time,s,,64,2,2e-09\r\n");
}

TEST(without_columns_all_axes_are_one_cell)
{
    char *text = NULL;
    size_t size = 0;
    json_t *measurement =
        json_pack("{s:s, s:s, s:{s:i, s:s}}", "metric", "m", "unit", "1", "axes", "n", 64, "type", "a");
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    lab_csv_write_titles(out, NULL, true);
    lab_csv_write_point(out, measurement, NULL);
    lab_csv_write_sample(out, 0, 0.5);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(
        text, "metric,unit,side,axes,sample,value\r\nm,1,,\"{\"\"n\"\":64,\"\"type\"\":\"\"a\"\"}\",0,0.5\r\n");
    free(text);
    json_decref(measurement);
}

/* The titles of the first line, none of which is quoted; fails where two are the same. A new reference. */
static json_t *titles_of(char *line)
{
    json_t *titles = json_object();
    line[strcspn(line, "\r")] = '\0';
    for (char *title; (title = strsep(&line, ",")) != NULL;) {
        if (json_object_get(titles, title) != NULL)
            fail_msg("two columns are called %s", title);
        json_object_set_new(titles, title, json_null());
    }
    return titles;
}

/* The titles of measurements with these axes, as rows of measurements or of samples. */
static json_t *titles_with(json_t *axes, bool samples)
{
    json_t *measurements = json_pack("[{s:O}]", "axes", axes);
    char *json = json_dumps(measurements, 0), *text = csv(json, samples);
    json_t *titles = titles_of(text);
    free(text);
    free(json);
    json_decref(measurements);
    return titles;
}

TEST(every_experiment_has_each_column_once)
{
    bool prefixed = false;
    for (size_t i = 0; lab_experiments[i] != NULL; i++) {
        json_t *none = json_object(), *axes = json_object();
        for (const struct lab_axis *axis = lab_experiments[i]->axes; axis->name != NULL; axis++)
            json_object_set_new(axes, axis->name, json_integer(1));
        for (size_t samples = 0; samples < 2; samples++) {
            json_t *others = titles_with(none, samples == 1), *all = titles_with(axes, samples == 1);
            assert_int_equal(json_object_size(all), json_object_size(others) + json_object_size(axes));
            prefixed = prefixed || json_object_get(all, "axis_cache") != NULL;
            json_decref(all);
            json_decref(others);
        }
        json_decref(axes);
        json_decref(none);
    }
    assert_true(prefixed); /* that of transfers */
}

TEST(an_axis_of_an_imported_run_may_have_any_name)
{
    expect(
        "[{\"metric\":\"m\",\"unit\":\"1\",\"axes\":{\"value\":1,\"axis_value\":2,\"axis_axis_value\":3,\"median\":4,\"a,b\":5},"
        "\"samples\":[6]}]",
        true,
        "metric,unit,side,axis_value,axis_axis_value,axis_axis_axis_value,axis_median,\"a,b\",sample,value\r\n"
        "m,1,,1,2,3,4,5,0,6\r\n");
}

TEST(numbers_have_the_same_digits_as_in_json)
{
    static const double numbers[] = {0.1, 1.0 / 3, 2e-9, 17.528267192671596, 123456789.123456789, 64};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_t *number = json_real(numbers[i]);
        json_t *sample = json_pack("[{s:s, s:s, s:{}, s:[O]}]", "metric", "m", "unit", "1", "axes", "samples", number);
        char *json = json_dumps(sample, 0), *text = csv(json, true);
        char *expected = json_dumps(number, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        assert_true(strtod(strstr(text, "m,1,,0,") + strlen("m,1,,0,"), NULL) == strtod(expected, NULL));
        free(expected);
        free(text);
        free(json);
        json_decref(sample);
        json_decref(number);
    }
}
