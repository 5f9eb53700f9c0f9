/* kernels/formats/measured.c: what is a measurement, and its bounds. Files of gpulab.h show it. */
#include "support/result_file.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(the_order_of_axes_does_not_matter_and_their_types_do)
{
    struct lab_result_file file = result_file_of(
        "gpulab",
        "{\"metric\": \"t\", \"value\": 1, \"axes\": {\"a\": 1, \"b\": \"x\"}}\n{\"metric\": \"t\", \"value\": 2, \"axes\": {\"b\": \"x\", \"a\": 1}}\n"
        "{\"metric\": \"t\", \"value\": 3, \"axes\": {\"a\": \"1\", \"b\": \"x\"}}\n{\"metric\": \"u\", \"value\": 4, \"axes\": {\"a\": 1.0, \"b\": \"x\"}}\n");
    assert_int_equal(file.count, 3);
    check_samples(&file, "t", "{\"a\": 1, \"b\": \"x\"}", "1", 1, 2);
    check_samples(&file, "t", "{\"a\": \"1\", \"b\": \"x\"}", "1", 3);
    check_samples(&file, "u", "{\"a\": 1, \"b\": \"x\"}", "1", 4);
    lab_result_file_release(&file);
}

TEST(values_are_converted_to_the_nearest_number)
{
    static const struct {
        const char *value, *unit, *of_gpulab;
        double wanted;
    } cases[] = {
        {"12.3", "us", "s", 12.3e-6},
        {"0.7", "ns", "s", 0.7e-9},
        {"1.1", "ms", "s", 1.1e-3},
        {"3", "MiB", "B", 3145728},
        {"1", "GiB/s", "GB/s", 1.073741824},
        {"52.7", "B/s", "GB/s", 52.7e-9},
        {"12", "%", "1", 0.12},
        {"1980", "MHz", "Hz", 1.98e9},
        {"67", "TFLOPS", "GFLOP/s", 67000},
        {"2", "furlongs", "furlongs", 2},
        {"-3", "", "1", -3},
        {"5", "\u00b5s", "s", 5e-6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"metric\": \"t\", \"value\": %s, \"unit\": \"%s\"}", cases[i].value,
                 cases[i].unit);
        struct lab_result_file file = result_file_of("gpulab", text);
        check_samples(&file, "t", "{}", cases[i].of_gpulab, cases[i].wanted);
        lab_result_file_release(&file);
    }
}

/* A line with `count` axes. */
static void make_axes(char *line, size_t count)
{
    line += sprintf(line, "{\"metric\": \"t\", \"value\": 1, \"axes\": {");
    for (size_t i = 0; i < count; i++)
        line += sprintf(line, "%s\"a%zu\": %zu", i > 0 ? ", " : "", i, i);
    sprintf(line, "}}");
}

TEST(axes_are_bounded)
{
    char line[512];
    make_axes(line, LAB_RESULT_AXES_MAX);
    struct lab_result_file file = result_file_of("gpulab", line);
    assert_int_equal(json_object_size(file.measurements[0].axes), LAB_RESULT_AXES_MAX);
    lab_result_file_release(&file);
    make_axes(line, LAB_RESULT_AXES_MAX + 1);
    result_check_refused("gpulab", line, "too-many", "", "Line 1: A measurement must have at most 12 axes.");
}

TEST(names_and_texts_are_bounded_in_characters)
{
    char line[LAB_RESULT_TEXT_MAX * 2 + 256], text[LAB_RESULT_TEXT_MAX * 2 + 3];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    text[2 * LAB_RESULT_TEXT_MAX] = '\0';
    snprintf(line, sizeof line, "{\"metric\": \"t\", \"value\": 1, \"axes\": {\"a\": \"%s\"}}", text);
    struct lab_result_file file = result_file_of("gpulab", line);
    lab_result_file_release(&file);
    snprintf(line, sizeof line, "{\"metric\": \"t\", \"value\": 1, \"axes\": {\"a\": \"%s!\"}}", text);
    result_check_refused("gpulab", line, "too-long", "",
                         "Line 1: A text on an axis must have 0 to 1024 characters, not 1025.");
    snprintf(line, sizeof line, "{\"metric\": \"t\", \"value\": 1, \"axes\": {\"%.*s!\": 1}}", 2 * LAB_RESULT_NAME_MAX,
             text);
    result_check_refused("gpulab", line, "too-long", "",
                         "Line 1: The name of an axis must have 1 to 128 characters, not 129.");
}

TEST(measurements_are_bounded)
{
    char *text = malloc((size_t)64 * (LAB_RESULT_MEASUREMENTS_MAX + 1)), *end = text;
    for (int i = 0; i <= LAB_RESULT_MEASUREMENTS_MAX; i++)
        end += sprintf(end, "{\"metric\":\"m%d\",\"value\":1}\n", i);
    result_check_refused("gpulab", text, "too-many", "", "Line 100001: A file must have at most 100000 measurements.");
    free(text);
}

TEST(samples_are_bounded)
{
    char *text = malloc((size_t)4 * (LAB_RESULT_SAMPLES_MAX + 2)), *end = stpcpy(text, "t []\n");
    for (int i = 0; i <= LAB_RESULT_SAMPLES_MAX; i++)
        end = stpcpy(end, "1\n");
    result_check_refused("csv", text, "too-many", "", "Line 1000002: A measurement must have at most 1000000 samples.");
    free(text);
}
