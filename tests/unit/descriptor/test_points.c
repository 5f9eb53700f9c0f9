/* kernels/descriptor/points.c: the points of nested loops over the axes, and how they are written. */
#include "descriptor/parameters.h"
#include "descriptor/points.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { KIND, LINK, WIDTH, BYTES, DEVICE, PHASE };
enum { NEAR, FAR, NOWHERE };

static const char *const kinds[] = {"near", "far", "nowhere", NULL};
static const char *const phases[] = {"start", "end", NULL};

static const struct lab_schema parameters[] = {
    {.name = "kind",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = kinds,
     .fallback = "[\"near\", \"far\"]"},
    {.name = "link", .type = LAB_TYPE_BOOLEAN, .count = LAB_ONE_OR_LIST, .fallback = "[false, true]"},
    {.name = "width",
     .type = LAB_TYPE_SIZE,
     .count = LAB_ONE_OR_LIST,
     .minimum = 1,
     .maximum = 100000,
     .fallback = "[16]"},
    LAB_SIZES_PARAMETERS("a test", 1024, 1024, 4),
    {.name = NULL},
};

static bool is_far(const struct lab_point *point)
{
    return point->values[KIND] == FAR;
}

static int64_t multiple_of_8(const struct lab_point *point, int64_t value)
{
    (void)point;
    return value / 8 * 8;
}

/* A width of 48 is only for what is near. */
static bool keeps_width(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    assert_int_equal(request->device_count, 2);
    return value != 48 || !is_far(point);
}

static bool keeps_near(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)request, (void)point;
    return value == NEAR;
}

/* One value for each device, but none for `nowhere`. */
static void list_devices(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    for (size_t i = 0; point->values[KIND] != NOWHERE && i < request->device_count; i++)
        lab_axis_values_add(values, (int64_t)i);
}

static const struct lab_axis axes[] = {
    [KIND] = {.name = "kind", .title = "Kind"},
    [LINK] = {.name = "link", .title = "Link busy", .applies = is_far},
    [WIDTH] = {.name = "width", .title = "Width", .keeps = keeps_width, .round = multiple_of_8},
    [BYTES] = {.name = "bytes", .title = "Size", .unit = "B", .source = LAB_AXIS_SIZES},
    [DEVICE] = {.name = "device", .title = "Device", .devices = true, .list = list_devices},
    [PHASE] = {.name = "phase", .title = "Phase", .choices = phases, .source = LAB_AXIS_RUN},
    {.name = NULL},
};

static const struct lab_experiment experiment = {.name = "test", .parameters = parameters, .axes = axes};

/* The request's parameters and points on two devices. */
struct fixture {
    struct lab_parameters *parameters;
    struct lab_errors errors;
    struct lab_points points;
    bool good;
};

static void open_fixture(struct fixture *f, const char *text)
{
    static const struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts, &facts};
    json_t *given = json_loads(text, 0, NULL);
    *f = (struct fixture){0};
    f->parameters = lab_parameters_parse(&experiment, given, &f->errors);
    assert_non_null(f->parameters);
    json_decref(given);
    f->good = lab_points_init(&f->points, f->parameters, devices, 2, &f->errors);
}

static void close_fixture(struct fixture *f)
{
    lab_points_release(&f->points);
    lab_parameters_free(f->parameters);
}

/* Expects the values of an axis, in the order of the points. */
static void expect_values(const struct fixture *f, size_t axis, const int64_t *expected, size_t count)
{
    assert_true(f->good);
    assert_int_equal(f->points.count, count);
    for (size_t i = 0; i < count; i++)
        if (f->points.items[i].values[axis] != expected[i])
            fail_msg("point %zu: %s is %" PRId64 ", not %" PRId64, i, axes[axis].name, f->points.items[i].values[axis],
                     expected[i]);
}

