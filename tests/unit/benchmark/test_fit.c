/* kernels/benchmark/fit.c: which points form a series, and the figures of the line. */
#include "support/benchmark_harness.h"
#include "support/expect_abort.h"
#include "support/test.h"

enum { DIRECTION, BYTES };

static const struct lab_axis axes[] = {
    [DIRECTION] = {.name = "direction", .title = "Direction"},
    [BYTES] = {.name = "bytes", .title = "Size", .unit = "B"},
    {.name = NULL},
};

static const struct lab_schema no_parameters[] = {{.name = NULL}};

static const struct lab_metric metrics[] = {
    {.name = "latency", .unit = "s"},
    {.name = "asymptote", .unit = "GB/s"},
    {.name = "half", .unit = "B"},
    {.name = NULL},
};

static const struct lab_experiment experiment = {
    .name = "test", .parameters = no_parameters, .axes = axes, .metrics = metrics};

static bool is_not_third(const struct lab_point *point)
{
    return point->values[DIRECTION] != 3;
}

static const struct lab_fit fit = {"bytes", "latency", "asymptote", "half", is_not_third};

struct fixture {
    struct results results;
    struct lab_run run;
    struct lab_fitting fitting;
};

static void open_fixture(struct fixture *f, const struct lab_fit *data)
{
    f->run = (struct lab_run){.experiment = &experiment, .sink = sink_of(&f->results)};
    f->fitting = lab_fitting_init(&f->run, data);
}

/* Measures a point whose bytes count twice, with samples around `seconds`. */
static void measure(struct fixture *f, int64_t direction, int64_t bytes, double seconds)
{
    const double samples[] = {seconds * 0.9, seconds, seconds * 2};
    const struct lab_outcome outcome = {.count = 3, .samples = samples};
    struct lab_point point = {.values = {direction, bytes}};
    const struct lab_report report = {.run = &f->run, .point = &point, .outcome = &outcome};
    lab_fitting_begin(&f->fitting, &point);
    assert_true(lab_fitting_add(&f->fitting, &report, 2 * (double)bytes));
}

/* t = a + bytes / b */
static void measure_line(struct fixture *f, int64_t direction, size_t points, double a, double b)
{
    for (size_t i = 0; i < points; i++) {
        int64_t bytes = INT64_C(1000) << 4 * i;
        measure(f, direction, bytes, a + (double)bytes / b);
    }
}

static void expect_figure(const struct fixture *f, const char *metric, const char *point, double value, size_t n)
{
    const struct reported *found = find_reported(&f->results, metric, point);
    if (found == NULL)
        fail_msg("no %s of %s", metric, point);
    assert_true(fabs(found->summary.median / value - 1) < 1e-6);
    assert_true(found->summary.noise < 1e-9);
    assert_int_equal(found->summary.n, n);
    assert_null(strstr(found->axes, "bytes"));
}

TEST(the_medians_of_a_series_give_latency_and_rate)
{
    struct fixture f;
    open_fixture(&f, &fit);
    measure_line(&f, 1, 4, 5e-6, 20e9);
    measure_line(&f, 2, 3, 1e-6, 1e9);
    assert_int_equal(f.results.count, 3); /* the first series ended with the first point of the second */
    lab_fitting_end(&f.fitting);
    assert_int_equal(f.results.count, 6);
    expect_figure(&f, "latency", "\"direction\":1", 5e-6, 4);
    expect_figure(&f, "asymptote", "\"direction\":1", 40, 4);
    expect_figure(&f, "half", "\"direction\":1", 100000, 4);
    expect_figure(&f, "asymptote", "\"direction\":2", 2, 3);
    lab_fitting_release(&f.fitting);
}

TEST(without_a_meaningful_line_nothing_is_reported)
{
    struct fixture f;
    open_fixture(&f, &fit);
    measure_line(&f, 1, 2, 5e-6, 20e9); /* too few points */
    measure_line(&f, 2, 4, 1, -1e9);    /* larger is faster */
    measure_line(&f, 3, 4, 5e-6, 20e9); /* does not belong to a series */
    measure(&f, 4, 1000, 1e-6);         /* negative latency */
    measure(&f, 4, 2000, 3e-6);
    measure(&f, 4, 3000, 5e-6);
    lab_fitting_end(&f.fitting);
    assert_int_equal(f.results.count, 0);
    lab_fitting_release(&f.fitting);
}

TEST(a_benchmark_without_a_fit_has_no_line)
{
    struct fixture f;
    open_fixture(&f, NULL);
    measure_line(&f, 1, 10, 5e-6, 20e9);
    lab_fitting_end(&f.fitting);
    assert_int_equal(f.results.count, 0);
    lab_fitting_release(&f.fitting);
}

TEST(many_points_fit_into_a_series)
{
    struct fixture f;
    open_fixture(&f, &fit);
    for (int64_t i = 1; i <= 100; i++)
        measure(&f, 1, 1000 * i, 1e-6 + 1000 * (double)i / 1e9);
    lab_fitting_end(&f.fitting);
    expect_figure(&f, "latency", "", 1e-6, 100);
    lab_fitting_release(&f.fitting);
}

static void fit_over_an_unknown_axis(void)
{
    static const struct lab_fit unknown = {"words", "latency", "asymptote", "half", NULL};
    struct fixture f;
    open_fixture(&f, &unknown);
}

TEST(an_unknown_axis_aborts)
{
    expect_abort(fit_over_an_unknown_axis, "test has no axis \"words\"");
}
