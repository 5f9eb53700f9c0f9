/* kernels/experiments/transfer/transfer.c: the points of a request, their order, the memory in the plan, and refused
 * requests. */
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"
#include "support/plan_harness.h"
#include "support/test.h"

TEST(the_default_has_two_directions_two_memories_and_ten_sizes)
{
    expect_points("transfer", "{}", 40);
}

TEST(equal_smallest_and_largest_size_give_one_point)
{
    expect_points("transfer",
                  "{\"min_bytes\": 1000, \"max_bytes\": 1000, \"memory\": \"pinned\", \"direction\": \"h2d\"}", 1);
}

TEST(the_largest_size_is_always_measured)
{
    /* 1000, 3000, 9000, 10000 */
    expect_points(
        "transfer",
        "{\"min_bytes\": 1000, \"max_bytes\": 10000, \"factor\": 3, \"memory\": \"pinned\", \"direction\": \"h2d\"}",
        4);
    /* 1, 2, 3, 4, 5: a small factor still advances by one byte */
    expect_points(
        "transfer",
        "{\"min_bytes\": 1, \"max_bytes\": 5, \"factor\": 1.01, \"memory\": \"pinned\", \"direction\": \"h2d\"}", 5);
}

TEST(opposing_adds_each_direction_under_load_and_the_aggregate)
{
    expect_points("transfer",
                  "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": \"pinned\", \"opposing\": [false, true]}", 2 + 3);
    expect_points(
        "transfer",
        "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": \"pinned\", \"direction\": \"h2d\", \"opposing\": true}", 2);
}

TEST(copies_within_the_device_ignore_host_memory)
{
    expect_points("transfer",
                  "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": [\"pinned\", \"mapped\"], \"direction\": \"d2d\"}",
                  1);
    expect_points(
        "transfer",
        "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": [\"pinned\", \"mapped\"], \"direction\": [\"h2d\", \"d2d\"],"
        "\"engine\": [\"copy\", \"sm\"], \"pattern\": [\"contiguous\", \"pitched\"]}",
        2 * 2 * 2 + 2 * 2);
}

/* Host memory is not in the device's last-level cache. */
TEST(only_copies_within_the_device_have_a_cold_cache)
{
    expect_points("transfer",
                  "{\"min_bytes\": 8, \"max_bytes\": 8, \"memory\": \"pinned\", \"direction\": [\"h2d\", \"d2d\"],"
                  "\"cache\": [\"warm\", \"cold\"]}",
                  1 + 2);
}

extern const struct lab_experiment lab_transfer;

/* The copy of 4 KiB by the copy engine with these values of the axes memory, engine, pattern, opposing, direction,
 * cache and bytes. */
static struct lab_workload describe_copy(const char *pattern, int64_t direction, int64_t engine, int64_t bytes)
{
    struct lab_errors errors = {0};
    json_t *given = json_pack("{s:s}", "pattern", pattern);
    struct lab_parameters *parameters = lab_parameters_parse(&lab_transfer, given, &errors);
    json_decref(given);
    assert_non_null(parameters);
    int64_t of_pattern = lab_parameter_values(parameters, "pattern")->items[0].integer;
    const struct lab_point point = {.values = {1, engine, of_pattern, 0, direction, LAB_NO_VALUE, bytes}};
    struct lab_workload workload = {0};
    struct lab_device_facts facts;
    lab_facts_clear(&facts);
    lab_transfer.benchmark->describe(parameters, &facts, &point, &workload);
    lab_parameters_free(parameters);
    return workload;
}

TEST(a_variable_is_on_the_side_of_the_device)
{
    const struct lab_workload to = describe_copy("variable", LAB_H2D, 0, 4096),
                              from = describe_copy("constant", LAB_D2H, 0, 65536);
    assert_string_equal(to.buffers[to.copies[0].destination].global, "transfer_variable");
    assert_null(to.buffers[to.copies[0].source].global);
    assert_string_equal(from.buffers[from.copies[0].source].global, "transfer_constant");
    assert_null(from.buffers[from.copies[0].destination].global);
    assert_null(describe_copy("contiguous", LAB_H2D, 0, 4096).buffers[1].global);
}

TEST(what_a_variable_cannot_hold_or_a_kernel_must_not_write_is_skipped)
{
    assert_non_null(strstr(describe_copy("constant", LAB_H2D, 0, 65540).skipped, "64 KiB"));
    assert_string_equal(describe_copy("variable", LAB_H2D, 0, 65540).skipped, "");
    assert_non_null(strstr(describe_copy("variable", LAB_H2D, 1, 4096).skipped, "engine copy"));
}

TEST(memory_is_that_of_the_largest_point)
{
    static const struct {
        const char *text;
        uint64_t device_bytes, host_bytes;
    } cases[] = {
        {"{\"max_bytes\": 1048576}", 1048576, 1048576},
        {"{\"max_bytes\": 1048576, \"direction\": [\"h2d\", \"d2d\"]}", 2097152, 1048576},
        {"{\"max_bytes\": 1048576, \"memory\": \"pinned\", \"opposing\": true}", 2097152, 2097152},
        {"{\"max_bytes\": 1048576, \"pattern\": \"pitched\", \"row_bytes\": 1024, \"pitch_bytes\": 4096}", 4194304,
         4194304},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plan plan = plan_within("transfer", cases[i].text, INT64_C(1) << 30);
        assert_true(plan.good);
        assert_int_equal(plan.estimate.device_bytes, cases[i].device_bytes);
        assert_int_equal(plan.estimate.host_bytes, cases[i].host_bytes);
    }
}

TEST(invalid_requests_are_refused_with_a_pointer)
{
    expect_refusal("transfer", "{\"min_bytes\": 2048, \"max_bytes\": 1024}", "min-above-max", "/parameters/min_bytes");
    expect_refusal("transfer", "{\"max_bytes\": 1073741824, \"direction\": \"d2d\"}", "exceeds-memory",
                   "/parameters/max_bytes");
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

TEST(the_memory_error_names_needed_and_available_bytes)
{
    struct plan plan = plan_within("transfer", "{\"max_bytes\": 1073741824, \"direction\": \"d2d\"}", INT64_C(1) << 30);
    assert_non_null(strstr(plan.errors.items[0].detail, "2147483648"));
    assert_non_null(strstr(plan.errors.items[0].detail, "1073741824"));
}

static size_t axis_of(const struct lab_experiment *experiment, const char *name)
{
    size_t i = 0;
    while (strcmp(experiment->axes[i].name, name) != 0)
        i++;
    return i;
}

TEST(sizes_ascend_within_a_series_and_memories_come_one_by_one)
{
    struct lab_parameters *parameters = parse("transfer", "{\"memory\": [\"pageable\", \"pinned\", \"mapped\"]}");
    struct lab_points points;
    struct lab_errors errors = {0};
    size_t bytes = axis_of(parameters->experiment, "bytes"), memory = axis_of(parameters->experiment, "memory");
    assert_true(lab_points_init(&points, parameters, NULL, 1, &errors));
    for (size_t i = 1; i < points.count; i++) {
        const struct lab_point *last = &points.items[i - 1], *point = &points.items[i];
        if (lab_points_equal(parameters->experiment, last, point, UINT32_C(1) << bytes))
            assert_true(point->values[bytes] > last->values[bytes]);
        assert_true(point->values[memory] >= last->values[memory]);
    }
    assert_int_equal(points.items[points.count - 1].values[bytes], 268435456);
    lab_points_release(&points);
    lab_parameters_free(parameters);
}
