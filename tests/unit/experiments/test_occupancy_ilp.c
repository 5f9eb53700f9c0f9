/* kernels/experiments/execution/occupancy_ilp/summary.c: what Little's law predicts, and where the rates level off. */
#include "experiments/execution/occupancy_ilp/occupancy_ilp.h"
#include "experiments/execution/occupancy_ilp/summary.h"
#include "support/benchmark_harness.h"
#include "support/test.h"

enum { POINTS_MAX = 32 };

struct fixture {
    struct results results;
    struct lab_run run;
    struct lab_median items[POINTS_MAX];
    struct lab_medians medians;
};

static void open_fixture(struct fixture *f)
{
    f->run = (struct lab_run){.experiment = lab_experiment_find("occupancy-ilp"), .sink = sink_of(&f->results)};
    f->medians = (struct lab_medians){.items = f->items};
}

static void add(struct fixture *f, int64_t variant, int64_t warps, int64_t independent, double rate)
{
    struct lab_point point = {0};
    for (size_t i = 0; i < LAB_AXES_MAX; i++)
        point.values[i] = LAB_NO_VALUE;
    point.values[OCCUPANCY_ILP_VARIANT] = variant;
    point.values[OCCUPANCY_ILP_WARPS] = warps;
    point.values[OCCUPANCY_ILP_INDEPENDENT] = independent;
    f->items[f->medians.count++] = (struct lab_median){.point = point, .rate = rate};
}

/* Rates of 1e9 for each operation in flight, up to `most`. */
static void add_ideal(struct fixture *f, int64_t variant, double most)
{
    for (int64_t warps = 1; warps <= 16; warps *= 4)
        for (int64_t independent = 1; independent <= 4; independent *= 2)
            add(f, variant, warps, independent, 1e9 * fmin((double)(warps * independent), most));
}

static void expect(const struct fixture *f, const char *metric, const char *axes, double value)
{
    const struct reported *found = find_reported(&f->results, metric, axes);
    if (found == NULL)
        fail_msg("no %s of %s", metric, axes);
    assert_true(fabs(found->summary.median - value) < 1e-9 * value);
}

TEST(rates_that_obey_the_law_are_predicted)
{
    struct fixture f;
    open_fixture(&f);
    add_ideal(&f, OCCUPANCY_ILP_COPY, 32);
    assert_true(occupancy_ilp_summarise(&f.run, &f.medians));
    for (size_t i = 0; i < f.medians.count; i++)
        assert_true(fabs(f.results.items[i].summary.median * 1e9 - f.items[i].rate) < 1);
    assert_int_equal(f.results.count, f.medians.count + 3);
    expect(&f, "needed_in_flight", "", 32);
    expect(&f, "half_in_flight", "", 16);
    expect(&f, "saturated_in_flight", "", 0.9 * 32);
}

TEST(a_warp_has_one_scheduler)
{
    struct fixture f;
    open_fixture(&f);
    add(&f, OCCUPANCY_ILP_FMA, 1, 1, 1e9);
    add(&f, OCCUPANCY_ILP_FMA, 1, 8, 4e9);
    add(&f, OCCUPANCY_ILP_FMA, 2, 8, 8e9);
    add(&f, OCCUPANCY_ILP_FMA, 8, 8, 16e9);
    assert_true(occupancy_ilp_summarise(&f.run, &f.medians));
    expect(&f, "predicted_throughput", "\"independent\":8,\"variant\":\"fma\",\"warps\":1", 4);
    expect(&f, "predicted_throughput", "\"independent\":8,\"variant\":\"fma\",\"warps\":2", 8);
    expect(&f, "predicted_throughput", "\"independent\":8,\"variant\":\"fma\",\"warps\":8", 16);
}

TEST(variants_have_figures_of_their_own)
{
    struct fixture f;
    open_fixture(&f);
    add_ideal(&f, OCCUPANCY_ILP_COPY, 32);
    for (int64_t independent = 1; independent <= 8; independent *= 2)
        add(&f, OCCUPANCY_ILP_FMA, LAB_NO_VALUE, independent, 2e9 * fmin((double)independent, 4));
    assert_true(occupancy_ilp_summarise(&f.run, &f.medians));
    expect(&f, "needed_in_flight", "\"variant\":\"copy\"", 32);
    expect(&f, "needed_in_flight", "\"variant\":\"fma\"", 4);
    expect(&f, "predicted_throughput", "\"independent\":8", 8);
}

TEST(without_a_single_operation_nothing_is_predicted)
{
    struct fixture f;
    open_fixture(&f);
    add(&f, OCCUPANCY_ILP_COPY, 4, 1, 4e9);
    add(&f, OCCUPANCY_ILP_COPY, 8, 1, 8e9);
    assert_true(occupancy_ilp_summarise(&f.run, &f.medians));
    assert_int_equal(f.results.count, 0);
}