#define EXPECT_VALUES(fixture, axis, ...)                                                                              \
    do {                                                                                                               \
        const int64_t expected[] = {__VA_ARGS__};                                                                      \
        expect_values(fixture, axis, expected, sizeof expected / sizeof *expected);                                    \
    } while (0)

TEST(the_first_axis_is_the_outermost_loop)
{
    struct fixture f;
    open_fixture(&f, "{}");
    EXPECT_VALUES(&f, KIND, NEAR, NEAR, FAR, FAR, FAR, FAR);
    EXPECT_VALUES(&f, LINK, LAB_NO_VALUE, LAB_NO_VALUE, 0, 0, 1, 1);
    EXPECT_VALUES(&f, DEVICE, 0, 1, 0, 1, 0, 1);
    EXPECT_VALUES(&f, PHASE, LAB_NO_VALUE, LAB_NO_VALUE, LAB_NO_VALUE, LAB_NO_VALUE, LAB_NO_VALUE, LAB_NO_VALUE);
    close_fixture(&f);
}

TEST(values_keep_the_order_of_the_request)
{
    struct fixture f;
    open_fixture(&f, "{\"kind\": \"near\", \"width\": [64, 8, 32]}");
    EXPECT_VALUES(&f, WIDTH, 64, 64, 8, 8, 32, 32);
    close_fixture(&f);
}

TEST(a_value_that_the_axis_does_not_keep_is_left_out)
{
    struct fixture f;
    open_fixture(&f, "{\"kind\": [\"near\", \"far\"], \"link\": false, \"width\": [48, 8]}");
    EXPECT_VALUES(&f, WIDTH, 48, 48, 8, 8, 8, 8);
    close_fixture(&f);
}

/* "nowhere" is the choice that stands for those before it. */
TEST(a_choice_stands_for_those_before_it_that_the_axis_keeps)
{
    static const struct lab_axis of_all[] = {{.name = "kind", .all = NOWHERE, .keeps = keeps_near}, {.name = NULL}};
    static const struct lab_experiment another = {.name = "test", .parameters = parameters, .axes = of_all};
    static const struct {
        const char *request;
        int64_t kind;
    } cases[] = {{"{\"kind\": \"nowhere\"}", NEAR}, {"{\"kind\": \"far\"}", FAR}};
    static const struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts, &facts};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_errors errors = {0};
        struct lab_points points;
        json_t *given = json_loads(cases[i].request, 0, NULL);
        struct lab_parameters *parsed = lab_parameters_parse(&another, given, &errors);
        assert_true(lab_points_init(&points, parsed, devices, 2, &errors));
        assert_int_equal(points.count, 1);
        assert_int_equal(points.items[0].values[0], cases[i].kind);
        lab_points_release(&points);
        lab_parameters_free(parsed);
        json_decref(given);
    }
}

TEST(values_that_round_to_the_same_are_measured_once)
{
    struct fixture f;
    open_fixture(&f, "{\"kind\": \"near\", \"width\": [17, 8, 16, 9, 23, 24]}");
    EXPECT_VALUES(&f, WIDTH, 16, 16, 8, 8, 24, 24);
    close_fixture(&f);
}

TEST(sizes_grow_by_the_factor_up_to_the_largest)
{
    struct fixture f;
    open_fixture(&f, "{\"kind\": \"near\", \"min_bytes\": 10, \"max_bytes\": 100, \"factor\": 3}");
    EXPECT_VALUES(&f, BYTES, 10, 10, 30, 30, 90, 90, 100, 100);
    close_fixture(&f);
    open_fixture(&f, "{\"kind\": \"near\", \"min_bytes\": 1, \"max_bytes\": 3, \"factor\": 1.01}");
    EXPECT_VALUES(&f, BYTES, 1, 1, 2, 2, 3, 3);
    close_fixture(&f);
    open_fixture(
        &f, "{\"kind\": \"near\", \"min_bytes\": 549755813888, \"max_bytes\": 1099511627776, \"factor\": 1048576}");
    EXPECT_VALUES(&f, BYTES, INT64_C(549755813888), INT64_C(549755813888), INT64_C(1099511627776),
                  INT64_C(1099511627776));
    close_fixture(&f);
}

