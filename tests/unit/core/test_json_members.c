/* kernels/core/json_members.c: values that are not known become null, and members that are null or missing their
 * defaults. */
#include "core/clock.h"
#include "core/json_members.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

/* Takes the value. */
static void assert_json(json_t *value, const char *expected)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    json_decref(value);
}

TEST(unknown_values_become_null)
{
    assert_json(lab_json_text_or_null("a"), "\"a\"");
    assert_json(lab_json_text_or_null(""), "\"\"");
    assert_json(lab_json_text_or_null(NULL), "null");
    assert_json(lab_json_real_or_null(-1.5), "-1.5");
    assert_json(lab_json_real_or_null((double)NAN), "null");
    assert_json(lab_json_real_or_null((double)-INFINITY), "null");
    assert_json(lab_json_integer_or_null(-1), "-1");
    assert_json(lab_json_integer_or_null(INT64_MIN), "null");
    assert_json(lab_json_time_or_null(-1), "\"1969-12-31T23:59:59.999999Z\"");
    assert_json(lab_json_time_or_null(LAB_NO_TIME), "null");
}

static json_t *sample(void)
{
    return json_pack("{s:s, s:i, s:f, s:n}", "text", "a", "integer", 7, "real", 1.5, "null");
}

TEST(members_are_read)
{
    json_t *object = sample();
    assert_string_equal(lab_text_of(object, "text"), "a");
    assert_string_equal(lab_optional_text_of(object, "text"), "a");
    assert_true(lab_number_of(object, "integer") == 7 && lab_number_of(object, "real") == 1.5);
    assert_true(lab_number_or_nan(json_object_get(object, "real")) == 1.5);
    assert_int_equal(lab_integer_of(object, "integer", -1), 7);
    json_decref(object);
}

TEST(other_members_are_read_as_the_default)
{
    static const char *const not_texts[] = {"integer", "null", "missing"};
    static const char *const not_integers[] = {"text", "real", "null", "missing"};
    static const char *const not_numbers[] = {"text", "null", "missing"};
    json_t *object = sample();
    for (size_t i = 0; i < sizeof not_texts / sizeof *not_texts; i++) {
        assert_string_equal(lab_text_of(object, not_texts[i]), "");
        assert_null(lab_optional_text_of(object, not_texts[i]));
    }
    for (size_t i = 0; i < sizeof not_integers / sizeof *not_integers; i++)
        assert_int_equal(lab_integer_of(object, not_integers[i], -1), -1);
    for (size_t i = 0; i < sizeof not_numbers / sizeof *not_numbers; i++)
        assert_true(isnan(lab_number_of(object, not_numbers[i])));
    json_decref(object);
    assert_string_equal(lab_text_of(NULL, "text"), "");
    assert_true(isnan(lab_number_or_nan(NULL)));
}
