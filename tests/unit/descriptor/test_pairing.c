/* kernels/descriptor/pairing.c: which points are compared, and the plan of both sides. */
#include "descriptor/pairing.h"
#include "descriptor/parameters.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* --- an experiment with the axes kind, bytes and device ----------------------------------------------------------- */

static const char *const kinds[] = {"slow", "fast", "other", NULL};
static const struct lab_schema parameters[] = {
    {LAB_CHOICES("kind", "Kind", "Kind.", kinds, "slow")},
    LAB_SIZES_PARAMETERS("a buffer", 1024, 4096, 2),
    {LAB_INTEGER("weight", "Weight", "Weight.", 1), .minimum = 1, .maximum = 9},
    {.name = NULL}};

static void list_devices(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    (void)point;
    for (size_t i = 0; i < request->device_count; i++)
        lab_axis_values_add(values, (int64_t)i);
}

static const struct lab_axis axes[] = {{.name = "kind", .title = "Kind"},
                                       {.name = "bytes", .title = "Size", .unit = "B", .source = LAB_AXIS_SIZES},
                                       {.name = "device", .title = "Device", .devices = true, .list = list_devices},
                                       {.name = NULL}};

static bool plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    (void)devices;
    *estimate = (struct lab_estimate){.points = device_count,
                                      .device_bytes = (uint64_t)lab_parameter_integer(given, "max_bytes"),
                                      .host_bytes = 10,
                                      .seconds = 21.7, /* 1 without hardware counters */
                                      .counting_s = 20,
                                      .least_seconds = 0.5};
    return lab_points_check_sizes(given, "bytes", errors);
}

static const struct lab_experiment experiment = {.name = "first", .parameters = parameters, .axes = axes, .plan = plan};

/* The parity of the first number is weight - 1, and that of the second one 2 - weight: no point of weight 1 is equal to
 * one of weight 2, although both have all values. */
static void list_kinds(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    int64_t weight = lab_parameter_integer(request->parameters, "weight");
    lab_axis_values_add(values, point->values[0] == 1 ? weight - 1 : 2 - weight);
}

static void list_numbers(const struct lab_points_request *request, const struct lab_point *point,
                         struct lab_axis_values *values)
{
    (void)request;
    (void)point;
    lab_axis_values_add(values, 1);
    lab_axis_values_add(values, 2);
}

static const struct lab_axis odd_axes[] = {{.name = "number", .title = "Number", .list = list_numbers},
                                           {.name = "parity", .title = "Parity", .list = list_kinds},
                                           {.name = NULL}};
static const struct lab_experiment odd_experiment = {
    .name = "odd", .parameters = parameters, .axes = odd_axes, .plan = plan};

/* The same kinds in another order, and an axis of its own. */
static const char *const other_kinds[] = {"fast", "slow", NULL};
static const struct lab_schema other_parameters[] = {
    {LAB_CHOICES("kind", "Kind", "Kind.", other_kinds, "slow")},
    LAB_SIZES_PARAMETERS("a buffer", 1024, 4096, 2),
    {LAB_INTEGERS("depth", "Depth", "Depth.", 1, 2), .minimum = 1, .maximum = 9},
    {.name = NULL}};
static const struct lab_axis other_axes[] = {{.name = "depth", .title = "Depth"},
                                             {.name = "bytes", .title = "Size", .source = LAB_AXIS_SIZES},
                                             {.name = "kind", .title = "Kind"},
                                             {.name = NULL}};
static const struct lab_experiment other_experiment = {
    .name = "second", .parameters = other_parameters, .axes = other_axes, .plan = plan};

/* --- a comparison ------------------------------------------------------------------------------------------------- */

static struct lab_device_facts facts[2] = {{.id = "gpu-0", .name = "First", .total_memory_bytes = 10000},
                                           {.id = "gpu-1", .name = "Second", .total_memory_bytes = 10000}};

/* A side, its points, and the storage of both. */
struct side {
    const struct lab_device_facts *devices[2];
    struct lab_parameters *parameters;
    struct lab_points_request request;
    struct lab_points points;
};

static void open_side(struct side *side, const struct lab_experiment *of, const char *given, size_t first_device,
                      size_t devices)
{
    struct lab_errors errors = {0};
    json_t *object = json_loads(given, 0, NULL);
    assert_non_null(object);
    side->parameters = lab_parameters_parse(of, object, &errors);
    assert_non_null(side->parameters);
    for (size_t i = 0; i < devices; i++)
        side->devices[i] = &facts[first_device + i];
    side->request = (struct lab_points_request){side->parameters, side->devices, devices};
    assert_true(lab_points_init(&side->points, side->parameters, side->devices, devices, &errors));
    json_decref(object);
}

static void close_side(struct side *side)
{
    lab_points_release(&side->points);
    lab_parameters_free(side->parameters);
}

