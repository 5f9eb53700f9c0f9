/* spectral: the exact solutions, the predicted errors and the launches of each method. */
#include "experiments/cases/spectral/workload.h"
#include "support/test.h"

#include "experiments/cases/spectral/spectral.h"
#include "support/plan_harness.h"

#include <math.h>

TEST(the_exact_derivative_is_that_of_the_function)
{
    const uint64_t n = UINT64_C(1) << 30; /* so many points that neighbours give the derivative */
    const double distance = 2 * SPECTRAL_PI / (double)n * 1024;
    for (uint64_t j = 1024; j < n; j += n / 7) {
        double difference = spectral_function(n, 3, j + 1024, 5, false) - spectral_function(n, 3, j - 1024, 5, false);
        assert_true(fabs(difference / (2 * distance) - spectral_function(n, 3, j, 5, true)) < 1e-8);
    }
}

TEST(the_largest_derivative_is_the_scale)
{
    double largest = 0;
    for (uint64_t j = 0; j < 4096; j++)
        largest = fmax(largest, spectral_function(4096, 0, j, 5, true));
    assert_true(fabs(largest / SPECTRAL_LARGEST_DERIVATIVE - 1) < 1e-5);
}

TEST(the_charges_are_those_of_the_potential)
{
    const double h = 1e-4;
    for (double x = 0.1; x < 6; x += 0.7)
        for (double y = 0.2; y < 6; y += 0.9) {
            double around = spectral_peak(x + h, y, false) + spectral_peak(x - h, y, false) +
                            spectral_peak(x, y + h, false) + spectral_peak(x, y - h, false);
            double laplace = (around - 4 * spectral_peak(x, y, false)) / (h * h);
            assert_true(fabs(laplace + spectral_peak(x, y, true)) < 1e-5);
        }
}

TEST(the_transform_of_the_taps_is_their_sum)
{
    enum { N = 32, TAPS = 5 };
    for (uint64_t k = 0; k < N; k++) {
        double sum[2] = {0, 0}, transform[2];
        for (uint64_t m = 0; m < TAPS; m++) {
            sum[0] += spectral_tap(m, TAPS) * cos(2 * SPECTRAL_PI * (double)(k * m) / N);
            sum[1] -= spectral_tap(m, TAPS) * sin(2 * SPECTRAL_PI * (double)(k * m) / N);
        }
        spectral_tap_transform(k, N, TAPS, transform);
        assert_true(fabs(sum[0] - transform[0]) < 1e-14 && fabs(sum[1] - transform[1]) < 1e-14);
    }
}

/* The exact convolution is the sum over taps of the signal. */
TEST(the_exact_convolution_is_that_of_the_signal)
{
    const struct spectral_shape shape = {.n = 64, .taps = 7, .problem = SPECTRAL_CONVOLUTION};
    for (uint64_t j = 0; j < shape.n; j++) {
        double sum = 0;
        for (uint64_t m = 0; m < shape.taps; m++)
            sum += spectral_tap(m, shape.taps) * spectral_tones(shape, 2, (j + shape.n - m) % shape.n, 5, false);
        assert_true(fabs(sum - spectral_tones(shape, 2, j, 5, true)) < 1e-14);
    }
}

/* --- workloads ---------------------------------------------------------------------------------------------------- */

static struct lab_workload workload_of(int64_t problem, const char *variant, int64_t n)
{
    const struct lab_choices variants = {&spectral_variants[0].name, sizeof *spectral_variants};
    struct lab_device_facts device;
    struct lab_workload workload = {0};
    const struct lab_point point = {{[SPECTRAL_PROBLEM] = problem,
                                     [SPECTRAL_N] = n,
                                     [SPECTRAL_TAPS] = 16,
                                     [SPECTRAL_BYTES] = 1 << 24,
                                     [SPECTRAL_VARIANT] = (int64_t)lab_choice_find(variants, variant)}};
    lab_facts_clear(&device);
    spectral_describe(NULL, &device, &point, &workload);
    return workload;
}

/* How much smaller the predicted error becomes when n is doubled. */
static double gain(int64_t problem, const char *variant, int64_t n)
{
    return workload_of(problem, variant, n).figures[0].value / workload_of(problem, variant, 2 * n).figures[0].value;
}

TEST(predicted_errors_have_the_order_of_the_method)
{
    assert_true(fabs(gain(SPECTRAL_DERIVATIVE, "difference-2", 256) - 4) < 0.01);
    assert_true(fabs(gain(SPECTRAL_DERIVATIVE, "difference-8", 128) - 256) < 10);
    assert_true(fabs(gain(SPECTRAL_POISSON, "difference-2", 256) - 4) < 0.01);
    assert_true(gain(SPECTRAL_DERIVATIVE, "spectral", 16) > 1e5);
    assert_true(gain(SPECTRAL_POISSON, "spectral", 16) > 1e5);
    assert_int_equal(workload_of(SPECTRAL_DERIVATIVE, "spectral", 128).figure_count, 0); /* rounding only */
    assert_int_equal(workload_of(SPECTRAL_CONVOLUTION, "direct", 128).figure_count, 0);
}

TEST(a_poisson_solver_passes_three_times_over_the_squares)
{
    struct lab_workload workload = workload_of(SPECTRAL_POISSON, "spectral", 256);
    assert_int_equal(workload.step_count, 3);
    assert_int_equal(workload.steps[0].arguments[0].buffer, 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(workload.steps[i].arguments[1].buffer, workload.check.buffer);
        assert_int_equal(workload.steps[i].launch.grid[0], (1 << 24) / 16 / 4096);
    }
    assert_int_equal(workload_of(SPECTRAL_DERIVATIVE, "spectral", 256).step_count, 1);
}

TEST(a_solution_is_drawn_if_it_is_no_larger_than_a_field)
{
    assert_int_equal(workload_of(SPECTRAL_POISSON, "spectral", 256).records.bytes, 256 * 256 * 16);
    assert_int_equal(workload_of(SPECTRAL_POISSON, "spectral", 512).records.bytes, 0);
    assert_int_equal(workload_of(SPECTRAL_DERIVATIVE, "spectral", 64).records.bytes, 0);
}

TEST(each_problem_has_its_methods)
{
    expect_points_on("spectral", "{\"problem\": \"derivative\", \"n\": [16, 32]}", 1, 2 * 3);
    expect_points_on("spectral", "{\"problem\": \"poisson\", \"n\": [16, 32]}", 1, 2 * 2);
    expect_points_on("spectral", "{\"problem\": \"convolution\", \"n\": [16, 32], \"taps\": [1, 2, 3]}", 1, 3 * 2);
}

TEST(n_must_be_a_power_of_two)
{
    struct plan plan = plan_within("spectral", "{\"n\": [16, 24]}", PLAN_MEMORY);
    assert_false(plan.good);
    assert_string_equal(plan.errors.items[0].pointer, "/parameters/n");
    assert_non_null(strstr(plan.errors.items[0].detail, "24 is not a power of two"));
}
