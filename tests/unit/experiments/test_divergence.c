/* kernels/experiments/execution/divergence: the predicted number of paths of a warp is that of the elements' paths. */
#include "benchmark/benchmark.h"
#include "experiments/execution/divergence/divergence.h"
#include "support/test.h"

#include <string.h>

enum { VARIANT, PATTERN, PATHS, LENGTH };

static double figure(const struct lab_workload *workload, const char *metric)
{
    for (size_t i = 0; i < workload->figure_count; i++)
        if (strcmp(workload->figures[i].metric, metric) == 0)
            return workload->figures[i].value;
    fail_msg("no %s", metric);
    return 0;
}

static struct lab_workload describe(int64_t variant, int64_t pattern, int64_t paths)
{
    struct lab_device_facts facts;
    struct lab_workload workload = {0};
    struct lab_point point = {.values = {[VARIANT] = variant, [PATTERN] = pattern, [PATHS] = paths, [LENGTH] = 2048}};
    lab_facts_clear(&facts);
    strcpy(facts.backend, "cuda");
    facts.fp32_peak_flops = 66.9e12;
    lab_experiment_find("divergence")->benchmark->describe(NULL, &facts, &point, &workload);
    return workload;
}

/* Different paths in a warp, on average over all warps. */
static double counted_paths(const struct lab_workload *workload)
{
    const uint64_t *parameters = workload->buffers[0].fill_parameters;
    uint64_t elements = parameters[DIVERGENCE_ELEMENTS], found = 0;
    for (uint64_t warp = 0; warp < elements; warp += DIVERGENCE_WARP) {
        uint32_t taken = 0;
        for (uint64_t i = warp; i < warp + DIVERGENCE_WARP; i++)
            taken |= 1u << divergence_path(i, 1, parameters);
        found += (uint64_t)__builtin_popcount(taken);
    }
    return (double)found / (double)(elements / DIVERGENCE_WARP);
}

TEST(the_paths_of_a_warp_are_predicted)
{
    static const int64_t paths[] = {1, 2, 3, 8, 31, DIVERGENCE_PATHS_MAX};
    for (int64_t pattern = DIVERGENCE_BY_LANE; pattern <= DIVERGENCE_SORTED; pattern++)
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
            struct lab_workload workload = describe(DIVERGENCE_BRANCHES, pattern, paths[i]);
            assert_true(fabs(figure(&workload, "paths_per_warp") / counted_paths(&workload) - 1) < 2e-3);
        }
}

TEST(the_predicted_time_is_in_proportion_to_what_a_warp_executes)
{
    struct lab_workload one = describe(DIVERGENCE_BRANCHES, DIVERGENCE_BY_LANE, 1);
    struct lab_workload many = describe(DIVERGENCE_BRANCHES, DIVERGENCE_BY_LANE, 32);
    struct lab_workload selected = describe(DIVERGENCE_PREDICATED, DIVERGENCE_RANDOM, 2);
    struct lab_workload table = describe(DIVERGENCE_TABLE, DIVERGENCE_RANDOM, 32);
    double path_s = one.counts[LAB_COUNT_OPERATIONS] / 66.9e12 * 35 / 32;
    assert_true(fabs(figure(&one, "predicted_time") / path_s - 1) < 1e-9);
    assert_true(fabs(figure(&many, "predicted_time") / path_s - 32) < 1e-6);
    assert_true(fabs(figure(&selected, "predicted_time") / path_s - 92.0 / 35) < 1e-9);
    assert_true(fabs(figure(&table, "predicted_time") / path_s - 1) < 1e-9);
}
