/* kernels/core/number.c: the texts of tests/sizes.json, and where a size ends. */
#include "core/number.h"
#include "support/test.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *sizes;

static int load_sizes(void **state)
{
    (void)state;
    sizes = json_load_file(LAB_TEST_SOURCE "/sizes.json", 0, NULL);
    return sizes != NULL ? 0 : -1;
}

static int free_sizes(void **state)
{
    (void)state;
    json_decref(sizes);
    return 0;
}

AROUND_EACH_TEST(.setup = load_sizes, .teardown = free_sizes)

static void check_values(const char *member)
{
    const char *text;
    json_t *wanted;
    assert_true(json_object_size(json_object_get(sizes, member)) > 0);
    json_object_foreach(json_object_get(sizes, member), text, wanted)
    {
        double value;
        if (!lab_size_parse(text, &value))
            fail_msg("\"%s\" is refused", text);
        if (value != json_number_value(wanted))
            fail_msg("\"%s\" is %.17g, not %.17g", text, value, json_number_value(wanted));
    }
}

TEST(sizes_have_values)
{
    check_values("values");
    check_values("fractions");
}

TEST(other_texts_are_refused)
{
    size_t index;
    json_t *text;
    double value;
    assert_true(json_array_size(json_object_get(sizes, "refused")) > 0);
    assert_false(lab_size_parse("1MiB\n", &value));
    json_array_foreach(json_object_get(sizes, "refused"), index, text)
    {
        if (lab_size_parse(json_string_value(text), &value))
            fail_msg("\"%s\" is %.17g", json_string_value(text), value);
    }
}

TEST(what_no_double_has_is_infinite)
{
    static const char *const texts[] = {
        "1e400", "1e5000", "2^2000", "10^400", "3<<2000", "9e307KiB", "2^99999999999999999999"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(lab_size_parse(texts[i], &value) && isinf(value));
    assert_true(lab_size_parse("99999999999999999999", &value) && value == 1e20);
    assert_true(lab_size_parse("1^99999999999", &value) && value == 1);
    assert_true(lab_size_parse("0<<99999999999", &value) && value == 0);
}

TEST(a_size_ends_where_its_unit_ends)
{
    static const struct {
        const char *text;
        size_t length, unit;
        double value;
    } examples[] = {{"64KiB*n", 5, 2, 65536}, {"1 MiB)", 5, 2, 1048576}, {"4n", 1, 1, 4},      {"4 n", 1, 1, 4},
                    {"4kn", 1, 1, 4},         {"2^20", 1, 1, 2},         {"1e3x", 3, 3, 1000}, {"1ex", 1, 1, 1},
                    {"1  MiB", 1, 1, 1},      {"8 / n", 1, 1, 8},        {"-1", 0, 0, 0},      {"0x10", 0, 0, 0},
                    {"n", 0, 0, 0},           {".K", 0, 0, 0},           {"5.K", 3, 2, 5120}};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        double value;
        size_t unit, length = lab_size_read(examples[i].text, &value, &unit);
        if (length != examples[i].length || unit != examples[i].unit || value != examples[i].value)
            fail_msg("\"%s\": %zu bytes, unit at %zu, %g", examples[i].text, length, unit, value);
    }
}

TEST(a_decimal_has_no_unit)
{
    double value;
    assert_true(lab_decimal_parse("-1.5e2", &value) && value == -150);
    assert_true(lab_decimal_parse(".5", &value) && value == 0.5);
    assert_true(lab_decimal_parse("99999999999999999999", &value) && value == 1e20);
    static const char *const others[] = {"", "1K", "1 ", " 1", "1B", "2^2", "0x1", "nan", "-", "1e"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(lab_decimal_parse(others[i], &value));
}
