/* kernels/core/schema.c and schema_document.c: each type, bounds, choices, lists, members, pointers and messages; the
 * JSON Schema. */
#include "core/schema.h"
#include "support/test.h"

#include "core/errors.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct lab_schema point[] = {
    {.name = "x", .type = LAB_TYPE_INTEGER, .required = true},
    {.name = "colour", .type = LAB_TYPE_CHOICE, .choices = colours, .nullable = true},
    {0},
};

static const struct lab_schema rows[] = {
    {.name = "text", .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 3},
    {.name = "word", .type = LAB_TYPE_STRING},
    {.name = "colour", .type = LAB_TYPE_CHOICE, .choices = colours},
    {.name = "at", .type = LAB_TYPE_TIME},
    {.name = "count", .type = LAB_TYPE_INTEGER, .minimum = -5, .maximum = 500},
    {.name = "most", .type = LAB_TYPE_INTEGER, .minimum = 0, .maximum = 9007199254740991},
    {.name = "whole", .type = LAB_TYPE_WHOLE, .minimum = 0, .maximum = 1000},
    {.name = "any_whole", .type = LAB_TYPE_WHOLE},
    {.name = "bytes", .type = LAB_TYPE_SIZE, .minimum = 1, .maximum = 1099511627776, .unit = "B"},
    {.name = "share", .type = LAB_TYPE_NUMBER, .above = true, .minimum = 0, .maximum = 1.5},
    {.name = "limit_s", .type = LAB_TYPE_NUMBER, .minimum = 0, .maximum = 60, .unit = "s"},
    {.name = "positive", .type = LAB_TYPE_NUMBER, .above = true, .maximum = INFINITY, .nullable = true},
    {.name = "least", .type = LAB_TYPE_NUMBER, .minimum = 2, .maximum = INFINITY, .unit = "1"},
    {.name = "number", .type = LAB_TYPE_NUMBER},
    {.name = "on", .type = LAB_TYPE_BOOLEAN},
    {.name = "size", .type = LAB_TYPE_EXPRESSION},
    {.name = "value", .type = LAB_TYPE_ANY},
    {.name = "rest", .type = LAB_TYPE_OBJECT},
    {.name = "point", .type = LAB_TYPE_OBJECT, .members = point, .nullable = true},
    {.name = "device", .type = LAB_TYPE_OBJECT, .members = point, .open = true},
    {.name = "points", .type = LAB_TYPE_OBJECT, .members = point, .count = LAB_LIST, .nullable = true},
    {.name = "names", .type = LAB_TYPE_STRING, .count = LAB_LIST, .items_max = 3, .distinct = true, .maximum = 3},
    {.name = "pair", .type = LAB_TYPE_ANY, .count = LAB_LIST, .items_min = 2, .items_max = 2, .nullable = true},
    {.name = "sizes", .type = LAB_TYPE_SIZE, .count = LAB_ONE_OR_LIST, .minimum = 1, .maximum = 4096},
    {.name = "sides", .type = LAB_TYPE_CHOICE, .count = LAB_ONE_OR_LIST, .choices = colours},
    {0},
};

struct value {
    const char *name, *value;
    const char *error; /* "CODE POINTER"; NULL: accepted */
    const char *detail;
};

static void expect(const struct value *value, bool accepted, const struct lab_errors *errors)
{
    char found[256];
    if (accepted != (value->error == NULL) || errors->count != (accepted ? 0 : 1))
        fail_msg("%s=%s was %s, with %zu errors", value->name, value->value, accepted ? "accepted" : "refused",
                 errors->count);
    if (accepted)
        return;
    snprintf(found, sizeof found, "%s %s", lab_error_name(errors->items[0].code), errors->items[0].pointer);
    assert_string_equal(found, value->error);
    if (value->detail != NULL)
        assert_string_equal(errors->items[0].detail, value->detail);
}

