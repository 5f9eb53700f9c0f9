/* monte-carlo: pi and the price of an option as means of random samples, and the quality of the random numbers.
 *
 * Reproduces the Monte Carlo chapter of Ruetsch & Fatica (5.1 to 5.5): pi by points in the square, a European call option,
 * stored random numbers, sums of blocks and atomic additions.
 */
#include "monte_carlo.h"

#include "benchmark/axes.h"
#include "workload.h"

static const char *const problems[] = {"pi", "call", "uniform", NULL};
static const char *const types[] = {"fp32", "fp64", NULL};
static const char *const steps[] = {"stored", "in-registers", "one-pass", "library", "all", NULL};

#define N_MIN 4096
#define N_MAX 17179869184

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "problem", "Problem",
        "pi: the part of random points in the square that are in a quarter of the circle; call: the price of a European "
        "call option; uniform: statistics of the random numbers themselves.",
        problems, "pi", "call", "uniform")},
    {LAB_CHOICES("type", "Type", "Of the random numbers and of the samples; uniform has none.", types, "fp32")},
    {LAB_CHOICES(
        "step", "Steps",
        "How random numbers are made and samples added up. all: every step that the device has; library, cuRAND's "
        "device functions, is the reference. uniform has in-registers only.",
        steps, "all")},
    {LAB_INTEGER("min_n", "Fewest samples", "Fewest samples. Numbers are rounded down to powers of 2.", 4096),
     .minimum = N_MIN, .maximum = N_MAX},
    {LAB_INTEGER("max_n", "Most samples", "Most samples; that number is always measured.", 67108864), .minimum = N_MIN,
     .maximum = N_MAX},
    {.name = "factor",
     .title = "Factor",
     .text = "Ratio of each number of samples to the previous one.",
     .type = LAB_TYPE_NUMBER,
     .minimum = 2,
     .maximum = N_MAX,
     .fallback = "16"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    [PROBLEM] = {.name = "problem", .title = "Problem"},
    [TYPE] = {.name = "type", .title = "Type", .applies = monte_carlo_has_type},
    [N] = {.name = "n", .title = "Samples", .source = LAB_AXIS_SIZES, .round = monte_carlo_power_of_two},
    [STEP] = {.name = "step", .title = "Step", .list = monte_carlo_list_steps},
    [LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
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
    {.name = NULL},
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

static const char explanation[] =
    "The mean of n random samples estimates an expected value, with a standard error of the standard deviation of a "
    "sample divided by sqrt(n). A random point of the unit square is in the quarter of the circle around its corner with "
    "the probability pi / 4. A European call option gives the right to buy a share at a time for a price; what it is "
    "worth is the mean of what it gains, max(S - K, 0), for random prices S at that time, discounted to today. The model "
    "of Black and Scholes has a normally distributed logarithm of S, and a formula for this mean, with which the "
    "estimate is compared: S = 100 today, K = 100, 5 percent interest, 20 percent volatility, one year.\n\n"
    "The random numbers are made by Philox 4x32-10: ten rounds that turn a counter and a key, the seed, into four words "
    "of 32 bits. There is no state to keep, and a thread finds its numbers without those before. Normally distributed "
    "numbers are made of pairs of uniform ones (Box-Muller). The steps make the same numbers, which cuRAND's generator of "
    "the same seed gives as well, so all of them must give the same estimate; it is compared with the sum of all samples "
    "in fp64.\n\n"
    "What to expect: stored numbers cost the memory's bandwidth twice, 16 bytes for 2 samples of pi in fp32: at 4.8 TB/s "
    "300 billion samples a second at most. Made where they are used they cost arithmetic only: two products of 64 bits, "
    "which are 4 instructions of half rate, and 4 logical operations in each of 10 rounds, for 2 points or 4 prices. "
    "In one pass, atomic operations add up the sums of the blocks and save the second launch: some microseconds, which "
    "count for few samples only. The error falls with 1 / sqrt(n): 100 times the samples for one more digit. A single "
    "estimate may be much closer by chance, but only 3 of 1000 are farther than 3 standard errors.\n\n"
    "The problem uniform counts where the numbers fall: the mean, the variance, the correlation of successive numbers "
    "and the chi-square of 64 bins, each as its distance from the expected value in standard deviations. A good "
    "generator has values of about 1, below 4; one that is not gets worse with sqrt(n).\n\n"
    "On an H200 one-pass takes 669 billion samples of pi in a second in fp32 and 311 in fp64, of the call option 512 and 127: "
    "1.02, 1.01, 1.18 and 1.01 of cuRAND's generator in the same kernel. Stored numbers reach 206 and 110 billion samples of "
    "pi: 0.45 of cuRAND. With 4096 samples the second launch costs a quarter of the time. Of 20 seeds with 2^28 samples the "
    "farthest estimate is 2.3 standard errors from pi.\n\n"
    "Try fp64, where the GPU needs twice as many random words for a number. Try other seeds: errors change, standard "
    "errors do not. Try max_n = 17179869184 in fp32, where rounding of the sums of threads meets the standard error.";

#define FOLDER "kernels/experiments/cases/monte_carlo/"
#define CUDA(region_)                                                                                                  \
    {                                                                                                                  \
        FOLDER "monte_carlo.cu", region_                                                                               \
    }
#define HOST(region_)                                                                                                  \
    {                                                                                                                  \
        FOLDER "monte_carlo_host.c", region_                                                                           \
    }

static const struct lab_source sources[] = {
    {"stored",
     "cuda",
     "Stored random numbers",
     "One kernel stores the random numbers, another one loads them and adds up the samples, a third one adds up the sums "
     "of the blocks. This is how a program uses a library that fills arrays, and what the book begins with.",
     {CUDA("stored"), CUDA("pi"), CUDA("sums"), CUDA("two-passes")}},
    {"in-registers",
     "cuda",
     "Numbers made where they are used",
     "Each thread makes the numbers that it needs, in registers. The generator has no state, so nothing is loaded or "
     "stored but the sums of the blocks.",
     {{FOLDER "philox.h", "philox"}, CUDA("made"), CUDA("sums"), CUDA("two-passes")}},
    {"one-pass",
     "cuda",
     "One pass with atomic additions",
     "Each block adds its sums to those of all by atomic operations; the last one takes the result. There is no second "
     "launch.",
     {CUDA("call"), CUDA("sums"), CUDA("block-sum"), CUDA("one-pass")}},
    {"library",
     "cuda",
     "cuRAND (library)",
     "The step before with NVIDIA's device functions, as the reference: a state for each thread, of the same generator.",
     {CUDA("library"), CUDA("sums")}},
    {"stored",
     "host",
     "Stored random numbers",
     "All cores store the random numbers, and then load them and add up the samples.",
     {HOST("numbers"), HOST("samples"), HOST("sums")}},
    {"in-registers",
     "host",
     "Numbers made where they are used",
     "Each core makes the numbers that it needs, and stores nothing but sums.",
     {{FOLDER "philox.h", "philox"}, HOST("numbers"), HOST("samples"), HOST("sums")}},
    {0},
};

extern const struct lab_binary lab_binary_monte_carlo;
extern const struct lab_host_kernel monte_carlo_host_kernels[];
static const struct lab_image image = {"monte-carlo", &lab_binary_monte_carlo, monte_carlo_host_kernels};
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
    .sources = sources,
    LAB_BENCHMARK_FIELDS(monte_carlo, benchmark),
};
