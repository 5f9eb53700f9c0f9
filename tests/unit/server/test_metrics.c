/* server/api/metrics: the text format, and the metrics of devices. */
#include "api/metrics/sources.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* A text that is written to. */
struct text {
    FILE *out;
    char *bytes;
    size_t size;
};

static void begin(struct text *text)
{
    text->out = open_memstream(&text->bytes, &text->size);
    assert_non_null(text->out);
}

static void end(struct text *text)
{
    assert_int_equal(fclose(text->out), 0);
}

/* --- the format --------------------------------------------------------------------------------------------------- */

TEST(samples_have_labels_and_values)
{
    static const struct lab_family family = {"a_total", LAB_COUNTER, "What it is."};
    struct text text;
    begin(&text);
    lab_family_begin(text.out, &family);
    lab_family_sample(text.out, &family, NULL, 12);
    lab_family_sample(text.out, &family, LAB_LABELS({"x", "1"}, {"y", ""}), 0.5);
    lab_family_sample(text.out, &family, LAB_LABELS({"x", "a\\b\"c\nd"}), 1e300 * 1e300);
    end(&text);
    assert_string_equal(text.bytes,
                        "# HELP a_total What it is.\n# TYPE a_total counter\n"
                        "a_total 12\na_total{x=\"1\",y=\"\"} 0.5\na_total{x=\"a\\\\b\\\"c\\nd\"} +Inf\n");
    free(text.bytes);
}

TEST(buckets_are_cumulative_with_inclusive_bounds)
{
    static const struct lab_family family = {"t_seconds", LAB_HISTOGRAM, "Times."};
    static const double bounds[] = {0.001, 0.25, 0};
    struct lab_histogram histogram = {.bounds = bounds};
    struct text text;
    const double durations[] = {0.001, 0.002, 0.25, 0.5, -1};
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++)
        lab_histogram_add(&histogram, durations[i]);
    begin(&text);
    lab_family_histogram(text.out, &family, LAB_LABELS({"x", "1"}), &histogram);
    lab_family_histogram(text.out, &family, NULL, &(struct lab_histogram){.bounds = bounds});
    end(&text);
    assert_string_equal(text.bytes,
                        "t_seconds_bucket{x=\"1\",le=\"0.001\"} 2\nt_seconds_bucket{x=\"1\",le=\"0.25\"} 4\n"
                        "t_seconds_bucket{x=\"1\",le=\"+Inf\"} 5\nt_seconds_sum{x=\"1\"} 0.753\n"
                        "t_seconds_count{x=\"1\"} 5\n"
                        "t_seconds_bucket{le=\"0.001\"} 0\nt_seconds_bucket{le=\"0.25\"} 0\n"
                        "t_seconds_bucket{le=\"+Inf\"} 0\nt_seconds_sum 0\nt_seconds_count 0\n");
    free(text.bytes);
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

static const char devices[] =
    "{\"devices\":["
    "{\"id\":\"GPU-1\",\"name\":\"A \\\"GPU\\\"\",\"state\":\"busy\",\"telemetry\":{\"utilization_gpu\":25,"
    "\"utilization_memory\":null,\"memory_used_bytes\":1024,\"temperature_c\":41,\"power_w\":70.5,\"sm_clock_mhz\":1980,"
    "\"throttle\":[\"power-cap\",\"thermal\"],\"at\":\"2026-01-02T03:04:05.5Z\",\"stale\":true}},"
    "{\"id\":\"CPU-0\",\"name\":\"CPU\",\"state\":\"available\",\"telemetry\":null}]}";

static char *write_devices(const char *document)
{
    struct text text;
    json_t *json = json_loads(document, 0, NULL);
    assert_non_null(json);
    begin(&text);
    lab_metrics_write_devices(text.out, json);
    end(&text);
    json_decref(json);
    return text.bytes;
}

TEST(telemetry_has_base_units)
{
    static const char *const lines[] = {
        "gpulab_device_state{device=\"GPU-1\",name=\"A \\\"GPU\\\"\",state=\"busy\"} 1\n",
        "gpulab_device_state{device=\"GPU-1\",name=\"A \\\"GPU\\\"\",state=\"available\"} 0\n",
        "gpulab_device_state{device=\"CPU-0\",name=\"CPU\",state=\"available\"} 1\n",
        "gpulab_device_utilization_ratio{device=\"GPU-1\",name=\"A \\\"GPU\\\"\"} 0.25\n",
        "gpulab_device_memory_used_bytes{device=\"GPU-1\",name=\"A \\\"GPU\\\"\"} 1024\n",
        "gpulab_device_temperature_celsius{device=\"GPU-1\",name=\"A \\\"GPU\\\"\"} 41\n",
        "gpulab_device_power_watts{device=\"GPU-1\",name=\"A \\\"GPU\\\"\"} 70.5\n",
        "gpulab_device_sm_clock_hertz{device=\"GPU-1\",name=\"A \\\"GPU\\\"\"} 1980000000\n",
        "gpulab_device_telemetry_stale{device=\"GPU-1\",name=\"A \\\"GPU\\\"\"} 1\n",
        "gpulab_device_telemetry_timestamp_seconds{device=\"GPU-1\",name=\"A \\\"GPU\\\"\"} 1767323045.5\n",
        "gpulab_device_throttled{device=\"GPU-1\",name=\"A \\\"GPU\\\"\",reason=\"power-cap\"} 1\n",
        "gpulab_device_throttled{device=\"GPU-1\",name=\"A \\\"GPU\\\"\",reason=\"thermal\"} 1\n",
    };
    char *text = write_devices(devices);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("%sis missing in\n%s", lines[i], text);
    free(text);
}

TEST(values_that_are_not_known_are_left_out)
{
    static const char *const absent[] = {
        "\ngpulab_device_memory_utilization_ratio{",
        "\ngpulab_device_power_limit_watts{",
        "\ngpulab_device_temperature_celsius{device=\"CPU-0\"",
        "\ngpulab_device_telemetry_stale{device=\"CPU-0\"",
        "\ngpulab_device_telemetry_timestamp_seconds{device=\"CPU-0\"",
    };
    char *text = write_devices(devices);
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        assert_null(strstr(text, absent[i]));
    free(text);
    text = write_devices("{\"devices\":[]}");
    assert_null(strstr(text, "{"));
    free(text);
}