TEST(values_of_json_are_checked)
{
    static const struct value values[] = {
        {"text", "\"abc\"", NULL, NULL},
        {"text", "\"\xc3\xa4\xc3\xb6\xc3\xbc\"", NULL, NULL},
        {"text", "1", "wrong-type /text", "'text' must be a string of 1 to 3 characters, not 1."},
        {"text", "null", "wrong-type /text", NULL},
        {"text", "\"\"", "out-of-bounds /text", "'text' must be a string of 1 to 3 characters, not \"\"."},
        {"text", "\"d\xc3\xa4mmerig\"", "out-of-bounds /text",
         "'text' must be a string of 1 to 3 characters, not \"d\xc3\xa4mmerig\"."},
        {"text", "\"a\\u001b\\u009bb\"", "out-of-bounds /text",
         "'text' must be a string of 1 to 3 characters, not \"a???b\"."},
        {"word", "\"\"", NULL, NULL},
        {"word", "[]", "wrong-type /word", "'word' must be a string, not a list."},
        {"colour", "\"red\"", NULL, NULL},
        {"colour", "\"pink\"", "unknown-value /colour", "'colour' must be red, green or blue, not \"pink\"."},
        {"colour", "[]", "wrong-type /colour", "'colour' must be red, green or blue, not a list."},
        {"colour", "7", "wrong-type /colour", "'colour' must be the string red, green or blue, not 7."},
        {"at", "\"2024-02-29T12:00:00Z\"", NULL, NULL},
        {"at", "\"then\"", "wrong-type /at",
         "'at' must be an RFC 3339 time such as 2026-01-31T12:00:00Z or a date such as 2026-01-31, not \"then\"."},
        {"at", "5", "wrong-type /at", NULL},
        {"count", "7", NULL, NULL},
        {"count", "7.0", "wrong-type /count", NULL},
        {"count", "\"7\"", "wrong-type /count", NULL},
        {"count", "501", "out-of-bounds /count", NULL},
        {"most", "9007199254740991", NULL, NULL},
        {"most", "9007199254740993", "out-of-bounds /most",
         "'most' must be an integer in digits from 0 to 9007199254740991, not 9007199254740993."},
        {"whole", "7.0", NULL, NULL},
        {"whole", "7.5", "wrong-type /whole", "'whole' must be an integer from 0 to 1000, not 7.5."},
        {"any_whole", "-9223372036854775808", NULL, NULL},
        {"any_whole", "1e300", "out-of-bounds /any_whole", NULL},
        {"bytes", "1024.0", NULL, NULL},
        {"bytes", "\"64 kib\"", NULL, NULL},
        {"bytes", "\"2^20\"", NULL, NULL},
        {"bytes", "\"2Q\"", "wrong-type /bytes",
         "'bytes' must be a whole number or a size (65536, 64KiB, 1MiB, 64MB, 2^20) from 1 to 1099511627776 B, not "
         "\"2Q\"."},
        {"bytes", "\"0.1KiB\"", "wrong-type /bytes", NULL},
        {"bytes", "1e20", "out-of-bounds /bytes", NULL},
        {"bytes", "\"1e400\"", "out-of-bounds /bytes", NULL},
        {"share", "1", NULL, NULL},
        {"share", "1e-300", NULL, NULL},
        {"share", "0.0", "out-of-bounds /share", "'share' must be a number above 0, at most 1.5, not 0."},
        {"share", "4503599627370495.5", "out-of-bounds /share",
         "'share' must be a number above 0, at most 1.5, not 4503599627370495.5."},
        {"share", "true", "wrong-type /share", "'share' must be a number above 0, at most 1.5, not true."},
        {"share", "\"1\"", "wrong-type /share", NULL},
        {"limit_s", "61", "out-of-bounds /limit_s", "'limit_s' must be a number from 0 to 60 s, not 61."},
        {"positive", "1e300", NULL, NULL},
        {"positive", "null", NULL, NULL},
        {"positive", "0", "out-of-bounds /positive", "'positive' must be a number above 0 or null, not 0."},
        {"least", "1", "out-of-bounds /least", "'least' must be a number of at least 2, not 1."},
        {"number", "-1e300", NULL, NULL},
        {"on", "false", NULL, NULL},
        {"on", "0", "wrong-type /on", "'on' must be true or false, not 0."},
        {"on", "null", "wrong-type /on", "'on' must be true or false, not null."},
        {"size", "\"n / 2\"", NULL, NULL},
        {"size", "2.5", NULL, NULL},
        {"size", "false", "wrong-type /size", "'size' must be a number or an expression, not false."},
        {"value", "{\"any\":[1]}", NULL, NULL},
        {"rest", "{\"any\":1}", NULL, NULL},
        {"rest", "[]", "wrong-type /rest", "'rest' must be an object, not a list."},
        {"point", "null", NULL, NULL},
        {"point", "{\"x\":1,\"colour\":null}", NULL, NULL},
        {"point", "5", "wrong-type /point", "'point' must be an object or null, not 5."},
        {"point", "{\"colour\":\"red\"}", "missing /point/x", "'x' is missing; it must be an integer in digits."},
        {"point", "{\"x\":1,\"colour\":\"pink\"}", "unknown-value /point/colour",
         "'colour' must be red, green or blue or null, not \"pink\"."},
        {"point", "{\"x\":1,\"colour\":\"gren\"}", "unknown-value /point/colour",
         "'colour' must be red, green or blue or null, not \"gren\". Did you mean 'green'?"},
        {"point", "{\"x\":1,\"colour\":5}", "wrong-type /point/colour", NULL},
        {"point", "{\"x\":1,\"color\":\"red\"}", "unknown-field /point/color",
         "Unknown field 'color'; allowed are x, colour. Did you mean 'colour'?"},
        {"point", "{\"x\":1,\"y\":2}", "unknown-field /point/y", "Unknown field 'y'; allowed are x, colour."},
        {"device", "{\"x\":1,\"y\":2}", NULL, NULL},
        {"device", "{\"y\":2}", "missing /device/x", NULL},
        {"points", "[{\"x\":1},{\"x\":true}]", "wrong-type /points/1/x", NULL},
        {"points", "[{\"x\":1},7]", "wrong-type /points/1", "Each of 'points' must be an object, not 7."},
        {"points", "{}", "wrong-type /points", "'points' must be a list of objects or null, not an object."},
        {"points", "null", NULL, NULL},
        {"points", "[null]", "wrong-type /points/0", "Each of 'points' must be an object, not null."},
        {"names", "[]", NULL, NULL},
        {"names", "[\"a\",\"b\",\"c\"]", NULL, NULL},
        {"names", "[\"a\",\"b\",\"c\",\"d\"]", "out-of-bounds /names",
         "'names' must be a list of at most 3 strings, not a list of 4."},
        {"names", "\"a\"", "wrong-type /names", NULL},
        {"names", "[\"a\",\"a\"]", "duplicate /names/1", "'names' must not have a value twice: \"a\"."},
        {"names", "[7]", "wrong-type /names/0", "Each of 'names' must be a string of at most 3 characters, not 7."},
        {"names", "[\"abcd\"]", "out-of-bounds /names/0", NULL},
        {"pair", "null", NULL, NULL},
        {"pair", "[1,1]", NULL, NULL},
        {"pair", "[1]", "out-of-bounds /pair", "'pair' must be a list of 2 values or null, not a list of 1."},
        {"sizes", "1024", NULL, NULL},
        {"sizes", "[1024,\"2KiB\"]", NULL, NULL},
        {"sizes", "[1024,\"1KiB\"]", "duplicate /sizes/1", "'sizes' must not have a value twice: \"1KiB\"."},
        {"sizes", "[]", "out-of-bounds /sizes", "'sizes' must be a list of 1 to 10000 values, not a list of 0."},
        {"sizes", "[1,8192]", "out-of-bounds /sizes/1", NULL},
        {"sides", "[]", "out-of-bounds /sides", NULL},
        {"sides", "[\"red\",\"up\"]", "unknown-value /sides/1",
         "Each of 'sides' must be red, green or blue, not \"up\"."},
        {"sides", "[\"red\",\"blue\",\"red\"]", "duplicate /sides/2", NULL},
        {"a/b~c", "1", "unknown-field /a~1b~0c", NULL},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct lab_errors errors = {0};
        json_t *object = json_pack("{s:o}", values[i].name, json_loads(values[i].value, JSON_DECODE_ANY, NULL));
        assert_non_null(object);
        expect(&values[i], lab_schema_check_members(rows, object, "", &errors), &errors);
        json_decref(object);
    }
}

