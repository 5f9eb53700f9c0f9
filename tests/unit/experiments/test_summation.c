/* summation: the error bounds, the launches of the tree, and the error of a result. */
#include "experiments/execution/summation/summation.h"
#include "support/test.h"

#include "benchmark/benchmark.h"
#include "descriptor/experiment.h"

/* Axes and variants in the order of the experiment's tables. */
enum { N, CONTENT, VARIANT };
enum { IN_ORDER, PAIRWISE, KAHAN, DOUBLE, TREE };

static const double u = 1.0 / 16777216;

static struct lab_workload workload_of(int64_t variant, int64_t n)
{
    struct lab_device_facts device;
    struct lab_workload workload = {0};
    lab_facts_clear(&device);
    lab_experiment_find("summation")
        ->benchmark->describe(NULL, &device, &(struct lab_point){{[N] = n, [VARIANT] = variant}}, &workload);
    return workload;
}

static double bound_of(int64_t variant, int64_t n)
{
    struct lab_workload workload = workload_of(variant, n);
    assert_string_equal(workload.figures[0].metric, "predicted_relative_error");
    return workload.figures[0].value;
}

TEST(the_bound_follows_from_the_additions_of_an_element)
{
    assert_true(bound_of(IN_ORDER, 1024) == 1023 * u);
    assert_true(bound_of(PAIRWISE, 1024) == 10 * u);
    assert_true(bound_of(TREE, 1280) == 11 * u);
    assert_true(bound_of(KAHAN, 1024) > 2 * u && bound_of(KAHAN, 1024) < 2.001 * u);
    assert_true(bound_of(DOUBLE, 1024) > u && bound_of(DOUBLE, 1024) < 1.001 * u);
}

TEST(the_tree_is_launched_until_one_sum_is_left)
{
    static const struct {
        int64_t n;
        size_t launches;
        uint32_t first_blocks;
    } cases[] = {{256, 1, 1},        {1024, 1, 1},       {1280, 2, 2},
                 {1 << 20, 2, 1024}, {1 << 22, 3, 4096}, {1 << 28, 3, 1 << 18}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lab_workload workload = workload_of(TREE, cases[i].n);
        assert_int_equal(workload.step_count, cases[i].launches);
        assert_int_equal(workload.steps[0].launch.grid[0], cases[i].first_blocks);
        assert_int_equal(workload.steps[workload.step_count - 1].launch.grid[0], 1);
    }
}

TEST(the_error_is_relative_to_the_exact_sum)
{
    assert_true(summation_error(1.0f, 1 << 24) == 0);
    assert_true(summation_error(0.5f, 1 << 24) == 0.5);
    assert_true(summation_error(NAN, 1 << 24) == DBL_MAX);
    assert_true(summation_error(INFINITY, 1 << 24) == DBL_MAX);
}
