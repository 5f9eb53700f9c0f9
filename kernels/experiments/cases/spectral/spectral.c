/* spectral: what Fourier transforms are for: derivatives, convolutions and Poisson's equation, beside sums over
 * neighbours.
 *
 * Reproduces the spectral derivative, the convolution and the solution of Poisson's equation of Ruetsch & Fatica (7.2
 * to 7.4).
 */
#include "workload.h"

#include "benchmark/axes.h"

static const char *const problems[] = {"derivative", "convolution", "poisson", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL(
        "problem", "Problems",
        "derivative: of a periodic function; convolution: of signals with a filter of `taps` weights; poisson: the "
        "potential of charges in a periodic square.",
        problems)},
    {LAB_STEPS("variant", "Methods", spectral_variants),
     .text =
         "spectral: by Fourier transforms; difference-2 and difference-8: by the neighbours of each point, of 2nd and of "
         "8th order (poisson: the equations of five neighbouring points, of 2nd order); direct: the sum over all "
         "taps (convolution)."},
    {LAB_INTEGERS("n", "Points", "Points in each dimension, a power of two. The convolution has the largest of them.",
                  16, 32, 64, 128, 256, 512, 1024),
     .minimum = SPECTRAL_N_MIN, .maximum = SPECTRAL_N_MAX},
    {LAB_INTEGERS("taps", "Taps", "Weights of the filter of the convolution.", 1, 4, 16, 64, 256), .minimum = 1,
     .maximum = SPECTRAL_N_MAX},
    {LAB_BYTES_PARAMETER("the input and of the result, which hold as many problems as fit, and at least two", 512,
                         134217728)},
    {0},
};

static const struct lab_axis axes[] = {
    [SPECTRAL_PROBLEM] = {.name = "problem", .title = "Problem"},
    [SPECTRAL_N] = {.name = "n", .list = spectral_list_sizes},
    [SPECTRAL_TAPS] = {.name = "taps", .applies = spectral_has_taps},
    [SPECTRAL_BYTES] = {.name = "bytes"},
    [SPECTRAL_VARIANT] = {.name = "variant", .title = "Method", .keeps = spectral_keeps_variant},
    [SPECTRAL_LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Effective bandwidth", "GB/s",
         "bytes of the input and of the result, each counted once, however often they are read and written, / time / "
         "10^9"),
     .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {LAB_METRIC("relative_error", "Largest error", "1",
                "largest |result - exact solution| / largest value of the exact solution")},
    {LAB_METRIC(
        "predicted_relative_error", "Predicted error", "1",
        "computed, not measured: the errors that the method makes in the waves of the exact solution, added up; "
        "rounding not included. None where rounding is larger")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "error", "Largest error over points", "relative_error", "n"), .log_x = true, .log_y = true,
     .slope = -2},
    {LAB_VIEW("field", "solution", "Solution of Poisson's equation", "time", "variant")},
    {LAB_VIEW("line", "taps", "Time over taps", "time", "taps"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "bandwidth", "Effective bandwidth over points", "bandwidth", "n"), .log_x = true},
    {0},
};

LAB_IMAGE(spectral);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = spectral_describe, .check = spectral_check_parameters, .read = spectral_read};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Derivative", "bandwidth"), .at = {{"problem", "derivative"}, {"variant", "spectral"}},
     .largest = {"n", "bytes"}},
    {LAB_HEADLINE("Poisson", "bandwidth"), .at = {{"problem", "poisson"}, {"variant", "spectral"}},
     .largest = {"n", "bytes"}},
    {0},
};

LAB_PAGE(spectral);
const struct lab_experiment lab_spectral = {
    .name = "spectral",
    .title = "Spectral methods",
    .subject = "cases",
    .summary =
        "Derivatives, convolutions and Poisson's equation by Fourier transforms, compared with sums over neighbours.",
    LAB_BENCHMARK_FIELDS(spectral, benchmark),
};
