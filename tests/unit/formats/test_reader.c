/* kernels/formats/reader.c: notes, errors, and what a file says of its machine. */
#include "support/result_file.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(notes_are_bounded_and_counted)
{
    enum { COUNT = LAB_RESULT_NOTES_MAX + 5 };
    char *text = malloc((size_t)64 * (COUNT + 2)), *end = stpcpy(text, "{\"context\": {}, \"benchmarks\": [");
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "%s{\"name\": \"b%d\", \"skipped\": true}", i > 0 ? "," : "", i);
    stpcpy(end, "]}");
    struct lab_result_file file = result_file_of("google-benchmark", text);
    assert_int_equal(file.note_count, LAB_RESULT_NOTES_MAX);
    assert_int_equal(file.notes_dropped, 5);
    lab_result_file_release(&file);
    free(text);
}

TEST(errors_are_bounded_and_counted)
{
    struct lab_result_file file = {0};
    struct lab_errors errors = {0};
    char text[200 * 20], *end = text;
    for (int i = 0; i < 200; i++)
        end = stpcpy(end, "{\"metric\":\"t\"}\n");
    assert_false(lab_result_format_read(lab_result_format_find("gpulab"), text, strlen(text), &file, &errors));
    assert_int_equal(errors.count, LAB_ERRORS_MAX);
    assert_int_equal(errors.dropped, LAB_ERRORS_MAX); /* then the rest is not read */
    lab_result_file_release(&file);
}

TEST(what_the_file_says_of_its_machine_can_be_shown)
{
    struct lab_result_file file = result_file_of(
        "google-benchmark",
        "{\"context\": {\"host_name\": \"a\\u001b[2Jb\\u009bc\", \"date\": \"yesterday\"}, \"benchmarks\": [{\"name\": \"b\", \"real_time\": 1}]}");
    assert_string_equal(json_string_value(json_array_get(file.hosts, 0)), "a [2Jb  c");
    assert_string_equal(file.date, "yesterday");
    assert_int_equal(file.at, INT64_MIN);
    lab_result_file_release(&file);
}
