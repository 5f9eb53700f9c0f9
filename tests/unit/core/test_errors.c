/* kernels/core/errors.c: the list is bounded, and texts that are cut stay valid UTF-8. */
#include "core/errors.h"
#include "support/test.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

TEST(quoted_text_is_cut_between_characters)
{
    struct lab_error error;
    lab_error_set(&error, LAB_ERROR_OUT_OF_BOUNDS, "/a", "no \"%.4s\" here",
                  "aa\xc3\xa4\xc3\xa4"); /* aaää: the fourth byte is the last byte of the first ä */
    assert_string_equal(error.detail, "no \"aa\xc3\xa4\" here");
    lab_error_set(&error, LAB_ERROR_OUT_OF_BOUNDS, "/a", "no \"%.3s\" here", "aa\xc3\xa4\xc3\xa4");
    assert_string_equal(error.detail, "no \"aa\" here");
}

TEST(long_text_is_cut_between_characters)
{
    char text[2 * LAB_DETAIL_MAX];
    struct lab_error error;
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'x', shift);
        for (size_t i = shift; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x98\x80", 5);
        lab_error_set(&error, LAB_ERROR_OUT_OF_BOUNDS, text, "%s", text);
        json_t *detail = json_string(error.detail), *pointer = json_string(error.pointer);
        assert_non_null(detail);
        assert_non_null(pointer);
        assert_true(strlen(error.detail) > LAB_DETAIL_MAX - 6);
        json_decref(detail);
        json_decref(pointer);
    }
}

TEST(errors_beyond_the_limit_are_counted)
{
    struct lab_errors errors = {0};
    for (int i = 0; i < LAB_ERRORS_MAX + 3; i++)
        assert_false(lab_errors_add(&errors, LAB_ERROR_OUT_OF_BOUNDS, NULL, "error %d", i));
    assert_int_equal(errors.count, LAB_ERRORS_MAX);
    assert_int_equal(errors.dropped, 3);
    assert_string_equal(errors.items[2].detail, "error 2");
    assert_string_equal(errors.items[2].pointer, "");
}

TEST(an_error_is_added_once)
{
    struct lab_errors errors = {0};
    assert_false(lab_errors_add(&errors, LAB_ERROR_MISSING, "/a", "'%s' is missing.", "a"));
    assert_false(lab_errors_add(&errors, LAB_ERROR_MISSING, "/a", "'a' is missing."));
    assert_int_equal(errors.count, 1);
    lab_errors_add(&errors, LAB_ERROR_MISSING, "/b", "'a' is missing.");
    lab_errors_add(&errors, LAB_ERROR_DUPLICATE, "/a", "'a' is missing.");
    lab_errors_add(&errors, LAB_ERROR_MISSING, "/a", "'a' must be there.");
    assert_int_equal(errors.count, 4);
}
