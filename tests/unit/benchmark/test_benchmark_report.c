/* kernels/benchmark/report.c: metrics computed from the samples of a point, by the experiment's tables. */
#include "support/benchmark_harness.h"
#include "support/expect_abort.h"
#include "support/test.h"

static const char *const colours[] = {"red", "green", NULL};

static const struct lab_axis axes[] = {
    {.name = "bytes", .title = "Size", .unit = "B"},
    {.name = "colour", .title = "Colour", .choices = colours},
    {.name = "busy", .title = "Busy", .flag = true},
    {.name = "device", .title = "Device", .devices = true},
    {.name = NULL},
};

static const struct lab_schema no_parameters[] = {{.name = NULL}};

static const struct lab_metric metrics[] = {
    {.name = "bandwidth", .unit = "GB/s"},
    {.name = "time", .unit = "s"},
    {.name = "speedup", .unit = "1"},
    {.name = "share_of_peak", .unit = "1"},
    {.name = "energy", .unit = "J/TFLOP", .counter = LAB_COUNT_ENERGY},
    {.name = NULL},
};

static const struct lab_experiment experiment = {
    .name = "test", .parameters = no_parameters, .axes = axes, .metrics = metrics};

static const double samples[] = {1, 2, 4}, baseline[] = {10, 10, 10};
static const struct lab_outcome outcome = {.count = 3,
                                           .samples = samples,
                                           .baseline_samples = baseline,
                                           .stop_reason = "converged",
                                           .verified_known = true,
                                           .wrong = 5,
                                           .cache = "warm"};

struct fixture {
    struct results results;
    struct lab_device device;
    struct lab_run run;
    struct lab_point point;
    struct lab_report report;
};

static void open_fixture(struct fixture *f)
{
    f->device = (struct lab_device){.facts.id = "GPU-1"};
    f->run = (struct lab_run){.experiment = &experiment,
                              .device_count = 1,
                              .devices = {&f->device},
                              .numa_node = 3,
                              .sink = sink_of(&f->results)};
    f->point = (struct lab_point){.values = {4096, 1, 1, 0}};
    f->report = (struct lab_report){.run = &f->run, .point = &f->point, .outcome = &outcome};
}

TEST(axes_are_reported_by_their_kind)
{
    struct fixture f;
    open_fixture(&f);
    assert_true(lab_report_time(&f.report, "time"));
    assert_string_equal(f.results.items[0].axes,
                        "{\"busy\":true,\"bytes\":4096,\"colour\":\"green\",\"device\":\"GPU-1\"}");
    f.point.values[1] = f.point.values[3] = LAB_NO_VALUE;
    f.point.values[2] = 0;
    assert_true(lab_report_time(&f.report, "time"));
    assert_string_equal(f.results.items[1].axes, "{\"busy\":false,\"bytes\":4096}");
}

TEST(a_rate_is_the_count_over_each_sample)
{
    struct fixture f;
    open_fixture(&f);
    assert_true(lab_report_rate(&f.report, "bandwidth", 8, NULL));
    const struct reported *rate = &f.results.items[0];
    assert_int_equal(f.results.count, 1);
    assert_true(rate->summary.median == 4 && rate->summary.max == 8 && rate->summary.min == 2);
    assert_string_equal(rate->stop_reason, "converged");
    assert_string_equal(rate->cache, "warm");
    assert_true(rate->verified_known && !rate->verified && rate->wrong == 5);
}

TEST(a_ratio_divides_the_baseline_by_the_sample_after_it)
{
    struct fixture f;
    open_fixture(&f);
    assert_true(lab_report_ratio(&f.report, "speedup", 2));
    assert_true(f.results.items[0].summary.median == 10 && f.results.items[0].summary.max == 20);
    const struct lab_outcome alone = {.count = 3, .samples = samples};
    f.report.outcome = &alone;
    assert_true(lab_report_ratio(&f.report, "speedup", 2));
    assert_int_equal(f.results.count, 1);
}

TEST(a_share_is_reported_of_a_known_peak_only)
{
    struct fixture f;
    static const double unknown[] = {0, -1, NAN, INFINITY};
    open_fixture(&f);
    assert_true(lab_report_rate(&f.report, "bandwidth", 8, &(struct lab_peak){16, "the bus"}));
    const struct reported *share = find_reported(&f.results, "share_of_peak", "");
    assert_true(share->summary.median == 0.25);
    assert_string_equal(share->peak, "the bus");
    assert_string_equal(f.results.items[0].peak, "the bus");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_true(lab_report_rate(&f.report, "bandwidth", 8, &(struct lab_peak){unknown[i], "the bus"}));
    assert_non_null(find_reported(&f.results, "share_of_peak", ""));
    assert_string_equal(f.results.items[2].peak, "");
    assert_int_equal(f.results.warning_count, 0);
}

/* The median rate is 4. */
TEST(a_share_above_1_05_is_a_warning_that_names_the_point)
{
    struct fixture f;
    open_fixture(&f);
    assert_true(lab_report_rate(&f.report, "bandwidth", 8, &(struct lab_peak){4 / 1.04, "the bus"}));
    assert_int_equal(f.results.warning_count, 0);
    assert_true(lab_report_rate(&f.report, "bandwidth", 8, &(struct lab_peak){4 / 1.06, "the bus"}));
    assert_int_equal(f.results.warning_count, 1);
    assert_non_null(
        strstr(f.results.warning, "bandwidth of 4 KiB, green, Busy: yes, Device #0 is 1.06 times its peak (the bus)"));
}

TEST(values_and_skipped_points_have_no_samples)
{
    struct fixture f;
    open_fixture(&f);
    assert_true(lab_report_value(&f.report, "speedup", 7));
    assert_true(f.results.items[0].summary.median == 7 && f.results.items[0].summary.n == 1);
    assert_string_equal(f.results.items[0].stop_reason, "");
    lab_report_skipped(&f.report, "bandwidth", "why");
    assert_string_equal(f.results.items[1].skipped, "why");
    assert_false(f.results.items[1].verified_known);
}

static void report_an_unknown_metric(void)
{
    struct fixture f;
    open_fixture(&f);
    lab_report_time(&f.report, "duration");
}

TEST(an_unknown_metric_aborts)
{
    expect_abort(report_an_unknown_metric, "test has no metric \"duration\"");
}

TEST(energy_is_that_of_a_teraflop)
{
    struct fixture f;
    struct lab_outcome metered = outcome;
    open_fixture(&f);
    f.report.outcome = &metered;
    metered.energy_j = (double)NAN;
    assert_true(lab_report_energy(&f.report, "energy", 2e9));
    assert_int_equal(f.results.count, 0);
    metered.energy_j = 0.003;
    assert_true(lab_report_energy(&f.report, "energy", 2e9));
    assert_true(fabs(find_reported(&f.results, "energy", "")->summary.median - 1.5) < 1e-12);
    assert_string_equal(find_reported(&f.results, "energy", "")->stop_reason, "");
}
