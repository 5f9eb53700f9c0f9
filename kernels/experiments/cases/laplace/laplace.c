/* laplace: Laplace's equation in two dimensions by Jacobi iterations. This file holds the descriptor.
 *
 * Reproduces the case study of Ruetsch & Fatica, "CUDA Fortran for Scientists and Engineers", 6.2. The variants: the
 * residual in a pass of its own or in that of the iteration, of each iteration or of every k-th; how values are loaded;
 * how iterations are launched; and rows exchanged between several devices.
 */
#include "experiment.h"

static const char *const modes[] = {"strong", "weak", NULL};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Variant", laplace_steps)},
    {LAB_INTEGERS("n", "Points per side", "The plate has n x n points inside its boundary. Multiples of 32.", 128, 1024,
                  16384),
     .minimum = 64, .maximum = 32768},
    {LAB_INTEGERS(
         "interval", "Iterations per residual",
         "k: the residual of every k-th iteration is computed and copied to the host; separate and fused compute all.",
         16),
     .minimum = 2, .maximum = 256},
    {LAB_INTEGERS(
         "device_count", "Number of devices",
         "Number of the run's devices that share the plate, counted from the first. 0: every number from 1 to all.", 0),
     .minimum = 0, .maximum = LAB_RUN_DEVICES_MAX},
    {LAB_CHOICES_ALL("scaling", "Scaling",
                     "On several devices, strong: they share a plate of n x n points; weak: each has as many.", modes)},
    {LAB_NUMBER("bound", "Bound of the residual",
                "Plates up to solve_n are solved: iterations go on until no value changes by more.", 1e-5),
     .minimum = 1e-6, .maximum = 1e-2},
    {LAB_INTEGER("solve_n", "Largest plate to solve", "Points per side. The iterations grow with the square of it.",
                 256),
     .minimum = 0, .maximum = 1024},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Effective bandwidth", "GB/s",
                "bytes of the plate, read and written once by each iteration, / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("aggregate_bandwidth", "Effective bandwidth of all devices", "GB/s",
                "the same on several devices: bytes of the whole plate"),
     .counter = LAB_COUNT_AGGREGATE_BYTES},
    {LAB_METRIC("share_of_peak", "Share of peak", "1",
                "bandwidth / theoretical bandwidth of the memory of the devices that take part")},
    {LAB_METRIC("iteration_time", "Time of an iteration", "s", "time of k iterations with their residuals / k"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("share_of_reference", "Share of the copy", "1",
                "time of copies of the same bytes by a kernel / time; their samples are taken alternately")},
    {LAB_METRIC(
        "speedup", "Speedup", "1",
        "strong: t(1) / t(N); weak: N t(1) / t(N). t(1): time of the variant rows on the first device; both are "
        "sampled alternately")},
    {LAB_METRIC("efficiency", "Efficiency", "1", "speedup / N")},
    {LAB_METRIC(
        "iterations", "Iterations to the bound", "1",
        "iterations until the residual is below the bound, from the solution plus a wave as long as the plate; the "
        "host sees every k-th residual, that of separate and fused every second")},
    {LAB_METRIC("predicted_iterations", "Predicted iterations", "1",
                "computed, not measured: 1 + ln(bound / (1 - d)) / ln(d), rounded up, d = cos(pi / (n + 1))")},
    {LAB_METRIC("solve_time", "Time to the bound", "s", "host clock, with the host's looks at the residual")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "variants", "Bandwidth by variant", "bandwidth", "variant")},
    {LAB_VIEW("bars", "share", "Share of the copy", "share_of_reference", "variant")},
    {LAB_VIEW("line", "size", "Time of an iteration over n", "iteration_time", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "speedup", "Speedup over devices", "speedup", "device_count")},
    {LAB_VIEW("line", "efficiency", "Efficiency over devices", "efficiency", "device_count")},
    {LAB_VIEW("bars", "solve", "Time to the bound", "solve_time", "variant")},
    {LAB_VIEW("table", "iterations", "Iterations to the bound", "iterations", "variant")},
    {LAB_VIEW("field", "solution", "Temperature of the plate", "iterations", "variant")},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Bandwidth", "bandwidth"), .except = {"variant", "copy"}, .largest = {"n"},
     .share = "share_of_reference"},
    {LAB_HEADLINE("Strong scaling", "speedup"), .at = {{"scaling", "strong"}}, .largest = {"device_count", "n"},
     .share = "efficiency"},
    {LAB_HEADLINE("Weak scaling", "speedup"), .at = {{"scaling", "weak"}}, .largest = {"device_count", "n"},
     .share = "efficiency"},
    {LAB_HEADLINE("Time to the bound", "solve_time"), .largest = {"n"}, .lowest = true},
    {0},
};

LAB_PAGE(laplace);
const struct lab_experiment lab_laplace = {
    .name = "laplace",
    .title = "Laplace's equation (Jacobi)",
    .subject = "cases",
    .summary =
        "The temperature of a plate by Jacobi iterations: residual, launches, and rows exchanged between devices.",
    .devices_min = 1,
    .devices_max = LAB_RUN_DEVICES_MAX,
    LAB_RUN_FIELDS(laplace),
};
