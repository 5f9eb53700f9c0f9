/* server/http/field.c: the check of a query, a header or a body against a table of fields. */
#include "core/errors.h"
#include "http/field.h"
#include "http/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct lab_field fields[] = {
    {.name = "text", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 3},
    {.name = "colour", .type = LAB_TYPE_CHOICE, .choices = colours},
    {.name = "at", .type = LAB_TYPE_TIME},
    {.name = "count", .type = LAB_TYPE_INTEGER, .minimum = -5, .maximum = 500},
    {.name = "share", .type = LAB_TYPE_NUMBER, .above = true, .minimum = 0, .maximum = 1.5},
    {.name = "on", .type = LAB_TYPE_BOOLEAN},
    {.name = "names", .type = LAB_TYPE_STRINGS, .items_max = 3, .minimum = 1, .maximum = 3},
    {.name = "rest", .type = LAB_TYPE_OBJECT},
    {0},
};

struct value {
    const char *name, *value;
    const char *code; /* of the only error; NULL: accepted */
    const char *detail;
};

static void expect_error(const struct value *value, bool accepted, const struct lab_errors *errors)
{
    if (accepted != (value->code == NULL) || errors->count != (accepted ? 0 : 1))
        fail_msg("%s=%s was %s, with %zu errors", value->name, value->value, accepted ? "accepted" : "rejected",
                 errors->count);
    if (accepted)
        return;
    assert_string_equal(errors->items[0].code, value->code);
    if (value->detail != NULL)
        assert_string_equal(errors->items[0].detail, value->detail);
}