TEST(texts_are_checked_by_the_same_rows)
{
    static const struct value values[] = {
        {"text", "abc", NULL, NULL},
        {"text", "", "out-of-bounds ", "'text' must be a string of 1 to 3 characters, not ''."},
        {"colour", "blue", NULL, NULL},
        {"colour", "a\nb", "unknown-value ", "'colour' must be red, green or blue, not 'a?b'."},
        {"at", "2024-02-29", NULL, NULL},
        {"at", "2023-02-29", "wrong-type ",
         "'at' must be an RFC 3339 time such as 2026-01-31T12:00:00Z or a date such as 2026-01-31 (in a URL, write '+' "
         "as %2B), not '2023-02-29'."},
        {"count", "-5", NULL, NULL},
        {"count", "500", NULL, NULL},
        {"count", "-6", "out-of-bounds ", NULL},
        {"count", "501", "out-of-bounds ", "'count' must be an integer in digits from -5 to 500, not '501'."},
        {"count", "99999999999999999999", "out-of-bounds ",
         "'count' must be an integer in digits from -5 to 500, not '99999999999999999999'."},
        {"count", "", "wrong-type ", NULL},
        {"count", "-", "wrong-type ", NULL},
        {"count", "1-1", "wrong-type ", NULL},
        {"count", "+1", "wrong-type ", NULL},
        {"count", "1.5", "wrong-type ", NULL},
        {"count", "1e2", "wrong-type ", "'count' must be an integer in digits from -5 to 500, not '1e2'."},
        {"count", "0x1", "wrong-type ", NULL},
        {"count", " 1", "wrong-type ", NULL},
        {"count", "1 ", "wrong-type ", NULL},
        {"whole", "1e2", NULL, NULL},
        {"whole", "1K", "wrong-type ", "'whole' must be an integer from 0 to 1000, not '1K'."},
        {"whole", "1e4", "out-of-bounds ", NULL},
        {"bytes", "1K", NULL, NULL},
        {"share", "1.5", NULL, NULL},
        {"share", "5e-1", NULL, NULL},
        {"share", "+.5", NULL, NULL},
        {"share", "0", "out-of-bounds ", "'share' must be a number above 0, at most 1.5, not '0'."},
        {"share", "nan", "wrong-type ", NULL},
        {"share", "1.6", "out-of-bounds ", NULL},
        {"number", "1e400", "out-of-bounds ", NULL},
        {"on", "true", NULL, NULL},
        {"on", "false", NULL, NULL},
        {"on", "1", "wrong-type ", "'on' must be true or false, not '1'."},
        {"size", "n / 2", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct lab_errors errors = {0};
        const struct lab_schema *row = lab_schema_find(rows, values[i].name);
        expect(&values[i], lab_schema_read_text(row, values[i].value, "", NULL, &errors), &errors);
    }
}

TEST(what_was_read_is_returned)
{
    struct lab_errors errors = {0};
    struct lab_values values = {.given = true};
    struct lab_value value;
    json_t *list = json_pack("[s, i]", "1KiB", 7), *big = json_integer(INT64_MIN);
    assert_true(lab_schema_read(lab_schema_find(rows, "sizes"), list, "", &values, &errors));
    assert_true(values.given && values.count == 2 && values.items[0].integer == 1024 && values.items[1].number == 7);
    free(values.items);
    assert_true(lab_schema_read(lab_schema_find(rows, "any_whole"), big, "", &values, &errors));
    assert_true(values.count == 1 && values.items[0].integer == INT64_MIN);
    free(values.items);
    assert_true(lab_schema_read_text(lab_schema_find(rows, "colour"), "blue", "", &value, &errors));
    assert_int_equal(value.integer, 2);
    assert_string_equal(value.text, "blue");
    assert_true(lab_schema_read_text(lab_schema_find(rows, "share"), ".5", "", &value, &errors) && value.number == 0.5);
    assert_true(lab_schema_read_text(lab_schema_find(rows, "on"), "true", "", &value, &errors) && value.integer == 1);
    json_decref(list);
    json_decref(big);
}

TEST(a_choice_is_that_of_the_object_or_of_the_fallback)
{
    static const struct lab_schema sides[] = {
        {.name = "colour", .type = LAB_TYPE_CHOICE, .choices = colours, .fallback = "green"}, {0}};
    json_t *given = json_pack("{s:s}", "colour", "blue"), *empty = json_object();
    assert_int_equal(lab_schema_choice(sides, given, "colour"), 2);
    assert_int_equal(lab_schema_choice(sides, empty, "colour"), 1);
    json_decref(given);
    json_decref(empty);
}

/* The errors of an object, as "CODE POINTER", in order. */
TEST(all_errors_are_reported_at_once)
{
    static const struct lab_schema required[] = {
        {.name = "must", .type = LAB_TYPE_BOOLEAN, .required = true},
        {.name = "names", .type = LAB_TYPE_STRING, .count = LAB_LIST, .items_max = 9, .distinct = true},
        {.name = "point", .type = LAB_TYPE_OBJECT, .members = point},
        {0}};
    static const char *const wanted[] = {"unknown-field /in/a~1b~0c", "missing /in/must",
                                         "wrong-type /in/names/1",    "duplicate /in/names/2",
                                         "unknown-field /in/point/y", "missing /in/point/x"};
    struct lab_errors errors = {0};
    json_t *object = json_pack("{s:i, s:[s, i, s], s:{s:i}}", "a/b~c", 1, "names", "x", 2, "x", "point", "y", 1);
    assert_false(lab_schema_check_members(required, object, "/in", &errors));
    assert_int_equal(errors.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < errors.count; i++) {
        char found[256];
        snprintf(found, sizeof found, "%s %s", lab_error_name(errors.items[i].code), errors.items[i].pointer);
        assert_string_equal(found, wanted[i]);
    }
    assert_string_equal(errors.items[1].detail, "'must' is missing; it must be true or false.");
    json_decref(object);
}

TEST(a_row_without_a_name_is_left_out_of_the_message)
{
    static const struct lab_schema row = {.type = LAB_TYPE_WHOLE, .minimum = 1, .maximum = 16};
    struct lab_errors errors = {0};
    assert_false(lab_schema_read_text(&row, "17", "--devices", NULL, &errors));
    assert_string_equal(errors.items[0].detail, "must be an integer from 1 to 16, not '17'.");
    assert_string_equal(errors.items[0].pointer, "--devices");
}

TEST(no_table_allows_nothing_and_any_members_everything)
{
    struct lab_errors errors = {0};
    json_t *object = json_pack("{s:i}", "x", 1), *empty = json_object();
    assert_true(lab_schema_check_members(NULL, empty, "", &errors));
    assert_true(lab_schema_check_members(lab_any_members, object, "", &errors));
    assert_int_equal(errors.count, 0);
    assert_false(lab_schema_check_members(NULL, object, "", &errors));
    assert_string_equal(errors.items[0].detail, "Unknown field 'x'; none is allowed.");
    assert_false(lab_schema_has_required(NULL) || lab_schema_has_required(rows));
    assert_true(lab_schema_has_required(point));
    json_decref(empty);
    json_decref(object);
}

TEST(a_long_list_of_names_ends_with_dots)
{
    static char names[40][12];
    static struct lab_schema many[41];
    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "member_%zu", i);
        many[i].name = names[i];
    }
    struct lab_errors errors = {0};
    assert_false(lab_schema_refuse_unknown(many, "field", LAB_ERROR_UNKNOWN_FIELD, "x", "/x", &errors));
    assert_non_null(strstr(errors.items[0].detail, "'x'; allowed are member_0, member_1, "));
    assert_non_null(strstr(errors.items[0].detail, ", \xe2\x80\xa6."));
    assert_false(lab_schema_refuse_unknown(many, "field", LAB_ERROR_UNKNOWN_FIELD, "menber_39", "/x", &errors));
    assert_non_null(strstr(errors.items[1].detail, ", \xe2\x80\xa6. Did you mean 'member_39'?"));
}