static void write_point(const struct side *side, size_t point, char *text, size_t size)
{
    if (point == LAB_NO_POINT)
        snprintf(text, size, "-");
    else
        lab_point_label(side->parameters->experiment, &side->points.items[point], text, size);
}

/* Checks all pairs, written as "BASE | HEAD". */
static void assert_pairs(const struct side *base, const struct side *head, size_t complete, size_t count,
                         const char *const expected[])
{
    struct lab_errors errors = {0};
    struct lab_pairs pairs;
    assert_true(lab_pairs_init(&pairs, base->parameters, &base->points, head->parameters, &head->points, &errors));
    assert_int_equal(pairs.complete, complete);
    assert_int_equal(pairs.count, count);
    for (size_t i = 0; i < count; i++) {
        char one[96], other[96], pair[200];
        write_point(base, pairs.items[i].base, one, sizeof one);
        write_point(head, pairs.items[i].head, other, sizeof other);
        snprintf(pair, sizeof pair, "%s | %s", one, other);
        assert_string_equal(pair, expected[i]);
    }
    lab_pairs_release(&pairs);
}

static void compare(const char *base_given, const char *head_given, size_t complete, size_t count,
                    const char *const expected[])
{
    struct side base, head;
    open_side(&base, &experiment, base_given, 0, 1);
    open_side(&head, &experiment, head_given, 0, 1);
    assert_pairs(&base, &head, complete, count, expected);
    close_side(&base);
    close_side(&head);
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

TEST(equal_sides_have_each_point_once)
{
    static const char *const expected[] = {"slow, 1 KiB, Device #0 | slow, 1 KiB, Device #0",
                                           "slow, 2 KiB, Device #0 | slow, 2 KiB, Device #0",
                                           "slow, 4 KiB, Device #0 | slow, 4 KiB, Device #0"};
    compare("{}", "{}", 3, 3, expected);
}

TEST(a_parameter_that_changes_does_not_have_to_be_an_axis)
{
    static const char *const expected[] = {"slow, 4 KiB, Device #0 | slow, 4 KiB, Device #0"};
    compare("{\"min_bytes\": 4096, \"weight\": 2}", "{\"min_bytes\": 4096}", 1, 1, expected);
}

TEST(a_changed_axis_is_paired_in_order)
{
    static const char *const expected[] = {"fast, 4 KiB, Device #0 | slow, 4 KiB, Device #0",
                                           "other, 4 KiB, Device #0 | fast, 4 KiB, Device #0"};
    compare("{\"min_bytes\": 4096, \"kind\": [\"fast\", \"other\"]}",
            "{\"min_bytes\": 4096, \"kind\": [\"slow\", \"fast\"]}", 2, 2, expected);
}

TEST(a_single_value_of_the_base_is_compared_with_all_of_the_head)
{
    static const char *const expected[] = {
        "slow, 2 KiB, Device #0 | slow, 2 KiB, Device #0", "slow, 4 KiB, Device #0 | slow, 4 KiB, Device #0",
        "slow, 2 KiB, Device #0 | fast, 2 KiB, Device #0", "slow, 4 KiB, Device #0 | fast, 4 KiB, Device #0"};
    compare("{\"min_bytes\": 2048, \"kind\": [\"slow\"]}", "{\"min_bytes\": 2048, \"kind\": [\"slow\", \"fast\"]}", 4,
            4, expected);
}

TEST(points_of_one_side_only_have_no_partner)
{
    static const char *const sizes[] = {"slow, 2 KiB, Device #0 | slow, 2 KiB, Device #0", "- | slow, 1 KiB, Device #0",
                                        "slow, 4 KiB, Device #0 | -"};
    static const char *const values[] = {"slow, 4 KiB, Device #0 | other, 4 KiB, Device #0",
                                         "fast, 4 KiB, Device #0 | -"};
    compare("{\"min_bytes\": 2048}", "{\"max_bytes\": 2048}", 1, 3, sizes);
    compare("{\"min_bytes\": 4096, \"kind\": [\"slow\", \"fast\"]}", "{\"min_bytes\": 4096, \"kind\": [\"other\"]}", 1,
            2, values);
}

TEST(sides_without_a_common_size_are_paired_in_order)
{
    static const char *const expected[] = {"slow, 4 KiB, Device #0 | slow, 1 KiB, Device #0",
                                           "slow, 8 KiB, Device #0 | slow, 2 KiB, Device #0"};
    compare("{\"min_bytes\": 4096, \"max_bytes\": 8192}", "{\"max_bytes\": 2048}", 2, 2, expected);
}

TEST(devices_are_equal_by_their_position)
{
    static const char *const expected[] = {"slow, 4 KiB, Device #0 | slow, 4 KiB, Device #0"};
    struct side base, head;
    open_side(&base, &experiment, "{\"min_bytes\": 4096}", 1, 1);
    open_side(&head, &experiment, "{\"min_bytes\": 4096}", 0, 1);
    assert_pairs(&base, &head, 1, 1, expected);
    close_side(&base);
    close_side(&head);
}

TEST(two_experiments_are_compared_on_the_axes_that_both_have)
{
    static const char *const expected[] = {"depth 3, bytes 4096, slow | slow, 4 KiB, Device #0",
                                           "depth 3, bytes 4096, fast | fast, 4 KiB, Device #0",
                                           "- | other, 4 KiB, Device #0"};
    struct side base, head;
    open_side(&base, &other_experiment, "{\"min_bytes\": 4096, \"depth\": [3], \"kind\": [\"fast\", \"slow\"]}", 0, 1);
    open_side(&head, &experiment, "{\"min_bytes\": 4096, \"kind\": [\"slow\", \"fast\", \"other\"]}", 0, 1);
    assert_pairs(&base, &head, 2, 3, expected);
    close_side(&base);
    close_side(&head);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* The code of the first error of a plan, "" if there is none; *errors has all. */
static const char *plan_of(const char *base_given, size_t base_device, const char *head_given,
                           struct lab_estimate *estimate, struct lab_errors *errors)
{
    struct side base, head;
    *errors = (struct lab_errors){0};
    open_side(&base, &experiment, base_given, base_device, 1);
    open_side(&head, &experiment, head_given, 0, 1);
    bool good = lab_comparison_plan(&base.request, &head.request, estimate, errors);
    assert_int_equal(good, errors->count == 0);
    close_side(&base);
    close_side(&head);
    return good ? "" : lab_error_name(errors->items[0].code);
}

TEST(a_plan_adds_up_both_sides)
{
    struct lab_estimate estimate;
    struct lab_errors errors;
    assert_string_equal(plan_of("{\"weight\": 2}", 0, "{}", &estimate, &errors), "");
    assert_int_equal(estimate.points, 6);
    assert_int_equal(estimate.device_bytes, 8192);
    assert_int_equal(estimate.host_bytes, 20);
    assert_float_equal(estimate.seconds, 12 + 40.7, 1e-9); /* the time budget, and the counters of both sides */
    assert_string_equal(plan_of("{\"weight\": 2}", 1, "{\"max_bytes\": 2048}", &estimate, &errors), "");
    assert_int_equal(estimate.points, 4);
    assert_int_equal(estimate.device_bytes, 4096); /* the sides use different devices */
    assert_string_equal(plan_of("{}", 0, "{\"time_budget_s\": 1.5}", &estimate, &errors), "");
    assert_float_equal(estimate.seconds, 1.5 + 40.7, 1e-9);
}

TEST(both_sides_must_fit_in_memory_together)
{
    struct lab_estimate estimate;
    struct lab_errors errors;
    assert_string_equal(plan_of("{\"max_bytes\": 8192}", 0, "{}", &estimate, &errors), "exceeds-memory");
    assert_string_equal(errors.items[0].pointer, "/compare_with");
    assert_string_equal(plan_of("{\"max_bytes\": 8192}", 1, "{}", &estimate, &errors), "");
}

TEST(errors_of_the_base_point_below_compare_with)
{
    struct lab_estimate estimate;
    struct lab_errors errors;
    struct side base, head;
    open_side(&base, &experiment, "{}", 0, 1);
    open_side(&head, &experiment, "{\"max_samples\": 15}", 0, 1);
    base.parameters->values[1].items[0].integer = 1 << 20; /* min_bytes, above max_bytes */
    errors = (struct lab_errors){0};
    assert_false(lab_comparison_plan(&base.request, &head.request, &estimate, &errors));
    assert_int_equal(errors.count, 2);
    assert_string_equal(errors.items[0].pointer, "/parameters/max_samples");
    assert_string_equal(errors.items[1].pointer, "/compare_with/parameters/min_bytes");
    close_side(&base);
    close_side(&head);
}

TEST(sides_without_a_common_point_are_refused)
{
    struct lab_estimate estimate;
    struct lab_errors errors = {0};
    struct side base, head;
    open_side(&base, &experiment, "{}", 0, 1);
    open_side(&head, &other_experiment, "{\"kind\": [\"fast\"]}", 0, 1);
    assert_true(lab_comparison_plan(&base.request, &head.request, &estimate, &errors)); /* kind has no common value */
    assert_int_equal(estimate.points, 12);
    close_side(&base);
    close_side(&head);
    open_side(&base, &odd_experiment, "{}", 0, 1);
    open_side(&head, &odd_experiment, "{\"weight\": 2}", 0, 1);
    assert_false(lab_comparison_plan(&base.request, &head.request, &estimate, &errors));
    assert_int_equal(errors.items[0].code, LAB_ERROR_NO_COMMON_POINT);
    assert_string_equal(errors.items[0].pointer, "/compare_with");
    close_side(&base);
    close_side(&head);
}
