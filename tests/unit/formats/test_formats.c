/* kernels/formats/formats.c: the table of formats, and the bounds of every file. */
#include "formats/formats.h"
#include "support/result_file.h"
#include "support/test.h"

#include "descriptor/experiment.h"
#include "descriptor/results.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

TEST(names_find_formats)
{
    for (const struct lab_result_format *format = lab_result_formats; format->name != NULL; format++) {
        assert_ptr_equal(lab_result_format_find(format->name), format);
        assert_true(format->title[0] != '\0' && format->made[0] != '\0');
        assert_true(format->read_document != NULL || format->read_text != NULL);
    }
    assert_null(lab_result_format_find("nvprof"));
}

TEST(bounds_are_those_of_a_run)
{
    assert_int_equal(LAB_RESULT_AXES_MAX, LAB_AXES_MAX);
    assert_int_equal(LAB_RESULT_SAMPLES_MAX, LAB_SAMPLES_MAX);
    assert_int_equal(LAB_RESULT_NOTES_MAX, LAB_SENTENCES_MAX);
    assert_in_range(LAB_RESULT_MEASUREMENTS_MAX, LAB_POINTS_MAX, LAB_MEASUREMENTS_MAX);
}

TEST(what_is_no_file_of_results_is_not_guessed)
{
    static const char *const texts[] = {"",
                                        " \n",
                                        "{}",
                                        "[]",
                                        "[{\"metric\": 1}]",
                                        "{\"results\": 3",
                                        "a,b\n1,2\n",
                                        "hello\n",
                                        "\xff",
                                        "{\"benchmarks\": []}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(lab_result_format_guess(texts[i], strlen(texts[i])));
    assert_null(lab_result_format_guess(NULL, 0));
}

TEST(required_members_tell_documents_apart)
{
    static const char *const texts[][2] = {
        {"{\"devices\": null, \"benchmarks\": []}", "nvbench"},
        {"{\"context\": {}, \"benchmarks\": []}", "google-benchmark"},
        {"{\"nvbandwidth\": {}}", "nvbandwidth"},
        {"{\"config\": {}, \"results\": []}", "nccl-tests"},
        {"{\"results\": []}", "hyperfine"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(lab_result_format_guess(texts[i][0], strlen(texts[i][0]))->name, texts[i][1]);
}

TEST(a_document_of_another_tool_is_refused)
{
    result_check_refused("nvbench", "{\"context\": {}, \"benchmarks\": []}", "missing", "/devices",
                         "'devices' is missing; it must be a list of objects or null.");
    result_check_refused("hyperfine", "[]", "wrong-type", "", "'The document' must be an object, not a list.");
    result_check_refused("hyperfine", "time: 3 s\n", "malformed-json", "", "The file must be a JSON document: ");
    result_check_refused("hyperfine", "", "malformed-json", "", "The file must be a JSON document: ");
}

/* Refused with this error, whatever the format. */
static void check_refused(const char *text, size_t size, const char *code, const char *detail)
{
    for (const struct lab_result_format *format = lab_result_formats; format->name != NULL; format++) {
        struct lab_result_file file = {0};
        struct lab_errors errors = {0};
        assert_false(lab_result_format_read(format, text, size, &file, &errors));
        assert_int_equal(errors.count, 1);
        assert_string_equal(errors.items[0].detail, detail);
        assert_string_equal(lab_error_name(errors.items[0].code), code);
        assert_int_equal(file.count, 0);
        assert_true(json_is_array(file.hosts) && json_is_array(file.devices) && json_is_object(file.versions));
        lab_result_file_release(&file);
    }
    assert_null(lab_result_format_guess(text, size));
}

TEST(what_is_no_text_is_refused)
{
    check_refused("{\"a\": \"\xc3\x28\"}", 11, "not-utf-8", "The file must be text in UTF-8.");
    check_refused("a,b [s]\n1,\0002\n", 13, "not-utf-8", "The file must be text without NUL characters.");
    char *large = malloc(LAB_RESULT_SIZE_MAX + 1);
    memset(large, ' ', LAB_RESULT_SIZE_MAX + 1);
    check_refused(large, LAB_RESULT_SIZE_MAX + 1, "too-long",
                  "The file has 33554433 bytes; it must have at most 33554432.");
    free(large);
}

/* `text`, then `part` `count` times, then `end`. To be freed. */
static char *repeat(const char *text, const char *part, size_t count, const char *end)
{
    char *made = malloc(strlen(text) + strlen(part) * count + strlen(end) + 1), *at = stpcpy(made, text);
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, part);
    strcpy(at, end);
    return made;
}

TEST(depth_and_values_of_a_document_are_bounded)
{
    char *deep = repeat("{\"results\": ", "[", 40, "");
    result_check_refused(
        "hyperfine", deep, "too-deep", "/results/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0",
        "The file must be a JSON document: Arrays and objects must be nested at most 32 levels deep, at line 1, column 44.");
    free(deep);
    char *wide = repeat("{\"results\": [", "{},", LAB_RESULT_VALUES_MAX / 2, "{}]}");
    result_check_refused("hyperfine", wide, "too-many", "",
                         "The file must be a JSON document of at most 1000000 values.");
    free(wide);
    char *line =
        repeat("{\"metric\": \"t\", \"value\": 1, \"axes\": {\"a\": [", "{},", LAB_RESULT_VALUES_MAX / 2, "{}]}}");
    result_check_refused("gpulab", line, "too-many", "",
                         "Line 1: A line must be a JSON object of at most 1000000 values.");
    assert_null(lab_result_format_guess(line, strlen(line)));
    free(line);
    char *brackets_in_a_text = repeat("{\"results\": [{\"command\": \"c\", \"mean\": 1, \"note\": \"", "[{,\\\"",
                                      LAB_RESULT_VALUES_MAX, "\"}]}");
    struct lab_result_file file = result_file_of("hyperfine", brackets_in_a_text);
    assert_int_equal(file.count, 1);
    lab_result_file_release(&file);
    free(brackets_in_a_text);
}

TEST(a_list_of_errors_that_has_some_is_continued)
{
    static const char text[] = "{\"metric\": \"t\"}\n";
    struct lab_errors errors = {0};
    for (int i = 0; i < 2; i++) {
        struct lab_result_file file = {0};
        assert_false(lab_result_format_read(lab_result_format_find("gpulab"), text, strlen(text), &file, &errors));
        lab_result_file_release(&file);
    }
    assert_int_equal(errors.count, 1); /* the same */
}