TEST(a_long_list_of_choices_is_cut_before_the_suggestion)
{
    static char names[16][32];
    static const char *choices[17];
    for (size_t i = 0; i < 16; i++) {
        snprintf(names[i], sizeof names[i], "%020zu", i);
        choices[i] = names[i];
    }
    const struct lab_schema row = {
        .name = "a_parameter_with_a_name_of_forty_characters", .type = LAB_TYPE_CHOICE, .choices = choices};
    struct lab_errors errors = {0};
    assert_false(lab_schema_read_text(&row, "0000000000000000000x", "/x", NULL, &errors));
    assert_non_null(
        strstr(errors.items[0].detail, ", not '0000000000000000000x'. Did you mean '00000000000000000000'?"));
}

TEST(a_document_describes_what_the_check_accepts)
{
    static const struct lab_schema described[] = {
        {.name = "bytes",
         .title = "Size",
         .text = "A size.",
         .unit = "B",
         .type = LAB_TYPE_SIZE,
         .minimum = 1,
         .maximum = 8,
         .advanced = true,
         .fallback = "4"},
        {.name = "share", .type = LAB_TYPE_NUMBER, .above = true, .maximum = 0.5, .required = true},
        {.name = "positive", .type = LAB_TYPE_NUMBER, .minimum = 1, .maximum = INFINITY, .nullable = true},
        {.name = "sides", .type = LAB_TYPE_CHOICE, .choices = colours, .count = LAB_ONE_OR_LIST, .fallback = "red"},
        {.name = "tags", .type = LAB_TYPE_STRING, .count = LAB_LIST, .distinct = true, .items_max = 2, .maximum = 9},
        {.name = "size", .type = LAB_TYPE_EXPRESSION},
        {.name = "value", .type = LAB_TYPE_ANY},
        {.name = "list", .type = LAB_TYPE_ANY, .count = LAB_LIST, .nullable = true},
        {.name = "at", .type = LAB_TYPE_TIME},
        {.name = "point", .type = LAB_TYPE_OBJECT, .members = point, .nullable = true, .open = true},
        {0}};
    static const char wanted[] =
        "{\"type\":\"object\",\"required\":[\"share\"],\"additionalProperties\":false,\"properties\":{"
        "\"bytes\":{\"type\":[\"integer\",\"string\"],\"minimum\":1,\"maximum\":8,\"title\":\"Size\","
        "\"description\":\"A size.\",\"default\":4,\"x-unit\":\"B\",\"x-advanced\":true},"
        "\"share\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":0.5},"
        "\"positive\":{\"type\":[\"number\",\"null\"],\"minimum\":1},"
        "\"sides\":{\"anyOf\":[{\"type\":\"string\",\"enum\":[\"red\",\"green\",\"blue\"]},{\"type\":\"array\","
        "\"items\":{\"type\":\"string\",\"enum\":[\"red\",\"green\",\"blue\"]},\"minItems\":1,\"maxItems\":10000,"
        "\"uniqueItems\":true}],\"default\":\"red\"},"
        "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":0,\"maxLength\":9},"
        "\"maxItems\":2,\"uniqueItems\":true},"
        "\"size\":{\"type\":[\"number\",\"string\"]},"
        "\"value\":{},"
        "\"list\":{\"type\":[\"array\",\"null\"],\"items\":{}},"
        "\"at\":{\"type\":\"string\",\"anyOf\":[{\"format\":\"date-time\"},{\"format\":\"date\"}]},"
        "\"point\":{\"type\":[\"object\",\"null\"],\"required\":[\"x\"],\"properties\":{"
        "\"x\":{\"type\":\"integer\"},\"colour\":{\"type\":[\"string\",\"null\"],"
        "\"enum\":[\"red\",\"green\",\"blue\",null]}}}}}";
    json_t *found = lab_schema_members_to_json(described), *expected = json_loads(wanted, 0, NULL);
    json_t *bytes = json_object_get(json_object_get(found, "properties"), "bytes");
    assert_non_null(expected);
    assert_non_null(json_object_get(bytes, "pattern"));
    json_object_del(bytes, "pattern"); /* test_number.c has the texts that it takes */
    char *text = json_dumps(found, JSON_COMPACT | JSON_SORT_KEYS);
    if (!json_equal(found, expected))
        fail_msg("%s", text);
    free(text);
    json_decref(found);
    json_decref(expected);
}

