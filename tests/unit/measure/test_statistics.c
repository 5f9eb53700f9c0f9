/* kernels/measure/statistics.c, compared with values computed by hand. */
#include "measure/statistics.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>

static void assert_close(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
        fail_msg("found %.17g instead of %.17g", found, wanted);
}

TEST(summary_of_known_samples)
{
    const double samples[] = {4, 1, 3, 2, 10};
    struct lab_summary s;
    assert_true(lab_summarise(samples, 5, &s));
    assert_int_equal(s.n, 5);
    assert_close(s.median, 3);
    assert_close(s.q1, 2);
    assert_close(s.q3, 4);
    assert_close(s.min, 1);
    assert_close(s.max, 10);
    assert_close(s.mean, 4);
    assert_close(s.stdev, sqrt(50.0 / 4));
    assert_close(s.noise, (4.0 - 2) / 3);
}

TEST(quartiles_fall_between_samples)
{
    const double samples[] = {1, 2, 3, 4};
    struct lab_summary s;
    assert_true(lab_summarise(samples, 4, &s));
    assert_close(s.median, 2.5);
    assert_close(s.q1, 1.75);
    assert_close(s.q3, 3.25);
}

TEST(one_sample_has_no_noise_and_no_samples_give_nan)
{
    const double sample = 7;
    struct lab_summary s;
    assert_true(lab_summarise(&sample, 1, &s));
    assert_close(s.median, 7);
    assert_close(s.noise, 0);
    assert_true(lab_summarise(NULL, 0, &s));
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.median) && isnan(s.noise));
}

TEST(running_noise_is_the_deviation_of_the_summary)
{
    const double samples[] = {1e-6, 1.1e-6, 0.9e-6, 1.05e-6, 3e-6};
    struct lab_running_statistics running = {0};
    struct lab_summary s;
    lab_running_statistics_add(&running, samples[0]);
    assert_true(isnan(lab_running_statistics_noise(&running)));
    for (size_t i = 1; i < 5; i++)
        lab_running_statistics_add(&running, samples[i]);
    assert_true(lab_summarise(samples, 5, &s));
    assert_close(lab_running_statistics_noise(&running), s.stdev / s.mean);
}

TEST(line_finds_latency_and_bandwidth)
{
    double bytes[10], seconds[10];
    for (int i = 0; i < 10; i++) {
        bytes[i] = 1024 * pow(4, i);
        seconds[i] = 2e-6 + bytes[i] / 50e9;
    }
    struct lab_fitted_line line;
    assert_true(lab_fit_line(bytes, seconds, 10, &line));
    assert_true(fabs(line.intercept - 2e-6) < 1e-12);
    assert_true(fabs(1 / line.slope - 50e9) < 1e3);
    assert_true(line.residual < 1e-9);
}

TEST(line_needs_two_sizes)
{
    const double bytes[] = {1024, 1024, 1024}, seconds[] = {1e-6, 2e-6, 3e-6};
    struct lab_fitted_line line;
    assert_false(lab_fit_line(bytes, seconds, 3, &line));
    assert_false(lab_fit_line(bytes, seconds, 1, &line));
}

static struct lab_running_statistics running_of(const double *samples, size_t count)
{
    struct lab_running_statistics running = {0};
    for (size_t i = 0; i < count; i++)
        lab_running_statistics_add(&running, samples[i]);
    return running;
}

TEST(means_agree_within_the_tolerance_or_the_noise)
{
    const double steady[] = {1, 1, 1, 1}, slower[] = {1.02, 1.02, 1.02, 1.02}, noisy[] = {0.8, 1.3, 0.7, 1.28};
    struct lab_running_statistics a = running_of(steady, 4), b = running_of(slower, 4), c = running_of(noisy, 4);
    assert_true(lab_means_agree(&a, &b, 0.021));
    assert_true(lab_means_agree(&b, &a, 0.021));
    assert_false(lab_means_agree(&a, &b, 0.019));
    assert_true(lab_means_agree(&a, &c, 0.001)); /* they differ by 0.02, the standard error is 0.16 */
    c = running_of(noisy, 3);
    assert_false(lab_means_agree(&a, &c, 0.001)); /* too few samples to know the noise */
}
