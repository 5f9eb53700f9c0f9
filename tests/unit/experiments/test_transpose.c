/* kernels/experiments/memory/transpose: what is computed for the steps: launches, sectors, conflicts and bounds. */
#include "benchmark/benchmark.h"
#include "descriptor/points.h"
#include "support/plan_harness.h"
#include "support/test.h"

#include <math.h>

/* The workload of the only point of a request on an H200. */
static struct lab_workload workload_of(const char *request)
{
    struct lab_workload workload = {0};
    struct lab_errors errors = {0};
    struct lab_points points;
    struct lab_device_facts facts;
    const struct lab_device_facts *const devices[] = {&facts};
    struct lab_parameters *parameters = parse("transpose", request);
    lab_facts_clear(&facts);
    snprintf(facts.backend, sizeof facts.backend, "cuda");
    facts.multiprocessors = 132;
    facts.clock_hz = 1.98e9;
    facts.memory_peak_bytes_per_s = 4.8e12;
    assert_true(lab_points_init(&points, parameters, devices, 1, &errors));
    assert_int_equal(points.count, 1);
    parameters->experiment->benchmark->describe(parameters, &facts, &points.items[0], &workload);
    lab_points_release(&points);
    lab_parameters_free(parameters);
    return workload;
}

/* A computed figure; NAN if there is none. */
static double figure(const struct lab_workload *workload, const char *metric)
{
    for (size_t i = 0; i < workload->figure_count; i++)
        if (strcmp(workload->figures[i].metric, metric) == 0)
            return workload->figures[i].value;
    return NAN;
}

static void expect_sectors(const char *step, int m, int n, double sectors)
{
    char request[128];
    snprintf(request, sizeof request, "{\"step\": \"%s\", \"m\": %d, \"n\": %d}", step, m, n);
    struct lab_workload workload = workload_of(request);
    if (figure(&workload, "sectors_per_request") != sectors)
        fail_msg("%s, %d x %d: %g sectors, not %g", step, m, n, figure(&workload, "sectors_per_request"), sectors);
}

TEST(sectors_follow_from_the_addresses_of_a_warp)
{
    expect_sectors("copy", 8192, 8192, 16);
    expect_sectors("copy", 4097, 4097, 16);
    expect_sectors("naive", 8192, 8192, 32);
    expect_sectors("coalesced-writes", 8192, 8192, 32);
    expect_sectors("padded", 8192, 8192, 4);
    expect_sectors("padded", 4097, 8192, 5);
    expect_sectors("padded", 8192, 4097, 5);
    expect_sectors("vectorized", 8192, 8192, 16);
    expect_sectors("vectorized", 8100, 8192, 18);
}

TEST(a_texture_is_read_from_an_array_of_all_rows)
{
    struct lab_workload workload = workload_of("{\"step\": \"texture\", \"m\": 520, \"n\": 132}");
    const struct lab_workload_argument *in = &workload.steps[0].arguments[0];
    assert_string_equal(workload.steps[0].kernel, "transpose_texture");
    assert_int_equal(in->kind, LAB_ARGUMENT_TEXTURE);
    assert_int_equal(in->texture.extent[1], 520);
    assert_int_equal(lab_workload_bytes(&workload, true), 3 * 4 * 520 * 132);
    assert_true(isnan(figure(&workload, "sectors_per_request")));
}

static void expect_bound(const char *request, double ways, double seconds)
{
    struct lab_workload workload = workload_of(request);
    double found = figure(&workload, "conflict_ways");
    assert_true(ways > 0 ? found == ways : isnan(found));
    assert_true(fabs(figure(&workload, "bound") - seconds) < 1e-9 * seconds);
}

/* 8192 x 8192 elements, read and written; in shared memory, 33 cycles for each 32 of them. */
TEST(the_bound_is_that_of_the_slower_memory)
{
    const double elements = 8192.0 * 8192, memory_s = 8 * elements / 4.8e12;
    expect_bound("{\"step\": \"copy\", \"m\": 8192}", 0, memory_s);
    expect_bound("{\"step\": \"naive\", \"m\": 8192}", 0, memory_s);
    expect_bound("{\"step\": \"tiled\", \"m\": 8192}", 32, elements / 32 * 33 / (132 * 1.98e9));
    expect_bound("{\"step\": \"padded\", \"m\": 8192}", 1, memory_s);
}

static void expect_launch(const char *request, uint32_t x, uint32_t y, uint32_t threads)
{
    struct lab_workload workload = workload_of(request);
    const struct lab_launch *launch = &workload.steps[0].launch;
    assert_int_equal(launch->grid[0], x);
    assert_int_equal(launch->grid[1], y);
    assert_int_equal(launch->block[0] * (launch->block[1] > 0 ? launch->block[1] : 1), threads);
}

TEST(tiles_cover_the_matrix)
{
    expect_launch("{\"step\": \"padded\", \"m\": 64, \"n\": 65}", 3, 2, 256);
    expect_launch("{\"step\": \"vectorized\", \"m\": 64, \"n\": 68}", 2, 1, 256);
    expect_launch("{\"step\": \"copy\", \"m\": 1, \"n\": 1025}", 2, 0, 256);
}

TEST(wide_accesses_need_multiples_of_4)
{
    assert_string_equal(workload_of("{\"step\": \"vectorized\", \"m\": 8100}").skipped, "");
    assert_string_not_equal(workload_of("{\"step\": \"vectorized\", \"m\": 8192, \"n\": 8190}").skipped, "");
    assert_string_not_equal(workload_of("{\"step\": \"vectorized\", \"m\": 8190, \"n\": 8192}").skipped, "");
    assert_string_equal(workload_of("{\"step\": \"padded\", \"m\": 8190}").skipped, "");
}