TEST(a_document_names_shared_schemas_and_describes_members_of_any_name)
{
    static const struct lab_schema scalar = {.type = LAB_TYPE_SCALAR, .nullable = true};
    static const struct lab_schema shared[] = {
        {LAB_GIVEN(OBJECT, "one"), .component = "Thing"},
        {LAB_GIVEN(OBJECT, "some"), .component = "Thing", .count = LAB_LIST},
        {LAB_GIVEN(OBJECT, "none"), .component = "Thing", .nullable = true},
        {LAB_GIVEN(OBJECT, "map"), .each = &scalar},
        {LAB_GIVEN(NUMBER, "values"), .count = LAB_LIST, .gaps = true},
        {0},
    };
    json_t *document = lab_schema_members_to_json(shared);
    char *text = json_dumps(json_object_get(document, "properties"), JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(
        text,
        "{\"map\":{\"additionalProperties\":{\"type\":[\"string\",\"number\",\"boolean\",\"null\"]},\"type\":\"object\"},"
        "\"none\":{\"anyOf\":[{\"$ref\":\"#/components/schemas/Thing\"},{\"type\":\"null\"}]},"
        "\"one\":{\"$ref\":\"#/components/schemas/Thing\"},"
        "\"some\":{\"items\":{\"$ref\":\"#/components/schemas/Thing\"},\"type\":\"array\"},"
        "\"values\":{\"items\":{\"type\":[\"number\",\"null\"]},\"type\":\"array\"}}");
    free(text);
    json_decref(document);
}
