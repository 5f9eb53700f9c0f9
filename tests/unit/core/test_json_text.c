/* kernels/core/json_text.c: the limits of JSON from outside, and where a text exceeds them. */
#include "core/json_text.h"
#include "support/test.h"

#include "core/text.h"

#include <stdint.h>
#include <string.h>

static void expect_fault(const char *text, size_t length, const char *code, int line)
{
    struct lab_json_fault fault;
    assert_null(lab_json_parse(text, length, &fault));
    assert_string_equal(lab_error_name(fault.code), code);
    assert_int_equal(fault.line, line);
    assert_true(fault.column >= 0 && fault.offset <= length && fault.text[0] != '\0');
    assert_true(lab_utf8_is_valid(fault.text, strlen(fault.text)));
}

TEST(a_text_within_the_limits_is_parsed)
{
    static const char *const texts[] = {"{}", "[1]", "\"x\"", "null", " {\"a\": [\"[[[[\", \"\\\"{\"]} "};
    struct lab_json_fault fault;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *value = lab_json_parse(texts[i], strlen(texts[i]), &fault);
        assert_non_null(value);
        json_decref(value);
    }
}

TEST(depth_is_limited)
{
    struct lab_json_fault fault;
    char text[2 * LAB_JSON_DEPTH_MAX + 3];
    for (size_t depth = LAB_JSON_DEPTH_MAX; depth <= LAB_JSON_DEPTH_MAX + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        json_t *value = lab_json_parse(text, 2 * depth, &fault);
        assert_int_equal(value != NULL, depth == LAB_JSON_DEPTH_MAX);
        json_decref(value);
    }
    assert_int_equal(fault.code, LAB_ERROR_TOO_DEEP);
    assert_int_equal(fault.column, LAB_JSON_DEPTH_MAX + 1);
}

TEST(a_fault_has_a_place)
{
    expect_fault("{\n\"a\": 1,\n\"a\": 2}", 17, "duplicate-key", 3);
    expect_fault("{\"a\": nan}", 10, "malformed-json", 1);
    expect_fault("{\"a\": \"\xe9\"}", 10, "malformed-json", 1);
    expect_fault("[1e400]", 7, "malformed-json", 1);
    expect_fault("[99999999999999999999]", 22, "malformed-json", 1);
    expect_fault("{}\0{}", 5, "malformed-json", 1);
    expect_fault("", 0, "malformed-json", 1);
}

TEST(a_text_that_ends_early_is_told_apart)
{
    struct lab_json_fault fault;
    assert_null(lab_json_parse("{\"a\": 1", 7, &fault));
    assert_true(fault.ends_early);
    assert_null(lab_json_parse("{\"a\" 1", 6, &fault));
    assert_false(fault.ends_early);
}
