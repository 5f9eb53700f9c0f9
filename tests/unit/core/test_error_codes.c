/* kernels/core/error_codes.c and error_json.c: codes are found by their names, and what another version sent is not
 * lost. */
#include "core/error_json.h"
#include "support/test.h"

#include <stdint.h>
#include <string.h>

TEST(every_code_is_found_by_its_name)
{
    for (int code = LAB_ERROR_NONE + 1; code < LAB_ERROR_CODE_COUNT; code++)
        assert_int_equal(lab_error_find(lab_error_name((enum lab_error_code)code)), code);
    assert_string_equal(lab_error_name(LAB_ERROR_NONE), "");
    assert_int_equal(lab_error_find(""), LAB_ERROR_UNKNOWN);
    assert_int_equal(lab_error_find("Out of bounds"), LAB_ERROR_UNKNOWN);
    assert_int_equal(lab_error_find(NULL), LAB_ERROR_UNKNOWN);
}

TEST(a_title_is_that_of_the_table_or_the_words_of_the_name)
{
    char title[LAB_ERROR_TITLE_SIZE];
    lab_error_title(LAB_ERROR_OUT_OF_BOUNDS, title);
    assert_string_equal(title, "Out of bounds");
    lab_error_title(LAB_ERROR_MALFORMED_JSON, title);
    assert_string_equal(title, "Malformed JSON");
    for (int code = LAB_ERROR_NONE + 1; code < LAB_ERROR_CODE_COUNT; code++) {
        lab_error_title((enum lab_error_code)code, title);
        assert_in_range(strlen(title), 1, LAB_ERROR_TITLE_SIZE - 2); /* not cut */
    }
}

TEST(the_code_of_a_problem_is_read_from_its_type)
{
    json_t *problem = lab_error_problem(LAB_ERROR_RUN_IS_LIVE);
    assert_string_equal(json_string_value(json_object_get(problem, "type")), "/problems/run-is-live");
    assert_string_equal(json_string_value(json_object_get(problem, "title")), "Run has not finished");
    assert_int_equal(lab_error_of_problem(problem), LAB_ERROR_RUN_IS_LIVE);
    json_object_set_new(problem, "type", json_string("run-is-live"));
    assert_int_equal(lab_error_of_problem(problem), LAB_ERROR_UNKNOWN);
    json_object_del(problem, "type");
    assert_int_equal(lab_error_of_problem(problem), LAB_ERROR_UNKNOWN);
    assert_int_equal(lab_error_of_problem(NULL), LAB_ERROR_UNKNOWN);
    json_decref(problem);
}

TEST(a_written_error_is_read)
{
    struct lab_error error, copy;
    lab_error_set(&error, LAB_ERROR_COMPILE_LIMIT, "/source", "It takes too long.");
    json_t *written = lab_error_write(&error);
    lab_error_read(written, &copy);
    assert_int_equal(copy.code, LAB_ERROR_COMPILE_LIMIT);
    assert_string_equal(copy.pointer, "/source");
    assert_string_equal(copy.detail, "It takes too long.");
    json_decref(written);
}

TEST(the_code_of_another_version_is_kept_in_the_detail)
{
    static const struct {
        const char *text, *detail;
    } cases[] = {{"{\"code\": \"no-tea\", \"detail\": \"The pot is empty.\"}", "no-tea: The pot is empty."},
                 {"{\"code\": \"no-tea\"}", "no-tea"},
                 {"{\"code\": \"unknown\", \"detail\": \"Why?\"}", "Why?"},
                 {"{\"code\": 3, \"detail\": \"Why?\"}", "Why?"},
                 {"{\"code\": null}", ""},
                 {"[]", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *from = json_loads(cases[i].text, 0, NULL);
        struct lab_error error;
        lab_error_read(from, &error);
        assert_int_equal(error.code, LAB_ERROR_UNKNOWN);
        assert_string_equal(error.pointer, "");
        assert_string_equal(error.detail, cases[i].detail);
        json_decref(from);
    }
}
