/* monte-carlo: pi and the price of an option as means of random samples, and the quality of the random numbers.
 *
 * Reproduces the Monte Carlo chapter of Ruetsch & Fatica (5.1 to 5.5): pi by points in the square, a European call
 * option, stored random numbers, sums of blocks and atomic additions.
 */
#include "monte_carlo.h"

#include "benchmark/axes.h"
#include "workload.h"

#define N_MIN 4096
#define N_MAX 17179869184

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL(
        "problem", "Problem",
        "pi: the part of random points in the square that are in a quarter of the circle; call: the price of a European "
        "call option; uniform: statistics of the random numbers themselves.",
        monte_carlo_problems)},
    {LAB_CHOICES("type", "Type", "The type of the random numbers and of the samples; uniform has none.",
                 monte_carlo_types, "fp32")},
    {LAB_STEPS_OF("step", "Steps", monte_carlo_steps, "all"),
     .text = "How random numbers are made and samples added up. all: every step that the device has; library, cuRAND's "
             "device functions, is the reference. uniform has in-registers only."},
    {LAB_INTEGER("min_n", "Fewest samples", "Fewest samples. Numbers are rounded down to powers of 2.", 4096),
     .minimum = N_MIN, .maximum = N_MAX},
    {LAB_INTEGER("max_n", "Most samples", "Most samples; that number is always measured.", 67108864), .minimum = N_MIN,
     .maximum = N_MAX},
    {LAB_FACTOR_PARAMETER("number of samples", 2, N_MAX, 16)},
    {0},
};

static const struct lab_axis axes[] = {
    [PROBLEM] = {.name = "problem"},
    [TYPE] = {.name = "type", .applies = monte_carlo_has_type},
    [N] = {.name = "n", .title = "Samples", .source = LAB_AXIS_SIZES, .power_of_two = true},
    [STEP] = {.name = "step", .title = "Step", .list = monte_carlo_list_steps},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("samples_per_second", "Samples per second", "G/s",
                "samples / time / 10^9; a sample of pi takes two random numbers, the others one"),
     .counter = LAB_COUNT_ITEMS},
    {LAB_METRIC("share_of_reference", "Share of cuRAND", "1",
                "time of the step library / time, for the same samples; the two are timed alternately"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC("time", "Time", "s", "time from the first to the last of the launches that make one estimate"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("estimate", "Estimate", "1",
                "pi: 4 * mean of the samples; call: exp(-rate * years) * mean; uniform: mean of the random numbers")},
    {LAB_METRIC("predicted_estimate", "Exact value", "1",
                "computed, not measured: pi; the formula of Black and Scholes; 1/2")},
    {LAB_METRIC("error", "Error", "1", "|estimate - exact value|")},
    {LAB_METRIC("standard_error", "Standard error", "1",
                "standard deviation of the samples / sqrt(samples), in the unit of the estimate")},
    {LAB_METRIC("deviation", "Error in standard errors", "1",
                "error / standard error: at most 3 in 99.7 of 100 cases")},
    {LAB_METRIC("variance_deviation", "Variance", "1",
                "of uniform: |variance - 1/12| / its standard error sqrt(1 / (180 n)), with the exact mean")},
    {LAB_METRIC("correlation_deviation", "Serial correlation", "1",
                "of uniform: |correlation| of successive numbers of a thread * sqrt(number of their pairs)")},
    {LAB_METRIC("chi_square_deviation", "Chi-square", "1",
                "of uniform, in 64 equal bins: |sum of (count - expected)^2 / expected - 63| / sqrt(2 * 63)")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("ladder", "ladder", "Samples per second by step", "samples_per_second", "step")},
    {LAB_VIEW("line", "error", "Error over samples", "error", "n"), .log_x = true, .log_y = true, .slope = -0.5},
    {LAB_VIEW("line", "standard-error", "Standard error over samples", "standard_error", "n"), .log_x = true,
     .log_y = true, .slope = -0.5},
    {LAB_VIEW("line", "rate", "Samples per second over samples", "samples_per_second", "n"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("scatter", "cost", "Error over time", "error", "time"), .y = "n", .log_x = true, .log_y = true},
    {LAB_VIEW("line", "estimate", "Estimate over samples", "estimate", "n"), .log_x = true},
    {LAB_VIEW("line", "deviation", "Error in standard errors", "deviation", "n"), .log_x = true},
    {LAB_VIEW("line", "chi-square", "Chi-square of the random numbers", "chi_square_deviation", "n"), .log_x = true},
    {0},
};

LAB_IMAGE(monte_carlo);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = monte_carlo_describe, .baseline = monte_carlo_baseline, .read = monte_carlo_read};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Points of pi per second", "samples_per_second"), .at = {{"problem", "pi"}}, .largest = {"n"},
     .share = "share_of_reference"},
    {LAB_HEADLINE("Prices per second", "samples_per_second"), .at = {{"problem", "call"}}, .largest = {"n"},
     .share = "share_of_reference"},
    {0},
};

LAB_PAGE(monte_carlo);
const struct lab_experiment lab_monte_carlo = {
    .name = "monte-carlo",
    .title = "Monte Carlo: pi and an option",
    .subject = "cases",
    .summary =
        "Means of random samples: stored or made random numbers, compared with cuRAND, and the error over samples.",
    LAB_BENCHMARK_FIELDS(monte_carlo, benchmark),
};
