/* kernels/formats/gpulab_lines.c: the lines that programs write with gpulab.h. */
#include "programs/include/gpulab.h"
#include "support/result_file.h"
#include "support/test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

TEST(what_the_header_writes_is_read)
{
    static const double times[] = {12.5e-6, 12.75e-6};
    char text[1024] = "", number[16];
    int descriptor = memfd_create("results", 0);
    assert_true(descriptor >= 0);
    snprintf(number, sizeof number, "%d", descriptor);
    setenv("GPULAB_RESULTS_FD", number, 1);
    gpulab_samples("time", times, 2, "s", "kernel=%s n=%d version=%s", "a \"b\" \\", 1024, "\xff 1e999");
    gpulab_result("bandwidth", 25.3e9, "B/s", "pinned share=0.25");
    gpulab_result("speedup", -1.5e-7, "", NULL);
    assert_true(pread(descriptor, text, sizeof text - 1, 0) > 0);
    struct lab_result_file file = result_file_of("gpulab", text);
    assert_int_equal(file.count, 3);
    check_samples(&file, "time", "{\"kernel\": \"a \\\"b\\\" \\\\\", \"n\": 1024, \"version\": \"\\ufffd 1e999\"}", "s",
                  12.5e-6, 12.75e-6);
    check_samples(&file, "bandwidth", "{\"pinned\": true, \"share\": 0.25}", "GB/s", 25.3);
    check_samples(&file, "speedup", "{}", "1", -1.5e-7);
    lab_result_file_release(&file);
    close(descriptor);
}

TEST(lines_become_measurements)
{
    struct lab_result_file file = result_file_of_corpus("gpulab", "gpulab.jsonl");
    assert_int_equal(file.count, 3);
    check_samples(&file, "time", "{\"kernel\": \"saxpy\", \"n\": 1024}", "s", 12.5e-6, 12.75e-6);
    check_samples(&file, "bandwidth", "{\"kernel\": \"saxpy\", \"n\": 1048576, \"pinned\": true}", "GB/s", 1200.5,
                  1210.25, 1198);
    check_samples(&file, "speedup", "{}", "1", 1.5);
    assert_int_equal(file.measurements[0].wrong, -1);
    lab_result_file_release(&file);
}

TEST(blank_lines_windows_ends_and_a_byte_order_mark_are_allowed)
{
    struct lab_result_file file = result_file_of(
        "gpulab", "\xEF\xBB\xBF\r\n{\"metric\": \"a\", \"value\": 1}\r\n \t\r\n{\"metric\": \"b\", \"value\": -2}");
    check_samples(&file, "a", "{}", "1", 1);
    check_samples(&file, "b", "{}", "1", -2);
    lab_result_file_release(&file);
}

TEST(a_wrong_line_is_named)
{
    static const struct {
        const char *line, *code, *detail;
    } cases[] = {
        {"{\"metric\": \"t\", \"value\": NaN}", "malformed-json", "Line 2: A line must be a JSON object: "},
        {"{\"metric\": \"t\", \"value\": 1e999}", "malformed-json", "Line 2: A line must be a JSON object: "},
        {"{\"metric\": \"t\", \"value\": 1, \"value\": 2}", "duplicate-key", "Line 2: A line must be a JSON object: "},
        {"{\"metric\": \"t\", \"val", "malformed-json", "Line 2: A line must be a JSON object: "},
        {"[1]", "wrong-type", "Line 2: A line must be a JSON object."},
        {"{\"value\": 1}", "missing", "Line 2: 'metric' is missing; it must be a string of 1 to 128 characters."},
        {"{\"metric\": \"\", \"value\": 1}", "out-of-bounds",
         "Line 2: 'metric' must be a string of 1 to 128 characters, not \"\"."},
        {"{\"metric\": \"t\", \"value\": \"1\"}", "wrong-type", "Line 2: 'value' must be a number, not \"1\"."},
        {"{\"metric\": \"t\", \"value\": null}", "wrong-type", "Line 2: 'value' must be a number, not null."},
        {"{\"metric\": \"t\"}", "contradiction", "Line 2: There must be either 'value' or 'samples'."},
        {"{\"metric\": \"t\", \"value\": 1, \"samples\": [1]}", "contradiction",
         "Line 2: There must be either 'value' or 'samples'."},
        {"{\"metric\": \"t\", \"samples\": []}", "out-of-bounds",
         "Line 2: 'samples' must be a list of 1 to 1000000 numbers, not a list of 0."},
        {"{\"metric\": \"t\", \"samples\": [1, null]}", "wrong-type",
         "Line 2: Each of 'samples' must be a number, not null."},
        {"{\"metric\": \"t\", \"value\": 1, \"axis\": {}}", "unknown-field",
         "Line 2: Unknown field 'axis'; allowed are metric, value, samples, unit, axes."},
        {"{\"metric\": \"t\", \"value\": 1, \"axes\": {\"n\": [1]}}", "wrong-type",
         "Line 2: A value on an axis must be a text, a number, true or false."},
        {"{\"metric\": \"t\\u001b[2J\", \"value\": 1}", "bad-name",
         "Line 2: The name of a metric must not have control characters."},
        {"{\"metric\": \"t\", \"unit\": \"m\\ns\", \"value\": 1}", "bad-name",
         "Line 2: A unit must not have control characters."},
        {"{\"metric\": \"t\", \"value\": 1, \"axes\": {\"\": 1}}", "too-long",
         "Line 2: The name of an axis must have 1 to 128 characters, not 0."},
        {"{\"metric\": \"t\", \"value\": 1, \"axes\": {\"n\": \"a\\u0085b\"}}", "bad-name",
         "Line 2: A text on an axis must not have control characters."},
        {"{\"metric\": \"t\", \"value\": -1, \"unit\": \"ms\"}", "out-of-bounds",
         "Line 2: 't' is -1 ms; it must not be negative."},
        {"{\"metric\": \"t\", \"value\": 1e308, \"unit\": \"TB/s\"}", "out-of-bounds",
         "Line 2: 't' is 1e+308 TB/s; it must be a number below 1.8e308 in GB/s."},
        {"{\"metric\": \"first\", \"value\": 1, \"unit\": \"ms\"}", "contradiction",
         "Line 2: The unit of 'first' is s here and 1 before, at the same axes; it must be the same."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"metric\": \"first\", \"value\": 1}\n%s\n", cases[i].line);
        result_check_refused("gpulab", text, cases[i].code, "", cases[i].detail);
    }
}

TEST(the_lines_beside_a_wrong_one_are_read)
{
    static const char text[] = "{\"metric\": \"a\", \"value\": 1}\n{\"metric\n{\"metric\": \"b\", \"value\": 2}\n{";
    struct lab_result_file file = {0};
    struct lab_errors errors = {0};
    assert_false(lab_result_format_read(lab_result_format_find("gpulab"), text, strlen(text), &file, &errors));
    assert_int_equal(errors.count, 2);
    check_samples(&file, "a", "{}", "1", 1);
    check_samples(&file, "b", "{}", "1", 2);
    lab_result_file_release(&file);
}