TEST(a_smallest_size_above_the_largest_is_an_error)
{
    struct fixture f;
    open_fixture(&f, "{\"min_bytes\": 100, \"max_bytes\": 99}");
    assert_false(lab_points_check_sizes(f.parameters, "bytes", &f.errors));
    assert_int_equal(f.errors.items[0].code, LAB_ERROR_MIN_ABOVE_MAX);
    assert_string_equal(f.errors.items[0].pointer, "/parameters/min_bytes");
    close_fixture(&f);
    open_fixture(&f, "{\"min_bytes\": 100, \"max_bytes\": 100}");
    assert_true(lab_points_check_sizes(f.parameters, "bytes", &f.errors));
    close_fixture(&f);
}

/* A combination without values on an axis has no points. */
TEST(an_empty_list_leaves_out_its_combination)
{
    struct fixture f;
    open_fixture(&f, "{\"kind\": [\"nowhere\", \"near\"]}");
    EXPECT_VALUES(&f, KIND, NEAR, NEAR);
    close_fixture(&f);
    open_fixture(&f, "{\"kind\": \"nowhere\"}");
    assert_true(f.good);
    assert_int_equal(f.points.count, 0);
    close_fixture(&f);
}

/* A request of 100 widths x `sizes` sizes, which grow by one byte, on 2 devices. */
static void open_grid(struct fixture *f, int sizes)
{
    char text[1024];
    int length =
        snprintf(text, sizeof text,
                 "{\"kind\": \"near\", \"factor\": 1.01, \"min_bytes\": 1, \"max_bytes\": %d, \"width\": [8", sizes);
    for (int i = 2; i <= 100; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, ", %d", 8 * i);
    snprintf(text + length, sizeof text - (size_t)length, "]}");
    open_fixture(f, text);
}

TEST(more_points_than_allowed_are_refused)
{
    struct fixture f;
    open_grid(&f, 50);
    assert_true(f.good);
    assert_int_equal(f.points.count, LAB_POINTS_MAX);
    close_fixture(&f);
    open_grid(&f, 51);
    assert_false(f.good);
    assert_int_equal(f.errors.count, 1);
    assert_int_equal(f.errors.items[0].code, LAB_ERROR_TOO_MANY_POINTS);
    assert_string_equal(f.errors.items[0].pointer, "/parameters");
    assert_null(f.points.items);
    close_fixture(&f);
}

TEST(points_are_compared_without_the_excepted_axes)
{
    const struct lab_point a = {.values = {FAR, 1, 8, 1024, 0, 0}}, b = {.values = {FAR, 1, 16, 2048, 0, 0}};
    assert_true(lab_points_equal(&experiment, &a, &a, 0));
    assert_false(lab_points_equal(&experiment, &a, &b, 0));
    assert_false(lab_points_equal(&experiment, &a, &b, UINT32_C(1) << BYTES));
    assert_true(lab_points_equal(&experiment, &a, &b, UINT32_C(1) << BYTES | UINT32_C(1) << WIDTH));
}

TEST(labels_name_all_values_that_apply)
{
    char label[128], cut[8];
    struct lab_point point = {.values = {FAR, 0, 16, 4194304, 1, 1}};
    lab_point_label(&experiment, &point, label, sizeof label);
    assert_string_equal(label, "far, Link busy: no, width 16, 4 MiB, Device #1, end");
    point.values[LINK] = point.values[DEVICE] = point.values[PHASE] = LAB_NO_VALUE;
    lab_point_label(&experiment, &point, label, sizeof label);
    assert_string_equal(label, "far, width 16, 4 MiB");
    lab_point_label(&experiment, &point, cut, sizeof cut);
    assert_string_equal(cut, "far, wi");
}