static void parameters_are_checked(void **state)
{
    static const struct value values[] = {
        {"text", "abc", NULL, NULL},
        {"text", "\xc3\xa4\xc3\xb6\xc3\xbc", NULL, NULL},
        {"text", "", "out-of-bounds", "'text' must be a string of 1 to 3 characters, not ''."},
        {"text", "abcd", "out-of-bounds", NULL},
        {"colour", "blue", NULL, NULL},
        {"colour", "d\xc3\xa4mmerig", "unknown-value", "'colour' must be red, green or blue, not 'd??mmerig'."},
        {"at", "2024-02-29", NULL, NULL},
        {"at", "2023-02-29", "wrong-type", NULL},
        {"count", "-5", NULL, NULL},
        {"count", "500", NULL, NULL},
        {"count", "-6", "out-of-bounds", NULL},
        {"count", "501", "out-of-bounds", "'count' must be an integer in digits, from -5 to 500, not '501'."},
        {"count", "1e2", "wrong-type", "'count' must be an integer in digits, from -5 to 500, not '1e2'."},
        {"count", "99999999999999999999", "out-of-bounds",
         "'count' must be an integer in digits, from -5 to 500, not '99999999999999999999'."},
        {"count", "99999999999999999999999", "out-of-bounds", NULL},
        {"count", "", "wrong-type", NULL},
        {"count", "-", "wrong-type", NULL},
        {"count", "1-1", "wrong-type", NULL},
        {"count", "+1", "wrong-type", NULL},
        {"count", "1.5", "wrong-type", NULL},
        {"count", "1e2", "wrong-type", NULL},
        {"count", "0x1", "wrong-type", NULL},
        {"count", " 1", "wrong-type", NULL},
        {"count", "1 ", "wrong-type", NULL},
        {"share", "1.5", NULL, NULL},
        {"share", "5e-1", NULL, NULL},
        {"share", "0", "out-of-bounds", "'share' must be a number above 0, at most 1.5, not '0'."},
        {"share", "nan", "wrong-type", NULL},
        {"share", "1.6", "out-of-bounds", NULL},
        {"on", "true", NULL, NULL},
        {"on", "false", NULL, NULL},
        {"on", "1", "wrong-type", "'on' must be true or false, not '1'."},
        {"colours", "red", "unknown-parameter", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const struct lab_query query = {values[i].name, values[i].value};
        struct lab_errors errors = {0};
        expect_error(&values[i], lab_fields_check_query(fields, &query, 1, &errors), &errors);
    }
}

static void members_are_checked(void **state)
{
    static const struct value values[] = {
        {"text", "\"abc\"", NULL, NULL},
        {"text", "1", "wrong-type", "'text' must be a string of 1 to 3 characters, not 1."},
        {"text", "null", "wrong-type", NULL},
        {"text", "\"\"", "out-of-bounds", "'text' must be a string of 1 to 3 characters, not \"\"."},
        {"colour", "\"red\"", NULL, NULL},
        {"colour", "\"pink\"", "unknown-value", NULL},
        {"colour", "[]", "wrong-type", "'colour' must be red, green or blue, not a list."},
        {"at", "\"2024-02-29T12:00:00Z\"", NULL, NULL},
        {"at", "\"then\"", "wrong-type", NULL},
        {"at", "5", "wrong-type", NULL},
        {"count", "7", NULL, NULL},
        {"count", "7.0", "wrong-type", NULL},
        {"count", "501", "out-of-bounds", NULL},
        {"share", "1", NULL, NULL},
        {"share", "1e-300", NULL, NULL},
        {"share", "0.0", "out-of-bounds", NULL},
        {"share", "true", "wrong-type", NULL},
        {"on", "false", NULL, NULL},
        {"on", "0", "wrong-type", NULL},
        {"names", "[]", NULL, NULL},
        {"names", "[\"a\",\"b\",\"c\"]", NULL, NULL},
        {"names", "[\"a\",\"b\",\"c\",\"d\"]", "out-of-bounds",
         "'names' must be a list of at most 3 strings, not a list."},
        {"names", "\"a\"", "wrong-type", NULL},
        {"names", "[\"a\",\"a\"]", "duplicate", NULL},
        {"names", "[7]", "wrong-type", "Each of 'names' must be a string of 1 to 3 characters, not 7."},
        {"names", "[\"abcd\"]", "out-of-bounds", NULL},
        {"rest", "{\"any\":1}", NULL, NULL},
        {"rest", "[]", "wrong-type", "'rest' must be an object, not a list."},
        {"a/b~c", "1", "unknown-field", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct lab_errors errors = {0};
        json_t *body = json_pack("{s:o}", values[i].name, json_loads(values[i].value, JSON_DECODE_ANY, NULL));
        assert_non_null(body);
        expect_error(&values[i], lab_fields_check_body(fields, body, &errors), &errors);
        json_decref(body);
    }
}

/* The errors of a body, as "code pointer", in order. */
static void pointers_lead_to_the_values(void **state)
{
    static const struct lab_field required[] = {
        {.name = "must", .type = LAB_TYPE_BOOLEAN, .required = true},
        {.name = "names", .type = LAB_TYPE_STRINGS, .items_max = 9, .maximum = 3},
        {0}};
    static const char *const wanted[] = {"unknown-field /a~1b~0c", "missing /must", "wrong-type /names/1",
                                         "duplicate /names/2"};
    (void)state;
    struct lab_errors errors = {0};
    json_t *body = json_pack("{s:i, s:[s, i, s]}", "a/b~c", 1, "names", "x", 2, "x");
    assert_false(lab_fields_check_body(required, body, &errors));
    assert_int_equal(errors.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < errors.count; i++) {
        char found[256];
        snprintf(found, sizeof found, "%s %s", errors.items[i].code, errors.items[i].pointer);
        assert_string_equal(found, wanted[i]);
    }
    json_decref(body);
    errors = (struct lab_errors){0};
    assert_false(lab_fields_check_query(required, NULL, 0, &errors));
    assert_string_equal(errors.items[0].pointer, "/query/must");
    assert_string_equal(errors.items[0].detail, "'must' is missing; it must be true or false.");
}

static void no_table_allows_nothing_and_any_fields_everything(void **state)
{
    (void)state;
    const struct lab_query query = {"x", "1"};
    struct lab_errors errors = {0};
    json_t *body = json_pack("{s:i}", "x", 1), *empty = json_object();
    assert_true(lab_fields_check_query(NULL, NULL, 0, &errors) && lab_fields_check_body(NULL, empty, &errors));
    assert_true(lab_fields_check_query(lab_any_fields, &query, 1, &errors));
    assert_true(lab_fields_check_body(lab_any_fields, body, &errors));
    assert_int_equal(errors.count, 0);
    assert_false(lab_fields_check_query(NULL, &query, 1, &errors));
    assert_false(lab_fields_check_body(NULL, body, &errors));
    assert_string_equal(errors.items[0].detail, "Unknown query parameter 'x'; none is allowed.");
    assert_string_equal(errors.items[1].detail, "Unknown field 'x'; none is allowed.");
    json_decref(empty);
    json_decref(body);
}

static void headers_are_printable(void **state)
{
    static const struct lab_field key = {.name = "X-Key", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 4};
    (void)state;
    struct lab_errors errors = {0};
    assert_true(lab_field_check_header(&key, "a ~", &errors));
    assert_false(lab_field_check_header(&key, "", &errors));
    assert_false(lab_field_check_header(&key, "abcde", &errors));
    assert_false(lab_field_check_header(&key, "\xc3\xa4", &errors));
    for (size_t i = 0; i < errors.count; i++)
        assert_string_equal(errors.items[i].pointer, "/headers/X-Key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(members_are_checked),
        cmocka_unit_test(pointers_lead_to_the_values),
        cmocka_unit_test(no_table_allows_nothing_and_any_fields_everything),
        cmocka_unit_test(headers_are_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
