/* kernels/experiments/transfer.c: which points a request has, and which requests cannot be. */
#include "experiments/transfer/transfer.h"
#include "plan_harness.h"

#include <cmocka.h>

static void the_default_has_two_directions_two_memories_ten_sizes(void **state)
{
    (void)state;
    expect_points("transfer", "{}", 40);
}

static void one_size_is_one_point_a_series(void **state)
{
    (void)state;
    expect_points("transfer",
                  "{\"min_bytes\": 1000, \"max_bytes\": 1000, \"memory\": \"pinned\", \"direction\": \"h2d\"}", 1);
}

static void the_largest_size_is_always_there(void **state)
{
    (void)state;
    /* 1000, 3000, 9000, 10000 */
    expect_points(
        "transfer",
        "{\"min_bytes\": 1000, \"max_bytes\": 10000, \"factor\": 3, \"memory\": \"pinned\", \"direction\": \"h2d\"}",
        4);
    /* 1, 2, 3, 4, 5: a small factor still grows */
    expect_points(
        "transfer",
        "{\"min_bytes\": 1, \"max_bytes\": 5, \"factor\": 1.01, \"memory\": \"pinned\", \"direction\": \"h2d\"}", 5);
}

static void opposing_adds_each_direction_under_load_and_both_together(void **state)
{
    (void)state;
    expect_points("transfer",
                  "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": \"pinned\", \"opposing\": [false, true]}", 2 + 3);
    expect_points(
        "transfer",
        "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": \"pinned\", \"direction\": \"h2d\", \"opposing\": true}", 2);
}

static void the_local_copy_has_no_host_memory(void **state)
{
    (void)state;
    expect_points("transfer",
                  "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": [\"pinned\", \"mapped\"], \"direction\": \"d2d\"}",
                  1);
    expect_points(
        "transfer",
        "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": [\"pinned\", \"mapped\"], \"direction\": [\"h2d\", \"d2d\"],"
        "\"engine\": [\"copy\", \"sm\"], \"pattern\": [\"contiguous\", \"pitched\"]}",
        2 * 2 * 2 + 2 * 2);
}

static void memory_counts_a_source_and_a_destination(void **state)
{
    (void)state;
    struct plan plan = plan_within("transfer", "{\"max_bytes\": 1048576}", INT64_C(1) << 30);
    assert_true(plan.good);
    assert_int_equal(plan.estimate.device_bytes, 2097152);
    plan = plan_within("transfer",
                       "{\"max_bytes\": 1048576, \"pattern\": \"pitched\", \"row_bytes\": 1024, \"pitch_bytes\": 4096}",
                       INT64_C(1) << 30);
    assert_true(plan.good);
    assert_int_equal(plan.estimate.device_bytes, 2 * 1025 * 4096);
}

static void what_cannot_be_is_refused_with_a_pointer(void **state)
{
    (void)state;
    expect_refusal("transfer", "{\"min_bytes\": 2048, \"max_bytes\": 1024}", "min-above-max", "/parameters/min_bytes");
    expect_refusal("transfer", "{\"max_bytes\": 1073741824}", "exceeds-memory", "/parameters/max_bytes");
    expect_refusal("transfer", "{\"pattern\": \"rows\", \"row_bytes\": 4096, \"pitch_bytes\": 1024}", "out-of-bounds",
                   "/parameters/pitch_bytes");
    expect_refusal(
        "transfer",
        "{\"min_bytes\": 1, \"max_bytes\": 100000, \"factor\": 1.01, \"direction\": [\"h2d\", \"d2h\"],"
        "\"memory\": [\"pageable\", \"pinned\", \"write-combined\", \"mapped\"], \"engine\": [\"copy\", \"sm\"]}",
        "too-many-points", "/parameters");
    expect_refusal(
        "transfer",
        "{\"max_bytes\": 1099511627776, \"pattern\": \"rows\", \"row_bytes\": 1, \"pitch_bytes\": 2147483647}",
        "exceeds-memory", "/parameters/max_bytes");
}

static void both_numbers_are_said_where_memory_does_not_do(void **state)
{
    (void)state;
    struct plan plan = plan_within("transfer", "{\"max_bytes\": 1073741824}", INT64_C(1) << 30);
    assert_non_null(strstr(plan.errors.items[0].detail, "2147483648"));
    assert_non_null(strstr(plan.errors.items[0].detail, "1073741824"));
}

static bool check_order(void *context, const struct transfer_point *point)
{
    struct transfer_point *last = context;
    if (last->bytes != 0 && last->memory == point->memory && last->direction == point->direction)
        assert_true(point->bytes > last->bytes);
    assert_true(point->memory >= last->memory);
    *last = *point;
    return true;
}

static void sizes_grow_within_a_series_and_memories_follow_each_other(void **state)
{
    (void)state;
    struct lab_parameters *parameters = parse("transfer", "{\"memory\": [\"pageable\", \"pinned\", \"mapped\"]}");
    struct transfer_point last = {.memory = LAB_MEMORY_DEVICE};
    assert_true(transfer_each_point(parameters, check_order, &last));
    assert_int_equal(last.bytes, 268435456);
    lab_parameters_free(parameters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_has_two_directions_two_memories_ten_sizes),
        cmocka_unit_test(one_size_is_one_point_a_series),
        cmocka_unit_test(the_largest_size_is_always_there),
        cmocka_unit_test(opposing_adds_each_direction_under_load_and_both_together),
        cmocka_unit_test(the_local_copy_has_no_host_memory),
        cmocka_unit_test(memory_counts_a_source_and_a_destination),
        cmocka_unit_test(what_cannot_be_is_refused_with_a_pointer),
        cmocka_unit_test(both_numbers_are_said_where_memory_does_not_do),
        cmocka_unit_test(sizes_grow_within_a_series_and_memories_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
